"""The files, sessions and servers that the command lines of a page assume."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from textwrap import dedent

from tests.engines.hub.hub_server import hub_server
from tests.engines.remote import scripted_server as servers
from tests.exchanges import Agent, answered
from tests.records.corpus.sessions import begin, label, said, talk
from tests.services import CHECKOUT, services_for
from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.records.corpus.material import NewImport
from workbench.records.labels.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import Owner, account_key
from workbench.store.rows import new_id

QUESTION = "What is the flumbuster reading for cairo?"
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


@dataclass
class Given:
    """The folder, the environment variables, and replacements for words in the lines of a page."""

    folder: Path
    shell: Callable[..., CompletedProcess[str]]
    variables: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """Words of the page to their replacements, such as a session ID for `SESSION`."""

    def run(self, lines: str) -> str:
        """Run lines with the words replaced, and return standard output."""
        for word, other in self.words.items():
            lines = lines.replace(word, other)
        done = self.shell(lines, **self.variables)
        assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout


Filler = Callable[[Services, Given], None]


def nothing(_services: Services, _given: Given) -> None:
    """Add nothing: the page assumes only one session."""


def rows(*names: str) -> Filler:
    """Return a function that writes files of generated rows."""
    return lambda _, given: _write_rows(given, names)


def _write_rows(given: Given, names: tuple[str, ...]) -> None:
    """Write forty rows to each file. A file with `test` in its name has rows of the split `test`."""
    for seed, name in enumerate(names):
        split = "test" if "test" in name else "train"
        given.run(f"workbench synth --seed {seed} --count 40 --split {split} --out {name}")


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


def versions_label_and_run(services: Services, given: Given) -> None:
    """Create three versions of a contract, a preset, a message to label with its correction, row files and a run."""
    _save_preset(services, "weather formal")
    session = services.sessions.list_sessions(limit=1)[0].id
    call = next(stored for stored in services.sessions.path(session) if stored.message.text == CALL)
    (given.folder / "call.json").write_text('{"name": "get_flumbuster", "arguments": {"flumb": "Cairo"}}')
    _write_rows(given, ("train.jsonl", "test.jsonl.gz", "rows.jsonl"))
    contract = given.folder / "home/prompts/contracts/minimal.md"
    given.run("workbench versions list")
    for line in ("Be brief.", "Be kind."):
        contract.write_text(f"{contract.read_text()}{line}\n")
        given.run("workbench versions list")
    report = json.loads(given.run("workbench run nonsense --json-out -"))
    given.words |= {"SESSION": session, "MESSAGE": call.id, "736c62": report["run"]}


def toolset_of_the_page(_services: Services, given: Given) -> None:
    """Add the toolset that the page shows to the catalog."""
    page = (CHECKOUT / "docs/how-to/mock-a-tool.md").read_text(encoding="utf-8")
    file = page.split("```yaml\n")[1].split("```")[0]
    (given.folder / "home/tools_catalog/shop.yaml").write_text(file, encoding="utf-8")


def recorded(services: Services, given: Given) -> None:
    """Record the conversation of the page, as the gateway that the page starts does."""
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    agent, answer = Agent(tag="agent"), answered(call)
    request = agent.request(Message(role=Role.USER, text="What is the weather in Rome?"))
    stored = services.recordings.record(new_id(), request, answer)
    given.words |= {"SESSION": stored.session_id, "MESSAGE": stored.message_id}
    agent.got(answer)
    result = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")
    services.recordings.record(stored.session_id, agent.request(result), answered("It is 31 degrees."))


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
    own.labels.save(NewLabel(target=target, content=LabelContent(verdict=Verdict.GOOD), labeller="ann"))


FILLED: Mapping[str, Filler] = {
    "how-to/convert-a-data-set": rows("traces.jsonl", "synth.jsonl"),
    "how-to/export-training-rows": judged,
    "how-to/import-and-label-rows": labelled,
    "how-to/label-as-a-team": team_rows,
    "how-to/keep-setups-as-presets": preset("formal"),
    "how-to/keep-the-data-safe": another_disk,
    "how-to/mock-a-tool": toolset_of_the_page,
    "how-to/record-an-agent": recorded,
    "how-to/run-over-rows": preset_and_csv_of_the_page,
    "reference/cli": versions_label_and_run,
}
"""Pages whose command lines need more than one session."""


@contextmanager
def given_to(page: str, folder: Path, shell: Callable[..., CompletedProcess[str]]) -> Iterator[Given]:
    """Provide a home folder, a scripted model, a session, a local server and hub, and what the page assumes."""
    home = folder / "home"
    for name in ("prompts", "tools_catalog"):
        shutil.copytree(CHECKOUT / name, home / name)
    given = Given(folder, shell, {"WORKBENCH_HOME": str(home)})
    files = {"Hermes-3-Llama-3.1-8B.Q4_K_M.gguf": b"GGUF" * 5000}
    with hub_server(files) as hub, servers.scripted_server(servers.said("Hello.")) as server:
        hub.repository = "NousResearch/Hermes-3-Llama-3.1-8B-GGUF"
        given.variables |= {
            "WORKBENCH_MODEL": f"scripted:{folder / 'script.yaml'}",
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(folder / "hf"),
        }
        given.words["http://127.0.0.1:8000/v1"] = server.url
        with services_for(folder, CALL, "The reading is 31.") as (services, play):
            play(QUESTION)
            FILLED.get(page, nothing)(services, given)
        yield given
