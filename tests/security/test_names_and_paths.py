"""Names that visitors send never become paths: no file is opened, and no answer reveals whether one exists."""

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from tests.services import services_for
from workbench.app.api.functions import ApiFunctions
from workbench.app.comparisons.planning import ColumnRequest, compare_question
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.suites import check_suite_text, load_suite
from workbench.app.services import Services
from workbench.engines.adapters import AdapterFiles, is_plain
from workbench.engines.hub.gguf_hub import GgufHub
from workbench.engines.hub.hub_models import parse_hub_name
from workbench.errors import BadInput, WorkbenchError
from workbench.library.datasets.hub_push import push_files
from workbench.records.owner import Owner
from workbench.records.versions import NewVersion, VersionKind, check_name
from workbench.ui.owners import caller_of
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.contracts_tab import ContractEvents, contract_texts
from workbench.ui.tabs.data.form import DataForm
from workbench.ui.tabs.inspect import InspectEvents
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.suites.edit_events import SuiteEditEvents, suite_texts

pytestmark = pytest.mark.slow

REQUEST = cast(
    gr.Request, SimpleNamespace(headers={"x-workbench-key": "a" * 32}, session_hash="t", username="ann")
)
VISITOR = TabState(browser_key="browser:ann")
SECRET = "secret_of_the_server"
TOOLS = json.dumps([{"name": SECRET, "parameters": {"type": "object", "properties": {}}}])
CONTRACT = f"---\ntitle: {SECRET}\nfamily: hermes-lines\n---\n{SECRET}\n"
FILES = {
    "x.json": TOOLS,
    "x.yaml": f"suite: x\ncases:\n- id: {SECRET}\n  prompt: Hi\n  expect: [no_call: true]\n",
    "x.md": CONTRACT,
    "x.csv": f"a\n{SECRET}\n",
    "x.jsonl": json.dumps({"prompt": SECRET}),
    "x.gguf": "GGUF",
    "x": SECRET,
}
_opened: list[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is not None and event in ("open", "os.listdir", "os.scandir") and arguments:
        _opened.append(os.fsdecode(cast(Any, arguments[0])) if not isinstance(arguments[0], int) else "")


sys.addaudithook(_watch)


@contextmanager
def opened() -> Generator[list[str]]:
    """Record the paths that this process opens."""
    global _opened
    _opened = found = []
    try:
        yield found
    finally:
        _opened = None


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that no name may lead to: `folder_0` has files, `folder_1` is empty."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "folder_0").mkdir()
    (folder / "folder_1").mkdir()
    for name, text in FILES.items():
        (folder / "folder_0" / name).write_text(text, encoding="utf-8")
    (folder / "folder_0" / "link.json").symlink_to(folder / "folder_0" / "x.json")
    return folder


@pytest.fixture(scope="module", params=["laptop", "team", "space"])
def services(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Services]:
    folder = tmp_path_factory.mktemp(str(request.param))
    with services_for(folder, "Hello.") as (opened_services, _):
        accounts = {"ann": "x"} if request.param == "team" else {}
        settings = replace(opened_services.settings, is_on_space=request.param == "space", accounts=accounts)
        cast(Any, opened_services.models)._takes_paths = not settings.is_on_space
        (settings.data / "adapters").mkdir(parents=True, exist_ok=True)
        yield replace(opened_services, settings=settings).of(Owner(key="browser:ann"))


def api(own: Services) -> ApiFunctions:
    """Return the functions for programs, as a visitor calls them."""
    return ApiFunctions(own.of(caller_of(own.settings, REQUEST)))


def path_names(folder: Path) -> list[str]:
    """Return ways to write paths of files in a folder, relative to the current folder and to others."""
    up = "../" * 12
    plain = [str(folder / name) for name in (*FILES, "link.json")]
    inside = str(folder).lstrip("/")
    odd = [
        f"{folder}/x.json/",
        f"{folder}/x.json/.",
        f"{folder}/./x.json",
        f"{folder}//x.json",
        f"{folder}/../{folder.name}/x.json",
        f"/{folder}/x.json",
        f"file://{folder}/x.json",
        f"file:{folder}/x.json",
        f"~/../{inside}/x.json",
        f"~root/../{inside}/x.json",
        f"~nobody-here{folder}/x.json",
        f"{folder}/x.json\0",
        f"{folder}/x.json\0.yaml",
        f" {folder}/x.json",
        f"{folder}/x.json ",
        f"{folder}/x.json\n",
        f"\\\\host\\share{str(folder).replace('/', chr(92))}\\x.json",
        str(folder / "x.json").replace("/", "\\"),
        f"C:{folder}/x.json",
        f"%2F{inside.replace('/', '%2F')}%2Fx.json",
        f"{folder}/%78.json",
        f"{folder}/x.json@1",
        f"{folder}/x@production",
        f"contract:{folder}/x",
        f"scripted:{folder}/x.yaml",
        f"replay:{folder}/x.jsonl",
        f"embedded+{folder}/x.gguf",
        f"hf:owner/name/{folder}/x.gguf",
        f"hf:owner/name//{inside}/x.gguf",
        f"hf:../{inside}/x.gguf",
        f"openai:{folder}/x.gguf",
        f"zerogpu:{folder}/x.gguf",
        f"{folder}/{'y' * 300}/../x.json",
        f"{folder}/x",
        f"/proc/self/root{folder}/x.json",
        f"/dev/fd/../..{folder}/x.json",
        f"{folder}/*.json",
        f"{folder}/x.json;x.json",
    ]
    up_names = [f"{up}{inside}/{name}" for name in FILES]
    named = [
        f"{prefix}{up}{inside}/x" for prefix in ("scripted:", "replay:", "embedded+", "contracts/", "suites/")
    ]
    return [*plain, *odd, *up_names, *named, "CON", "nul.json", "aux", "/dev/stdin", "/dev/zero", "x" * 5000]


def _suite(field: str, name: str) -> str:
    case: dict[str, object] = {"id": "a", "prompt": "Hi", "expect": [{"no_call": True}]}
    if field == "rows":
        case = {"template": {"rows": name}, **case}
    else:
        case[field] = [name]
    return json.dumps({"suite": "s", "cases": [case]})


Asked = Callable[[Services, str], object]
EVERYWHERE: Mapping[str, Asked] = {
    "the toolset of Play": lambda own, name: SetupEvents(own).on_toolset(VISITOR, [name], REQUEST),
    "the toolset of Inspect": lambda own, name: InspectEvents(own).on_toolset(VISITOR, name, REQUEST),
    "the toolset of Contracts": lambda own, name: ContractEvents(own, contract_texts(own)).on_text(
        VISITOR, "minimal", CONTRACT, name, "", REQUEST
    ),
    "the contract of Play": lambda own, name: SetupEvents(own).on_contract(VISITOR, name, REQUEST),
    "a contract that is opened": lambda own, name: contract_texts(own).on_open(
        VISITOR, REQUEST, gr.EventData(None, {"name": name, "is_draft": False, "is_new": False})
    ),
    "a suite that is opened": lambda own, name: suite_texts(own).on_open(
        VISITOR, REQUEST, gr.EventData(None, {"name": name, "is_draft": False, "is_new": False})
    ),
    "a new suite from sessions": lambda own, name: SuiteEditEvents(own, suite_texts(own)).on_open(
        VISITOR,
        REQUEST,
        gr.EventData(None, {"name": name, "is_draft": False, "is_new": True, "tag": "agent"}),
    ),
    "a new contract's name": lambda own, name: contract_texts(own).on_open(
        VISITOR, REQUEST, gr.EventData(None, {"name": name, "is_draft": False, "is_new": True})
    ),
    "a suite": load_suite,
    "tools of a suite": lambda own, name: check_suite_text(own, _suite("tools", name), name="s"),
    "rows of a suite": lambda own, name: check_suite_text(own, _suite("rows", name), name="s"),
    "tools of the catalog": lambda own, name: own.tools.select((name,)),
    "tools of a setup": lambda own, name: own.setup_for(tools=(name,)),
    "a contract of a setup": lambda own, name: own.setup_for(contract=name),
    "a tool in the editor": lambda own, name: own.studio.open_tool(name, own.saved_toolsets()),
    "tools of a comparison": lambda own, name: compare_question(
        own, "Hi", (name,), own.setup_for(), [ColumnRequest(model="m")] * 2
    ),
    "a contract of a comparison": lambda own, name: compare_question(
        own, "Hi", (), own.setup_for(), [ColumnRequest(model="m", contract=name)] * 2
    ),
    "a contract of a run": lambda own, name: plan_run(
        own, RunRequest(suites=("nonsense",), contracts=(name,)), [load_suite(own, "nonsense")]
    ),
    "API parse": lambda own, name: api(own).parse("", tools=[name]),
    "API render": lambda own, name: api(own).render([], family=name, tools=[name]),
    "API check": lambda own, name: api(own).check("{}", format=name),
    "API chat, tools": lambda own, name: api(own).chat("Hi", tools=[name]),
    "API chat, contract": lambda own, name: api(own).chat("Hi", contract=name),
    "API chat, session": lambda own, name: api(own).chat("Hi", session=name),
    "API run, suite": lambda own, name: api(own).run([name]),
    "API run, contract": lambda own, name: api(own).run(["nonsense"], contracts=[name]),
    "API export": lambda own, name: api(own).export(format=name),
    "a version": lambda own, name: [own.versions.find(kind, name) for kind in VersionKind],
    "a version's file": lambda own, name: [own.files.find(kind, name) for kind in VersionKind],
    "rows beside the suites": lambda own, name: own.files.find_rows(name),
    "the shared library": lambda own, name: own.library.load_contract_text(name),
    "how rows are read": lambda own, name: list(own.datasets.read(__file__, name)),
    "a label project": lambda own, name: own.label_projects.find_project(name),
    "a shared session": lambda own, name: own.sharing.find_shared(name),
    "a model of the hub's cache": lambda own, name: GgufHub(wait=lambda _: None).path(name),
}  # fmt: skip
# An adapter's place takes a path, so its event needs the permission to open files: see test_permissions.py.
WHERE_STRANGERS_COME: Mapping[str, Asked] = {
    "a model": lambda own, name: own.engine(name),
    "a model's state": lambda own, name: own.models.status(name),
    "the model of a turn": lambda own, name: api(own).chat("Hi", model=name),
    "an adapter of the embedded model": lambda own, name: own.engine(f"embedded+{name}"),
    "a script": lambda own, name: own.engine(f"scripted:{name}"),
    "a recording": lambda own, name: own.engine(f"replay:{name}"),
}


def answer(asked: Asked, services: Services, name: str) -> str:
    """Return the answer or the error as text."""
    try:
        return repr(asked(services, name))
    except (WorkbenchError, gr.Error) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("what", [*EVERYWHERE, *WHERE_STRANGERS_COME])
def test_a_name_opens_no_file_and_reveals_none(services: Services, secrets: Path, what: str) -> None:
    if what in WHERE_STRANGERS_COME and not services.settings.is_on_space:
        pytest.skip("on your own machine, and for admins, a model may be a path")
    asked = {**EVERYWHERE, **WHERE_STRANGERS_COME}[what]
    answer(asked, services, "nothing of this name")
    names = path_names(secrets / "folder_0")
    assert len(names) >= 40
    # Names are looked up the same way everywhere; where fewer strangers come, every tenth of them is tried.
    step = 1 if services.settings.is_on_space else 10
    start = 5 if services.settings.accounts else 0
    for name, missing in list(zip(names, path_names(secrets / "folder_1"), strict=True))[start::step]:
        with opened() as paths:
            reply = answer(asked, services, name)
        assert not [path for path in paths if str(secrets) in os.path.realpath(path.split("\0")[0])], name
        assert not [path for path in paths if path.startswith(("/dev/std", "/dev/zero"))], name
        assert SECRET not in reply, name
        assert _normalized(reply) == _normalized(answer(asked, services, missing)), name


def _normalized(reply: str) -> str:
    """Remove the character in which the two folders differ, and the time."""
    return re.sub(r"(serial|read_at)=[\d.]+", "time", re.sub(r"folder_[01]", "folder_", reply))


def test_files_can_be_selected_at_the_machine(services: Services, secrets: Path) -> None:
    assert services.tools.select_files((str(secrets / "folder_0" / "x.json"),)).names == (SECRET,)
    with pytest.raises(BadInput, match="one of the toolsets"):
        services.tools.select((str(secrets / "folder_0" / "x.json"),))


def test_only_commands_select_files() -> None:
    folder = Path(__file__).parents[2] / "workbench"
    found = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "select_files(" in path.read_text(encoding="utf-8")
    ]
    assert {name for name in found if not name.startswith("cli/")} == {
        "app/services.py",
        "toolbox/catalog.py",
    }


@pytest.mark.parametrize(
    "name",
    [
        "hf:o/r//etc/passwd.gguf", "hf:o/r/../x.gguf", "hf:o/r/a/../../x.gguf", "hf:../r/x.gguf", "hf:o/../x.gguf",
        "hf:o/r/./x.gguf", "hf:o/r/a\\..\\x.gguf", "hf:o/r/C:x.gguf", "hf:o/r/x\0.gguf", "hf:o/r/~/x.gguf", "hf:///x.gguf",
        "hf:o/r/a//b.gguf", "hf:o/r/" + "x" * 300 + ".gguf", "hf:o/r/x\n.gguf",
    ],
)  # fmt: skip
def test_a_model_of_the_hub_stays_in_its_repository(name: str) -> None:
    with pytest.raises(BadInput, match="not of the form hf:OWNER"):
        parse_hub_name(name)


def test_names_of_hub_models_do_not_change() -> None:
    for name in ("hf:org/repo/sub/m.Q4_K_M.gguf", "hf:Org-1/a.b_c/m (1)+x.gguf", "hf:o/r/.hidden/..m.gguf"):
        assert parse_hub_name(name)


@pytest.mark.parametrize("name", ["a/b", "../a", "a\\b", "C:a", "", ".", "..", "a\0", "/a", "~/a", "a\n"])
def test_a_plain_name_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    assert not is_plain(name)
    with pytest.raises(BadInput):
        AdapterFiles(folder=tmp_path).file(name)


@pytest.mark.parametrize(
    "name", ["a/b", "../a", "a\\b", "C:a", "", ".", "..", "a\0", "a*", "con", "NUL", "Com1", "aux.old", " a", "a.", "x" * 101]
)  # fmt: skip
def test_the_name_of_a_version_is_a_valid_file_name_everywhere(services: Services, name: str) -> None:
    with pytest.raises(BadInput):
        check_name(name)
    for kind in VersionKind:
        with pytest.raises(BadInput):
            services.versions.save(NewVersion(kind=kind, name=name, text="x"))


@pytest.mark.parametrize(
    "ending", ["../x", "jsonl/../../x", "/etc/passwd", "", "exe", "jsonl\0", "..", "json"]
)
def test_a_file_of_rows_has_a_known_extension(ending: str) -> None:
    empty = dict.fromkeys(DataForm._fields, "")
    form = DataForm(**cast(Any, {**empty, "ending": ending, "included": (), "options": (), "seed": 0}))
    with pytest.raises(BadInput, match="choose one of jsonl"):
        form.target("/tmp/rows")


@pytest.mark.parametrize(
    "repo",
    [
        "../x",
        "a/../b",
        "a/b/c",
        "/a/b",
        "a\\b",
        "a/b\0",
        "",
        "http://h/a",
        "a/b?x=1",
        "a/" + "b" * 200,
        "~a/b",
    ],
)
def test_a_repository_name_has_an_owner_and_a_name(repo: str) -> None:
    with pytest.raises(BadInput, match="repository"):
        push_files(repo, {"a": b""}, message="m", token="t", endpoint="http://127.0.0.1:9")
