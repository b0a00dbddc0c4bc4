"""What a reader of a page has at hand when the lines of that page are typed."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

from tests.engines.hub.hub_server import hub_server
from tests.engines.remote import scripted_server as servers
from tests.records.corpus.sessions import begin, label, said, talk
from tests.services import CHECKOUT, services_for
from workbench.app.services import Services

QUESTION = "What is the flumbuster reading for cairo?"
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'


@dataclass
class Given:
    """What stands in the folder, what the environment says, and what of a line is put otherwise."""

    folder: Path
    shell: Callable[..., CompletedProcess[str]]
    variables: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """Words of the page, and what a reader would have in their place."""

    def run(self, lines: str) -> str:
        """Types lines as this reader has them; what was printed."""
        for word, other in self.words.items():
            lines = lines.replace(word, other)
        done = self.shell(lines, **self.variables)
        assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout


Filler = Callable[[Services, Given], None]


def nothing(_services: Services, _given: Given) -> None:
    """One session."""


def rows(*names: str) -> Filler:
    """Files of generated rows."""
    return lambda _, given: _write_rows(given, names)


def _write_rows(given: Given, names: tuple[str, ...]) -> None:
    """Forty rows a file; those of a name with `test` are of the test split."""
    for seed, name in enumerate(names):
        split = "test" if "test" in name else "train"
        given.run(f"workbench synth --seed {seed} --count 40 --split {split} --out {name}")


def judged(services: Services, _given: Given) -> None:
    """A dozen good answers, and two to one question, rated apart."""
    for number in range(12):
        session, path = talk(services, question=f"Weather in Rome on day {number}?")
        label(services, session, path[-1].id, rating=5)
    session, path = begin(services, ("user", "Which city is this?"), ("model", "Rome."))
    worse = services.sessions.append(session, said("model", "I do not care."), parent_id=path[-2].id)
    label(services, session, path[-1].id, rating=5)
    label(services, session, worse.id, rating=1)


def labelled(_services: Services, given: Given) -> None:
    """Rows that were imported, and one of them labelled."""
    _write_rows(given, ("handed-over.jsonl",))
    told = json.loads(given.run("workbench import handed-over.jsonl --tag batch-1 --queue --json"))
    given.run(f"workbench labels move {told['rows'][0]['session']} done")


def another_disk(_services: Services, given: Given) -> None:
    """Another place for backups."""
    (given.folder / "other").mkdir()
    given.words["/mnt/other/"] = f"{given.folder / 'other'}/"


def versions_label_and_run(services: Services, given: Given) -> None:
    """Three versions of a contract, a message to label and its correction, files of rows, a run."""
    session = services.sessions.list_sessions(limit=1)[0].id
    call = next(kept for kept in services.sessions.path(session) if kept.message.text == CALL)
    (given.folder / "call.json").write_text('{"name": "get_flumbuster", "arguments": {"flumb": "Cairo"}}')
    _write_rows(given, ("train.jsonl", "test.jsonl.gz", "rows.jsonl"))
    contract = given.folder / "home/prompts/contracts/minimal.md"
    given.run("workbench versions list")
    for line in ("Be brief.", "Be kind."):
        contract.write_text(f"{contract.read_text()}{line}\n")
        given.run("workbench versions list")
    report = json.loads(given.run("workbench run nonsense --json-out -"))
    given.words |= {"SESSION": session, "MESSAGE": call.id, "736c62": report["run"]}


def the_page_s_file(_services: Services, given: Given) -> None:
    """The toolset that the page shows, in the catalog."""
    page = (CHECKOUT / "docs/how-to/mock-a-tool.md").read_text(encoding="utf-8")
    file = page.split("```yaml\n")[1].split("```")[0]
    (given.folder / "home/tools_catalog/shop.yaml").write_text(file, encoding="utf-8")


FILLED: Mapping[str, Filler] = {
    "how-to/convert-a-data-set": rows("traces.jsonl"),
    "how-to/export-training-rows": judged,
    "how-to/import-and-label-rows": labelled,
    "how-to/keep-the-data-safe": another_disk,
    "how-to/mock-a-tool": the_page_s_file,
    "reference/cli": versions_label_and_run,
}
"""Pages whose lines name what was there before them."""


@contextmanager
def given_to(page: str, folder: Path, shell: Callable[..., CompletedProcess[str]]) -> Iterator[Given]:
    """A home, a scripted model, a session, a server and a hub on loopback; then what that page takes for granted."""
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
