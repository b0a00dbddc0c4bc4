"""Malformed and forged events for a real server, drawn by a seed; and what must hold while they come.

A tab of a stranger opens the page, then sends events that its own browser side never would: values of wrong types,
ids of somebody else, broken bodies. Everything that comes back is searched for what only its owner may see.
"""

import json
import random
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

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
EVENTS_A_TAB = 25
STREAM_S = 8.0
"""Time for which the answers to the events of a tab are read."""
ANSWER_S = 30.0
"""Longest time that a request of somebody else may take meanwhile. This finds hangs and does not measure speed."""
DEEP = "@@deep@@"
"""Placeholder for JSON that is nested too deep for `json.dumps`."""


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


@dataclass(kw_only=True)
class Found:
    """Counts of a fuzzing run; several threads add to them."""

    sent: Counter[str] = field(default_factory=Counter[str])
    """Requests by kind."""
    statuses: Counter[int] = field(default_factory=Counter[int])
    leaks: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])
    """Requests that were not answered."""
    slowest_s: float = 0.0
    """Seconds that the requests of the other owner took."""
    completed: int = 0
    """Events whose end was received."""
    refused: int = 0
    """Those of them that ended with an error."""
    lock: Lock = field(default_factory=Lock)

    def look(self, where: str, text: str) -> None:
        if SECRET in text:
            with self.lock:
                self.leaks.append(f"{where}: {text[max(0, text.index(SECRET) - 200) :][:300]}")

    def summary(self) -> str:
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return (
            f"{sum(self.sent.values())} sent ({dict(self.sent)}); answers {statuses}; {self.completed} events ended, "
            f"{self.refused} of them refused; other owner's slowest call {self.slowest_s:.1f} s"
        )


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


def fuzz_server(folder: Path, *, is_team: bool, count: int, seed: int) -> Found:
    """Sends that many requests to a server while its other owner works; what must hold is asserted.

    Args:
        folder: Where the server's data and log go.
        is_team: A team's server; else a Space.
        count: How many requests.
        seed: The same one draws the same requests.
    """
    found = Found()
    visitors = (BOB, BOB, BOB, None)
    with fuzzed_server(folder, is_team=is_team) as target, ThreadPoolExecutor(len(visitors)) as pool:
        config = _config(target)
        share = -(-count // len(visitors))
        running = [
            pool.submit(run_tabs, target, config, name, found, seed=seed * 1000 + place, count=share)
            for place, name in enumerate(visitors)
        ]
        call_as_owner(target, found)
        while wait(running, timeout=5.0).not_done:
            call_as_owner(target, found)
        for one in running:
            one.result()
        call_as_owner(target, found)
    assert found.leaks == []
    assert found.failures == []
    assert sum(found.sent.values()) >= count
    assert found.completed > count // 20
    assert found.slowest_s < ANSWER_S
    return found


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


class Fuzz:
    """Generates requests from a seed.

    Args:
        target: The server.
        config: What `/config` says: the page's components and events.
        seed: The same seed draws the same requests.
    """

    def __init__(self, target: Site, config: Mapping[str, Any], seed: int) -> None:
        self.target = target
        self.chance = random.Random(seed)
        self.components = {one["id"]: one for one in config["components"]}
        self.events: Sequence[Mapping[str, Any]] = [
            one for one in config["dependencies"] if one.get("backend_fn", True)
        ]
        self.opening = next(one for one in self.events if one["api_name"] == "on_page")

    def tab(self) -> str:
        return "".join(self.chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=10))

    def opened(self, tab: str, name: str | None) -> dict[str, object]:
        """Return the event that opens the page in a tab."""
        secret = KEYS.get(name or "", "")
        return {"fn_index": self.opening["id"], "session_hash": tab, "data": ["", secret], "trigger_id": None}

    def query(self) -> dict[str, str]:
        """Return a query for the address of the page."""
        asked = {
            "session": (*self.target.bob.sessions, *self.target.ann.sessions),
            "shared": (*self.target.bob.keys, *self.target.ann.keys),
            "message": (*self.target.bob.messages, *self.target.ann.messages),
        }
        chosen = {
            key: self.chance.choice(values) for key, values in asked.items() if self.chance.random() < 0.4
        }
        if self.chance.random() < 0.1:
            chosen[self.chance.choice(["session", "shared", "message"])] = str(self.hostile(is_text=True))
        return chosen

    def event(self, tab: str) -> dict[str, object]:
        """Return a plausible event that usually has an error in it."""
        event = self.chance.choice(self.events)
        data: list[object] = [self.value(component) for component in event["inputs"]]
        targets = event.get("targets") or [[None, ""]]
        body: dict[str, object] = {
            "fn_index": event["id"],
            "session_hash": tab,
            "data": data,
            "event_data": self.event_data(),
            "trigger_id": targets[0][0],
        }
        for _ in range(self.chance.choice([0, 1, 1, 1, 2, 3])):
            self._mutate(body, data)
        return body

    def value(self, component_id: int) -> object:
        """Return a value that a component of the page could have."""
        component = self.components.get(component_id, {})
        props, kind = component.get("props", {}), component.get("type", "")
        choices = [one[1] if isinstance(one, list) else one for one in props.get("choices") or []]
        if kind == "state":
            return None
        if kind in ("dropdown", "radio") and choices and not props.get("multiselect"):
            return self.chance.choice([*choices, self.word()])
        if kind == "checkboxgroup" or props.get("multiselect"):
            return self.chance.sample(choices, k=min(len(choices), self.chance.randint(0, 3)))
        if kind == "number":
            return self.chance.choice([0, 1, 2, 0.5, 100, None])
        if kind == "checkbox":
            return self.chance.random() < 0.5
        if kind == "code":
            return self.chance.choice(_TEXTS)
        if kind in ("file", "uploadbutton"):
            return self.chance.choice(
                [None, _file("/etc/passwd"), _file("data/workbench.sqlite3"), [_file("x")]]
            )
        if kind == "drawn":
            return self.chance.choice([None, {}, {"id": self.word()}, {"comparison": self.word()}])
        return self.chance.choice([self.word(), self.chance.choice(_TEXTS)])

    def word(self) -> str:
        """Return an id or a name, usually of the sender and sometimes of the other owner."""
        own, other = self.target.bob, self.target.ann
        ids = self.chance.choices([own.all(), other.all(), _WORDS], weights=[5, 3, 3])[0]
        return self.chance.choice(ids)

    def event_data(self) -> object:
        """Return data that one of our components could send."""
        data = {name: self.word() for name in _FIELDS}
        for name in ("turn", "column", "index", "call"):
            data[name] = self.chance.choice([0, 1, 2, None])  # type: ignore[assignment]
        data["act"] = self.chance.choice(_ACTS)
        data["kind"] = self.chance.choice(["best", "tie", "none", "x"])
        data["then"] = self.chance.choice(["", "continue", "answer"])
        data["edit"] = json.dumps(self.said())
        data["order"] = json.dumps(self.order())
        data["filter"] = json.dumps(
            {"verdict": self.word(), "since": self.chance.choice(["", "2024-01-01", "x"])}
        )
        data["rows"] = self.chance.choice(["[]", '[{"name": "a", "type": "string"}]', '[{"name": 5}]', "{}"])
        return data

    def said(self) -> object:
        return {
            "text": self.word(),
            "name": self.chance.choice(["now", "x"]),
            "texts": self.chance.choice([{}, {"about": "1"}, []]),
            "form": self.chance.choice([None, {"name": "now", "texts": {"a": "x"}}, 5]),
            "arguments": self.chance.choice(["{}", "{", "[]", 5]),
            "verdict": self.chance.choice(["good", "bad", "x", None, []]),
            "rating": self.chance.choice([1, 9, "x", None]),
            "tags": self.chance.choice([[], ["a"], [[]], "x"]),
            "answers": self.chance.choice([{}, {"a": []}, []]),
        }

    def role(self) -> dict[str, object]:
        return {
            "labeller": self.word(),
            "project": self.chance.choice(["", "mine", f"{ANN}/mine", f"{BOB}/mine"]),
            "is_deciding": self.chance.random() < 0.3,
        }

    def action(self) -> dict[str, object]:
        """Return an action of an annotator."""
        fields = (
            "verdict",
            "rating",
            "comment",
            "tag:a",
            "answer:b",
            "correction",
            "accepted",
            "state",
            "x:",
        )
        return {
            "client": self.chance.choice(["page", "", "x" * 99, 5]),
            "number": self.chance.choice([1, 2, 10**30, -1, "x"]),
            **self.role(),
            "session": self.word(),
            "kind": self.chance.choice(["label", "accept", "accept-rest", "submit", "reject", "undo", "x"]),
            "message": self.word(),
            "call": self.chance.choice([None, 0, 99, -1]),
            "changes": [
                {
                    "message": self.word(),
                    "call": self.chance.choice([None, 0, 99, -1, 10**30]),
                    "field": self.chance.choice(fields),
                    "value": self.chance.choice([None, "good", 3, True, self.said(), {"form": self.said()}]),
                }
            ],
            "undoes": self.chance.choice([None, {"client": "page", "number": 1}, {}, "x"]),
            "is_confirmed": self.chance.random() < 0.5,
        }

    def manage(self) -> dict[str, object]:
        """Return a change of a labelling project, or of its assignments."""
        return {
            "what": self.chance.choice(["save", "assign", "unassign", "delete", "restore", "x", 5, None]),
            "name": self.chance.choice(["", "mine", f"{ANN}/mine", "/", self.word(), 5]),
            "limit": self.chance.choice(["", "1", "0", "-1", "9" * 30, "x", 2, []]),
            "overlap": self.chance.choice(["1", "0", "2", "9" * 30, "x", None]),
            "annotators": self.chance.choice(["", BOB, f"{ANN}, {BOB}", "," * 50, [], self.word()]),
            "reviewers": self.chance.choice(["", ANN, BOB, {}]),
            "guidelines": self.chance.choice(["", "# Be kind", "[x](javascript:alert(1))", 5]),
            "questions": self.chance.choice(["", "b=Is it b?|yes|no", "b*=", "=", "b", [], "a=b\n" * 300]),
            "requires_verdicts": self.chance.choice([True, False, "x", None]),
        }

    def order(self) -> object:
        order: dict[str, object] = {
            "serial": 1,
            **self.role(),
            "session": self.word(),
            "after": self.word(),
            "known": self.chance.choice([[], [self.word()], "x"]),
            "message": self.word(),
            "filter": {
                "state": self.chance.choice(["", "pending", "x"]),
                "since": self.chance.choice(["", "x"]),
            },
            "first": self.chance.choice([None, 0, 50, -1, 10**9, 10**30, 0.5, "x", []]),
            "step": self.chance.choice([0, 1, -1, 7, 10**30, "x", None]),
            "manage": self.chance.choice([{}, self.manage(), "x", [5], None]),
            "actions": self.chance.choice([[], [self.action()], [self.action(), self.action()], "x", [5]]),
        }
        if self.chance.random() < 0.2:
            order[self.chance.choice(sorted(order))] = self.hostile()
        return {name: value for name, value in order.items() if value != DEEP}

    def hostile(self, *, is_text: bool = False) -> object:
        """Return a value that no component can have."""
        if is_text:
            return self.chance.choice(
                ["", "\0", "x" * 3000, "%00", "../../etc/passwd", "é\n\r", "\ud800"[:0]]
            )
        # A copy, because parts of a value are changed later.
        return deepcopy(self.chance.choice(_HOSTILE))

    def _mutate(self, body: dict[str, object], data: list[object]) -> None:
        """Change one part of a value so that it is wrong."""
        kind = self.chance.random()
        if kind < 0.4 and data:
            data[self.chance.randrange(len(data))] = self.hostile()
        elif kind < 0.65:
            self._mutate_event_data(body)
        elif kind < 0.75:
            body["data"] = self.chance.choice([data[:-1], [*data, 1], [], None, {}, "x", 5, [DEEP], [data]])
        else:
            name = self.chance.choice(_BODY_FIELDS)
            if self.chance.random() < 0.3:
                body.pop(name, None)
            else:
                body[name] = self.chance.choice([*_HOSTILE, 10**6, -1, "0", 3.5, self.word()])

    def _mutate_event_data(self, body: dict[str, object]) -> None:
        sent = body.get("event_data")
        if not isinstance(sent, dict) or not sent or self.chance.random() < 0.3:
            body["event_data"] = self.hostile()
            return
        name = self.chance.choice(sorted(sent))
        if self.chance.random() < 0.3:
            del sent[name]
        else:
            sent[name] = self.hostile()

    def api_call(self) -> tuple[str, dict[str, object]]:
        """Return a call of the API."""
        event = self.chance.choice([one for one in self.events if one.get("api_visibility") == "public"])
        data: list[object] = [
            self.chance.choice(
                [self.word(), self.chance.choice(_TEXTS), None, self.hostile(), ["weather"], 5]
            )
            for _ in event["inputs"]
        ]
        return str(event["api_name"]), {"data": data}

    def stray(self) -> tuple[str, str, bytes | None]:
        """Return a request to one of Gradio's other routes: method, address and body."""
        api = "/gradio_api"
        word, tab = quote(self.word(), safe="/."), self.tab()
        body = dumped(
            self.chance.choice([{}, [], None, self.hostile(), {"session_hash": tab, "event_id": word}])
        )
        return self.chance.choice(
            [
                ("POST", f"{api}/cancel", body),
                ("POST", f"{api}/cancel", dumped({"session_hash": tab, "fn_index": 1, "event_id": word})),
                ("POST", f"{api}/reset", body),
                ("POST", f"{api}/stream/{word}", body),
                ("POST", f"{api}/stream/{word}/close", body),
                ("POST", f"{api}/component_server", body),
                (
                    "POST",
                    f"{api}/component_server",
                    dumped({"data": 1, "component_id": self.hostile(), "session_hash": tab, "fn_name": "ls"}),
                ),
                (
                    "POST",
                    f"{api}/queue/join",
                    self.chance.choice([b"", b"{", b"\xff\xfe", b"[" * 100_000, body]),
                ),
                ("POST", f"{api}/queue/join/", body),
                ("POST", f"{api}/run/{self.chance.choice(_ROUTES)}", body),
                ("POST", f"{api}/api/predict", dumped({"data": [], "fn_index": self.hostile()})),
                ("POST", f"{api}/call/{self.chance.choice(_ROUTES)}", body),
                ("POST", f"{api}/call/v2/{self.chance.choice(_ROUTES)}", body),
                ("POST", f"{api}/upload", body),
                ("GET", f"{api}/queue/data?session_hash={word}", None),
                ("GET", f"{api}/queue/data", None),
                ("GET", f"{api}/call/parse/{word}", None),
                ("GET", f"{api}/call/v2/parse/{word}", None),
                ("GET", f"{api}/queue/status", None),
                ("GET", f"{api}/info?all_endpoints=1", None),
                ("GET", f"{api}/deep_link?session_hash={word}", None),
                ("GET", f"/?deep_link={word}", None),
                ("GET", f"/config?deep_link=../{word}", None),
                ("GET", f"{api}/stream/{tab}/{word}/1/playlist.m3u8", None),
                ("GET", f"{api}/stream/{tab}/{word}/1/0.ts", None),
                ("GET", f"{api}/stream/{tab}/{word}/x/playlist-file", None),
                ("GET", f"{api}/custom_component/{word}/client/component/x.js", None),
                ("GET", f"{api}/file=/etc/passwd", None),
                ("GET", f"{api}/file={word}", None),
                ("GET", f"{api}/file=http://127.0.0.1:9/x", None),
                ("GET", f"{api}/proxy=http://127.0.0.1:9/x", None),
                ("GET", f"{api}/proxy={word}", None),
                ("GET", "/monitoring", None),
                ("GET", f"/monitoring/{word}", None),
                ("GET", "/static/../../x", None),
                ("GET", f"/assets/{word}", None),
                ("GET", "/pwa_icon/x", None),
                ("GET", f"/svelte/{word}", None),
                ("GET", f"{api}/runs", None),
                ("GET", f"{api}/vibe-code", None),
                ("POST", f"{api}/vibe-edit", body),
                ("POST", f"{api}/process_recording", body),
                ("PUT", f"{api}/queue/join", body),
                ("DELETE", f"{api}/queue/data", None),
                ("GET", f"{api}/mcp/", None),
            ]
        )


def dumped(value: object) -> bytes:
    """Return JSON, including values that are not valid JSON: NaN, lone surrogates and very deep nesting."""
    deep = "[" * 10_000 + "]" * 10_000
    return json.dumps(value, default=str).replace(f'"{DEEP}"', deep).encode()


def run_tabs(
    target: Site, config: Mapping[str, Any], name: str | None, found: Found, *, seed: int, count: int
) -> None:
    """Send requests, one tab after another."""
    with closing(target.client(name)) as client:
        fuzz = Fuzz(target, config, seed)
        left = count
        while left > 0:
            left -= _run_tab(client, fuzz, name, found, min(left, EVENTS_A_TAB))


def _config(target: Site) -> Mapping[str, Any]:
    with closing(target.client(BOB)) as client:
        config: Mapping[str, Any] = client.get("/config").json()
    return config


def _run_tab(client: httpx.Client, fuzz: Fuzz, name: str | None, found: Found, count: int) -> int:
    tab = fuzz.tab()
    if fuzz.chance.random() < 0.8:
        _post(client, found, "open", "/gradio_api/queue/join", dumped(fuzz.opened(tab, name)), fuzz.query())
    _listen(client, found, tab)
    for _ in range(count):
        _send_one(client, fuzz, found, tab)
    _listen(client, found, tab)
    return count


def _send_one(client: httpx.Client, fuzz: Fuzz, found: Found, tab: str) -> None:
    kind = fuzz.chance.random()
    if kind < 0.65:
        _post(client, found, "event", "/gradio_api/queue/join", dumped(fuzz.event(tab)), fuzz.query())
    elif kind < 0.75:
        body = fuzz.event(tab)
        route = fuzz.chance.choice(_ROUTES)
        _post(client, found, "direct", f"/gradio_api/run/{route}", dumped(body), {})
    elif kind < 0.83:
        _call_api(client, fuzz, found)
    else:
        _stray(client, fuzz, found)


def _call_api(client: httpx.Client, fuzz: Fuzz, found: Found) -> None:
    function, body = fuzz.api_call()
    answer = _post(client, found, "function", f"/gradio_api/call/{function}", dumped(body), {})
    if answer is not None and answer.status_code == 200 and "event_id" in answer.text:
        _stream(client, found, f"/gradio_api/call/{function}/{answer.json()['event_id']}")


def _stray(client: httpx.Client, fuzz: Fuzz, found: Found) -> None:
    method, address, body = fuzz.stray()
    with found.lock:
        found.sent["stray"] += 1
    try:
        with client.stream(
            method, address, content=body, headers={"content-type": "application/json"}
        ) as answer:
            text = "".join(_pieces(answer, time.monotonic() + 3))
        _count(found, answer, text)
        found.look(f"{method} {address}", text)
    except httpx.HTTPError as error:
        _failed(found, f"{method} {address[:80]}", error)


def _post(
    client: httpx.Client, found: Found, kind: str, address: str, body: bytes, query: Mapping[str, str]
) -> httpx.Response | None:
    with found.lock:
        found.sent[kind] += 1
    try:
        answer = client.post(
            address, content=body, params=dict(query), headers={"content-type": "application/json"}
        )
    except httpx.HTTPError as error:
        _failed(found, f"{address} {body[:300]!r}", error)
        return None
    _count(found, answer, answer.text)
    found.look(f"{address} {body[:500]!r}", answer.text)
    return answer


def _listen(client: httpx.Client, found: Found, tab: str) -> None:
    """Read the answers to the events of a tab, until all have ended or the time is over."""
    _stream(client, found, f"/gradio_api/queue/data?session_hash={tab}")


def _stream(client: httpx.Client, found: Found, address: str) -> None:
    until = time.monotonic() + STREAM_S
    try:
        with client.stream("GET", address) as answer:
            for piece in _pieces(answer, until):
                found.look(address, piece)
                with found.lock:
                    found.completed += piece.count('"process_completed"')
                    found.refused += piece.count('"success":false')
    except httpx.HTTPError as error:
        _failed(found, address, error)


def _pieces(answer: httpx.Response, until: float) -> Iterator[str]:
    for line in answer.iter_lines():
        yield line
        if time.monotonic() > until or '"close_stream"' in line:
            return


def _count(found: Found, answer: httpx.Response, text: str) -> None:
    with found.lock:
        found.statuses[answer.status_code] += 1
        # Gradio answers a handler's own refusal with 500 and its words. Without words, a server failed.
        if answer.status_code >= 500 and '"error"' not in text:
            found.failures.append(f"{answer.status_code} without words: {answer.request.url} {text[:200]}")


def _failed(found: Found, what: str, error: Exception) -> None:
    with found.lock:
        found.failures.append(f"{what}: {type(error).__name__} {error}")


def call_as_owner(target: Site, found: Found) -> None:
    """Work as the other owner: a call is answered, and their data is still there."""
    with closing(target.client(ANN)) as client:
        began = time.monotonic()
        answer = client.post("/gradio_api/call/export", json={"data": [None, "raw", None]})
        assert answer.status_code == 200, answer.text
        text = client.get(f"/gradio_api/call/export/{answer.json()['event_id']}").text
        found.slowest_s = max(found.slowest_s, time.monotonic() - began)
        assert SECRET in text, text[:2000]


def _file(path: str) -> dict[str, object]:
    return {"path": path, "meta": {"_type": "gradio.FileData"}, "orig_name": "x.json"}


_FIELDS = (
    "id", "name", "text", "title", "tags", "query", "message", "base", "mark", "case", "arm", "run", "session",
    "key", "spec", "rules", "draft",
)  # fmt: skip
_ACTS = ("edit", "branch", "delete", "code", "copy", "continue", "regenerate", "answer", "x")
_WORDS = (
    "", "x", "weather", "minimal", "now", "parse", "json", "auto", "raw", "0", "-1", "../x", "/etc/passwd", "%", "'",
    "\0", "🦉", "scripted:x", "embedded", "x" * 400,
)  # fmt: skip
_TEXTS = (
    "", "hi", "{}", "[]", "null", "[1, {", '{"a": 1}', "- id: a\n  prompt: hi\n", "a: &x [*x]", "!!python/name:os.system",
    '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]',
    '[{"type": "function", "function": {"name": 5, "parameters": []}}]', "---\ntitle: A\nfamily: x\n---\n{{ tools }}",
    "{% for x in y %}", "{{ 1/0 }}", "<tool_call>\n{\"name\": \"now\"", "a = b\nc", "NaN", "1e999", "\ufeff",
)  # fmt: skip
_HOSTILE: tuple[object, ...] = (
    None, True, False, 0, -1, 1.5, 1e308, float("nan"), float("inf"), 2**70, 10**30, "", "\0", "\ud800", "x" * 100_000,
    [], {}, [[]], [None], [{}], {"a": {"b": []}}, DEEP, [DEEP], {"x": DEEP}, {"__type__": "update", "value": 1},
    {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}, [{"path": "/etc/passwd"}], {"path": 5},
    {"value": 1}, {"id": []}, list(range(200)), "NaN", "[" * 5000, '{"a":' * 500, {"url": "http://127.0.0.1:9/x", "path": "x"},
)  # fmt: skip
_BODY_FIELDS = (
    "fn_index", "session_hash", "trigger_id", "event_id", "batched", "simple_format", "oauth_token", "event_data",
)  # fmt: skip
_ROUTES = (
    "on_begin",
    "on_settle",
    "on_stop",
    "on_use",
    "on_give",
    "on_page",
    "on_watch",
    "parse",
    "x",
    "",
    "js_fn",
)
