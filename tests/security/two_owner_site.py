"""A server with the data of two owners, for tests in which nobody else may receive what belongs to the first one."""

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from tests.served import Server, served, write_script
from tests.store.examples import SETUP, completion, tool_result, user
from tests.store.runs.comparisons import give_comparison
from tests.store.runs.examples import give_run
from workbench.app.passwords import hash_password
from workbench.label.records.project import Project
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import Owner
from workbench.records.versions import NewVersion, VersionKind
from workbench.rollout.ports import FinishReason
from workbench.store.store import OwnedStore, Store
from workbench.ui.owners import browser_key_of

SECRET = f"marker-{secrets.token_hex(8)}"
"""Word in everything that belongs to the first owner. Nobody else may receive it."""
ANN, BOB = "ann", "bob"
KEYS = {ANN: "a1" * 16, BOB: "b2" * 16}
"""Secrets of two browsers on a Space."""
ANSWER_S = 30.0
"""Longest time that a request of somebody else may take meanwhile. This finds hangs and does not measure speed."""


@dataclass(frozen=True, kw_only=True)
class Ids:
    """Ids of the objects of an owner in the store."""

    sessions: tuple[str, ...]
    messages: tuple[str, ...]
    keys: tuple[str, ...]
    runs: tuple[str, ...]
    comparisons: tuple[str, ...]
    versions: tuple[str, ...]

    def all(self) -> tuple[str, ...]:
        return (*self.sessions, *self.messages, *self.keys, *self.runs, *self.comparisons, *self.versions)


@dataclass(frozen=True, kw_only=True)
class Site:
    """A server with the data of two owners."""

    server: Server
    ann: Ids
    bob: Ids
    is_team: bool

    def client(self, name: str | None) -> httpx.Client:
        """Return a browser of an owner, or of nobody for None."""
        headers = {"origin": self.server.url, "host": self.server.url.removeprefix("http://")}
        if name and not self.is_team:
            headers["x-workbench-key"] = KEYS[name]
        client = httpx.Client(
            base_url=self.server.url, headers=headers, timeout=ANSWER_S, follow_redirects=False
        )
        if name and self.is_team:
            answer = client.post("/login", data={"username": name, "password": f"{name}!"})
            assert answer.status_code == 200, answer.text
        return client


@contextmanager
def fuzzed_server(folder: Path, *, is_team: bool) -> Iterator[Site]:
    """A team's server or a Space with two owners, whose log must not contain a traceback at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "data"
    data.mkdir()
    owners = {
        name: Owner(
            key=f"account:{name}" if is_team else browser_key_of(KEYS[name]), name=name if is_team else ""
        )
        for name in (ANN, BOB)
    }
    with closing(Store(f"sqlite:///{data / 'workbench.sqlite3'}")) as store:
        ann, bob = (give_all(store.of(owners[name]), SECRET if name == ANN else "bob's") for name in owners)
    script = write_script(folder / "script.yaml", "Hello.")
    variables = {
        # Whatever an event asks the hub for, nothing leaves the machine.
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": "1",
        "WORKBENCH_HOST": "127.0.0.1",
    }
    if is_team:
        hashes = ",".join(f"{name}:{hash_password(name + '!', n=2**4)}" for name in owners)
        variables["WORKBENCH_AUTH"] = hashes
    else:
        variables["SPACE_ID"] = "someone/workbench"
    for server in served(folder, f"scripted:{script}", **variables):
        yield Site(server=server, ann=ann, bob=bob, is_team=is_team)
    log = (folder / "server.log").read_text(errors="replace")
    assert "Traceback" not in log, log[log.index("Traceback") :][:4000]
    assert SECRET not in log


def give_all(own: OwnedStore, word: str) -> Ids:
    """Create one of everything for an owner, with a word in every text."""
    setup = replace(
        SETUP, contract_text=f"---\ntitle: Mine\nfamily: hermes-lines\n---\n{word} {{{{ tools }}}}\n"
    )
    setup = replace(setup, ephemeral=f"about {word}", contract_name=f"mine-{word}")
    session = own.sessions.create_session(setup)
    call = f'<tool_call>\n{{"name": "now", "arguments": {{"about": "{word}"}}}}\n</tool_call>'
    path = own.sessions.append_all(
        session.id,
        (user(f"hi {word}"), completion(call), tool_result(word), completion(word)),
        parent_id=None,
    )
    own.sessions.tag_session(session.id, [word])
    plain = own.sessions.create_session(replace(setup, tools_text="[]"))
    said = (user(word), completion(word, finish_reason=FinishReason.STOP))
    plain_path = own.sessions.append_all(plain.id, said, parent_id=None)
    # A link that shows a session whose secret part was deleted, and a link that was taken back.
    shown = own.sessions.create_session(SETUP)
    said = own.sessions.append_all(shown.id, (user("public"), completion("public too")), parent_id=None)
    gone = own.sessions.append(shown.id, user(f"deleted {word}"), parent_id=said[-1].id)
    own.sessions.delete_message(shown.id, gone.id)
    old_key = own.sharing.share(session.id)
    own.sharing.unshare(session.id)
    own.labels.save(
        NewLabel(
            target=LabelTarget(session_id=session.id, message_id=path[1].id),
            content=LabelContent(verdict=Verdict.GOOD, comment=word, tags=(word,)),
            annotator="me",
        )
    )
    own.label_projects.save_project(Project(name="mine", guidelines=word))
    versions = [
        own.versions.save(NewVersion(kind=kind, name=f"{kind}-{word}", text=word, message=word))
        for kind in VersionKind
    ]
    comparison = give_comparison(own, title=word)
    run = give_run(own, session.id, title=word)
    return Ids(
        sessions=(session.id, plain.id, shown.id),
        messages=(*(one.id for one in (*path, *plain_path)), *(one.id for one in said), gone.id),
        keys=(own.sharing.share(shown.id), old_key),
        runs=(run.listed.id,),
        comparisons=(comparison.id,),
        versions=tuple(one.id for one in versions),
    )
