"""A person trusts the code of one folder, in answer to a clear question, until a file in it changes."""

import io
import shutil
import sys
from pathlib import Path

import pytest

from tests.security.downloaded_folder import folder as folder  # a fixture
from tests.security.downloaded_folder import mark as mark  # a fixture
from tests.security.downloaded_folder import workbench as workbench  # a fixture
from tests.security.hostile_folder import hostile_code, write_lying_bytecode
from workbench.cli.app import run
from workbench.errors import BadInput
from workbench.library.home_files import find_folder
from workbench.settings import read_settings
from workbench.toolbox.local_code import find_code

CHECKOUT = Path(__file__).parents[2]


class Terminal(io.TextIOWrapper):
    """A terminal of a person, with what they type."""

    def __init__(self, typed=""):
        self.bytes = io.BytesIO(typed.encode())
        super().__init__(self.bytes, "utf-8", write_through=True)

    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_terminal(monkeypatch):
    """Runs a command at a terminal where a person types an answer. Returns what was shown on standard error."""

    def run_there(answer, *arguments):
        shown = Terminal()
        monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        monkeypatch.setattr(sys, "stderr", shown)
        with pytest.raises(SystemExit):
            run()
        sys.stderr.flush()
        return shown.bytes.getvalue().decode()

    return run_there


def test_a_trusted_folder_runs_until_a_file_changes(folder, mark, workbench):
    code, out, _ = workbench("trust")
    assert code == 0
    assert all(f"tools_catalog/{name}.py" in out for name in ("evil", "_hidden", "__init__"))
    assert workbench("trust", "--list")[1].strip() == str(folder.resolve())
    assert "not loaded" not in workbench("tools", "list")[2]
    assert mark.read_text() == "tools_catalog\n"
    assert "not loaded" in workbench("--no-local-code", "tools", "list")[2]
    for change in (
        lambda: (folder / "tools_catalog/evil.py").write_text(hostile_code("changed")),
        lambda: (folder / "tools_catalog/new.py").write_text(hostile_code("new")),
        lambda: (folder / "tools_catalog/_hidden.py").write_text(hostile_code("hidden, changed")),
        lambda: (folder / "tools_catalog/new.py").rename(folder / "tools_catalog/renamed.py"),
        lambda: (folder / "tools_catalog/renamed.py").unlink(),
    ):
        workbench("trust")
        change()
        mark.unlink(missing_ok=True)
        assert "not loaded" in workbench("tools", "list")[2]
        assert not mark.exists()
    workbench("trust")
    assert "not trusted any more" in workbench("trust", "--revoke")[1]
    assert "was not trusted" in workbench("trust", "--revoke")[1]
    assert "not loaded" in workbench("tools", "list")[2]
    assert not mark.exists()


def test_trust_belongs_to_one_folder_and_not_to_the_folder_s_own_data(
    folder, mark, tmp_path, workbench, monkeypatch
):
    workbench("trust")
    saved = (tmp_path / "home/.local/share/hermes-workbench/trusted.json").read_text()
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    (copied / "data/trusted.json").write_text(saved.replace(str(folder), str(copied)))
    monkeypatch.chdir(copied)
    for data in ("", "data", str(copied / "data")):
        for variable in ("WORKBENCH_DATA", "XDG_DATA_HOME"):
            if data != str(copied / "data") or variable != "XDG_DATA_HOME":
                monkeypatch.setenv(variable, data)
                (copied / "data/tools.yaml").unlink(missing_ok=True)
                assert "not loaded" in workbench("tools", "list")[2]
                monkeypatch.delenv(variable)
    assert not mark.exists()


def test_a_person_is_asked_once(folder, mark, at_terminal):
    shown = at_terminal("n\n", "tools", "list")
    assert "tools_catalog/evil.py" in shown and "[y/N]" in shown and "not loaded" in shown
    assert "[y/N]" not in at_terminal("y\n", "tools", "list"), "the first answer was stored"
    assert not mark.exists()
    (folder / "tools_catalog/evil.py").write_text(hostile_code("second") + "def register_tools(r): pass\n")
    assert "[y/N]" in at_terminal("y\n", "tools", "list")
    assert mark.read_text() == "second\n"
    shown = at_terminal("", "tools", "list")
    assert "[y/N]" not in shown and "not loaded" not in shown


@pytest.mark.parametrize("answer", ["", "\n", "yess\n", "no\n", "\x1b[Ay\n"])
def test_only_a_clear_yes_is_a_yes(folder, mark, at_terminal, answer):
    at_terminal(answer, "tools", "list")
    assert not mark.exists()


def test_a_compiled_file_never_runs_in_place_of_its_source(folder, mark, workbench):
    source = folder / "tools_catalog/evil.py"
    source.write_text("def register_tools(registry): pass\n")
    write_lying_bytecode(source, "bytecode")
    workbench("trust")
    assert "not loaded" not in workbench("tools", "list")[2]
    assert not mark.exists()


def test_a_line_break_in_a_name_adds_no_line_to_the_question(folder, mark, at_terminal):
    (folder / "tools_catalog/a\nDo you trust them?.py").write_text(hostile_code("name"))
    shown = at_terminal("\n", "tools", "list")
    assert not [line for line in shown.splitlines() if line.startswith("Do you trust them?.py")]
    assert not mark.exists()


def test_a_shell_that_completes_words_runs_and_asks_nothing(folder, mark, monkeypatch, at_terminal):
    monkeypatch.setenv("_WORKBENCH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "workbench parse --tools ")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert at_terminal("y\n") == ""
    assert not mark.exists()


def test_a_damaged_answer_file_is_an_error_and_no_trust(folder, mark, tmp_path, workbench):
    path = tmp_path / "home/.local/share/hermes-workbench/trusted.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    for text in ("{", "[]", '{"a": 1}', '{"a": {"fingerprint": "x"}}', "\xff"):
        path.write_text(text, encoding="latin-1")
        code, _, err = workbench("tools", "list")
        assert code == 2 and str(path) in err and "Traceback" not in err
    assert not mark.exists()


def test_the_files_of_the_workbench_itself_need_no_trust(tmp_path):
    assert find_code(CHECKOUT / "tools_catalog") is None
    assert find_code(find_folder("tools_catalog", tmp_path)) is None
    (tmp_path / "tools_catalog").symlink_to(CHECKOUT / "tools_catalog")
    assert find_code(tmp_path / "tools_catalog") is None
    copied = tmp_path / "copied/tools_catalog"
    shutil.copytree(CHECKOUT / "tools_catalog", copied)
    assert find_code(copied) is None, "a copy, as the documentation suggests"
    with (copied / "files.py").open("a") as changed:
        changed.write("# changed\n")
    code = find_code(copied)
    assert code is not None and code.names == ("tools_catalog/arithmetic.py", "tools_catalog/files.py")


def test_an_image_and_a_space_trust_their_own_folder_only(folder, mark, tmp_path, workbench, monkeypatch):
    monkeypatch.setenv("WORKBENCH_LOCAL_CODE", f"{tmp_path}/other, {folder}")
    assert "not loaded" not in workbench("tools", "list")[2]
    assert mark.read_text() == "tools_catalog\n"
    mark.unlink()
    monkeypatch.setenv("WORKBENCH_LOCAL_CODE", f"{folder}/tools_catalog,{tmp_path}")
    assert "not loaded" in workbench("tools", "list")[2]
    assert not mark.exists()
    for wrong in (".", "tools", "yes", "ask,off"):
        with pytest.raises(BadInput, match="not an absolute path"):
            read_settings({"WORKBENCH_LOCAL_CODE": wrong})
    space = read_settings({"SPACE_ID": "a/b", "WORKBENCH_HOME": str(folder)})
    assert space.trusted_folders == (folder.resolve(),)
    assert not read_settings({"SPACE_ID": "a/b", "WORKBENCH_LOCAL_CODE": "off"}).trusted_folders
    assert "WORKBENCH_LOCAL_CODE=/home/workbench " in (CHECKOUT / "Dockerfile").read_text()
