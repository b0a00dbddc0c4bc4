"""The files, sessions and servers that the command lines of a page assume."""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.docs.conftest import Shell
from tests.engines.hub.hub_server import hub_server
from tests.engines.remote.scripted_server import scripted_server
from tests.gateway.test_command import free_port, running
from tests.peers.fake_servers import LLAMA_SERVER, fake_server
from tests.records.corpus.sessions import begin, label, said, talk
from tests.services import CHECKOUT, services_for
from tests.trajectory.formats.agent_logs import CLAUDE_CODE, CODEX, lines_of
from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.records.corpus.material import NewImport
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import Owner, account_key
from workbench.records.versions import NewVersion, VersionKind

QUESTION = "What is the flumbuster reading for cairo?"
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'

CANDIDATE = "minimal #1d045d"
"""The candidate that pages take over. Which ones a search has is known when it has run."""


@dataclass
class Given:
    """The folder, the environment variables, and replacements for words in the lines of a page."""

    folder: Path
    shell: Shell
    variables: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """Words of the page to their replacements, such as a session ID for `SESSION`."""
    servers: ExitStack = field(default_factory=ExitStack)
    """The server that a line of the page started. The next one replaces it."""

    def run(self, lines: str) -> str:
        """Run lines with the words replaced, and return standard output."""
        done = self.shell(self._filled(lines), **self.variables)
        assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout

    def serve(self, line: str) -> None:
        """Start the gateway of a line, on a free port in place of the page's. It runs until the next one."""
        self.servers.close()
        port = str(free_port())
        self.words["127.0.0.1:7861"] = f"127.0.0.1:{port}"
        variables = self.variables | {"WORKBENCH_GATEWAY_PORT": port}
        self.servers.enter_context(running(self._filled(line), self.shell.environment(**variables)))

    def _filled(self, lines: str) -> str:
        """Replace the words of the page. IDs that are not known yet are those that the commands of the page print."""
        if re.search(r"\bSESSION\b", lines) and "SESSION" not in self.words:
            self.words["SESSION"] = self._json("workbench sessions list --json")["sessions"][0]["session"]
        if re.search(r"\bMESSAGE\b", lines) and "MESSAGE" not in self.words:
            messages = self._json(f"workbench sessions show {self.words['SESSION']} --json")["messages"]
            self.words["MESSAGE"] = next(message["id"] for message in messages if message["calls"])
        if CANDIDATE in lines:
            printed = self.run("workbench improve --resume last")
            self.words[CANDIDATE] = re.findall(r"minimal #\w+", printed)[0]
        for word, other in self.words.items():
            lines = lines.replace(word, other)
        return lines

    def _json(self, line: str) -> dict[str, Any]:
        return json.loads(self.run(line))


Filler = Callable[[Services, Given], None]


def nothing(_services: Services, _given: Given) -> None:
    """Add nothing: the page assumes only one session."""


def _write_rows(given: Given, names: tuple[str, ...]) -> None:
    """Write forty rows to each file. A file with `test` in its name has rows of the split `test`."""
    for seed, name in enumerate(names):
        split = "test" if "test" in name else "train"
        given.run(f"workbench synth --seed {seed} --count 40 --split {split} --out {name}")


def two_versions(_services: Services, given: Given) -> None:
    """Write two versions of a data set."""
    _write_rows(given, ("train-1.jsonl", "train-2.jsonl"))


def rows_and_agent_logs(_services: Services, given: Given) -> None:
    """Write row files, and a session of each agent whose folder the page names."""
    _write_rows(given, ("traces.jsonl", "synth.jsonl"))
    for name, log in ((".claude/projects/shop/one.jsonl", CLAUDE_CODE), (".codex/sessions/two.jsonl", CODEX)):
        (given.folder / name).parent.mkdir(parents=True)
        (given.folder / name).write_bytes(lines_of(*log))


def judged(services: Services, _given: Given) -> None:
    """Add twelve good answers, and two answers to one question with different ratings."""
    for number in range(12):
        session, path = talk(services, question=f"Weather in Rome on day {number}?")
        label(services, session, path[-1].id, rating=5)
    session, path = begin(services, ("user", "Which city is this?"), ("model", "Rome."))
    worse = services.sessions.append(session, said("model", "I do not care."), parent_id=path[-2].id)
    label(services, session, path[-1].id, rating=5)
    label(services, session, worse.id, rating=1)


def labelled(_services: Services, given: Given) -> None:
    """Import rows, and label one of them."""
    _write_rows(given, ("handed-over.jsonl",))
    imported = json.loads(given.run("workbench import handed-over.jsonl --tag batch-1 --queue --json"))
    given.run(f"workbench labels move {imported['rows'][0]['session']} done")


def preset(name: str) -> Filler:
    """Return a function that saves the default setup as a preset, as the page does: commands cannot save one."""
    return lambda services, _given: _save_preset(services, name)


def _save_preset(services: Services, name: str) -> None:
    services.presets.save_preset(name, services.setup_for())


def preset_and_csv_of_the_page(services: Services, given: Given) -> None:
    """Save the rows that the page shows as `cities.csv`, and the preset that its command lines use."""
    page = (CHECKOUT / "docs/how-to/run-over-rows.md").read_text(encoding="utf-8")
    rows_text = dedent(page.split("```csv\n")[1].split("```")[0])
    (given.folder / "cities.csv").write_text(rows_text, encoding="utf-8")
    _save_preset(services, "formal")


def another_disk(_services: Services, given: Given) -> None:
    """Create another folder for backups."""
    (given.folder / "other").mkdir()
    given.words["/mnt/other/"] = f"{given.folder / 'other'}/"


def orders(services: Services, given: Given) -> None:
    """Save a suite `orders`, and a session with a call and the tag `good`."""
    text = (CHECKOUT / "prompts/suites/everyday.yaml").read_text(encoding="utf-8")
    named = text.replace("suite: everyday", "suite: orders")
    services.versions.save(NewVersion(kind=VersionKind.SUITE, name="orders", text=named))
    session = services.sessions.list_sessions(limit=1)[0].id
    answer = services.sessions.path(session)[-1].id
    label(services, session, answer, tags=("good",))
    given.words["openai:my-8b"] = given.variables["WORKBENCH_MODEL"]


def versions_label_and_run(services: Services, given: Given) -> None:
    """Create three versions of a contract, a preset, a message to label with its correction, row files and a run."""
    _save_preset(services, "weather formal")
    orders(services, given)
    session = services.sessions.list_sessions(limit=1)[0].id
    call = next(stored for stored in services.sessions.path(session) if stored.message.text == CALL)
    (given.folder / "call.json").write_text('{"name": "get_flumbuster", "arguments": {"flumb": "Cairo"}}')
    _write_rows(given, ("train.jsonl", "test.jsonl.gz", "rows.jsonl", "train-1.jsonl", "train-2.jsonl"))
    contract = given.folder / "home/prompts/contracts/minimal.md"
    given.run("workbench versions list")
    for line in ("Be brief.", "Be kind."):
        contract.write_text(f"{contract.read_text()}{line}\n")
        given.run("workbench versions list")
    runs = [json.loads(given.run("workbench run nonsense --json-out -"))["run"] for _ in range(2)]
    # The last run of the page is of another suite.
    given.words |= {"736c62 last": " ".join(runs), "736c62": runs[0], "SESSION": session, "MESSAGE": call.id}


def toolset_of_the_page(_services: Services, given: Given) -> None:
    """Add the toolset that the page shows to the catalog."""
    page = (CHECKOUT / "docs/how-to/mock-a-tool.md").read_text(encoding="utf-8")
    file = page.split("```yaml\n")[1].split("```")[0]
    (given.folder / "home/tools_catalog/teahouse.yaml").write_text(file, encoding="utf-8")


def team_rows(services: Services, _given: Given) -> None:
    """Import sixty rows of Ann's with the tag `batch-1`, and one that she has labelled, with the tag `known`."""
    own = services.store.of(Owner(key=account_key("ann"), name="ann"))
    for number in range(1, 62):
        texts = ((Role.USER, f"Question {number}?"), (Role.ASSISTANT, f"Answer {number}."))
        new = NewImport(
            setup=services.setup_for(),
            messages=tuple(Message(role=role, text=text) for role, text in texts),
            format="openai",
            fields={"messages": [{"role": role.value, "content": text} for role, text in texts]},
            file="rows.jsonl",
            number=number,
            tags=("batch-1" if number < 61 else "known",),
        )
        session = own.corpus.add_import(new, digest=f"{number:064}")
    answer = own.sessions.path(session)[-1]
    target = LabelTarget(session_id=session, message_id=answer.id)
    own.labels.save(NewLabel(target=target, content=LabelContent(verdict=Verdict.GOOD), annotator="ann"))


def tool_file_of_the_page(_services: Services, given: Given) -> None:
    """Add the tool file that the page shows to the catalog."""
    page = (CHECKOUT / "docs/how-to/add-a-tool-file.md").read_text(encoding="utf-8")
    file = page.split("```python\n")[1].split("```")[0]
    (given.folder / "home/tools_catalog/greetings.py").write_text(file, encoding="utf-8")


FRESH = frozenset({"how-to/record-an-agent"})
"""Pages that begin with an empty folder: their own commands make the sessions."""
FILLED: Mapping[str, Filler] = {
    "how-to/add-a-tool-file": tool_file_of_the_page,
    "how-to/convert-a-data-set": rows_and_agent_logs,
    "how-to/export-training-rows": judged,
    "how-to/import-and-label-rows": labelled,
    "how-to/label-as-a-team": team_rows,
    "how-to/improve-a-contract": orders,
    "how-to/look-at-a-data-set": two_versions,
    "how-to/keep-setups-as-presets": preset("formal"),
    "how-to/keep-the-data-safe": another_disk,
    "how-to/mock-a-tool": toolset_of_the_page,
    "how-to/run-over-rows": preset_and_csv_of_the_page,
    "reference/cli": versions_label_and_run,
}
"""Pages whose command lines need more than one session."""


@contextmanager
def given_to(page: str, folder: Path, shell: Shell) -> Iterator[Given]:
    """Provide a home folder, a scripted model, a session, a local server and hub, and what the page assumes."""
    home = folder / "home"
    for name in ("prompts", "tools_catalog"):
        shutil.copytree(CHECKOUT / name, home / name)
    given = Given(folder, shell, {"WORKBENCH_HOME": str(home)})
    files = {"Hermes-3-Llama-3.1-8B.Q4_K_M.gguf": b"GGUF" * 5000}
    with hub_server(files) as hub, scripted_server(fake_server(LLAMA_SERVER, free="Hello.")) as server:
        hub.repository = "NousResearch/Hermes-3-Llama-3.1-8B-GGUF"
        given.variables |= {
            "WORKBENCH_MODEL": f"scripted:{folder / 'script.yaml'}",
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(folder / "hf"),
        }
        given.words["http://127.0.0.1:8000/v1"] = server.url
        with services_for(folder, CALL, "The reading is 31.") as (services, play):
            if page not in FRESH:
                play(QUESTION)
            FILLED.get(page, nothing)(services, given)
        with given.servers:
            yield given
