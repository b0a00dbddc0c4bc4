"""A project that uses the Python API, in an environment of its own, with each version of Python that is here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

CHECKOUT = Path(__file__).parents[2]
PROGRAM = """
from workbench import Stream, check_rows, parse, parse_tools

tools = parse_tools([{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}])
text = '<tool_call>{"name": "now", "arguments": {}}</tool_call>'
names: list[str] = [call.name for call in parse(text, tools=tools).calls]
stream = Stream(tools=tools)
events = [*stream.feed(text)]
row = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}]}
print(names, stream.finish() == parse(text, tools=tools), list(check_rows([row])))
"""
READER = ("jsonschema", "jsonschema-rs", "google-re2", "jiter", "orjson", "numpy")
"""What `docs/how-to/use-the-reader-alone.md` installs before the package."""


def interpreters(version: str) -> Iterator[str]:
    """Yield programs that may be this version of Python: on the PATH, and those of pyenv."""
    name = f"python{version}"
    yield from filter(None, [shutil.which(name)])
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/{name}")))


def runs(python: str) -> bool:
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def output_of(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_it_runs_and_strict_type_checkers_accept_it(version: str, tmp_path: Path) -> None:
    found = next(filter(runs, interpreters(version)), None)
    if found is None:
        pytest.skip(f"Python {version} is not installed")
    output_of(found, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    installed = subprocess.run([*install, *READER, "mypy"], capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"the packages could not be installed: {installed.stderr[-200:]}")
    output_of(*install, "--no-deps", CHECKOUT)
    project = tmp_path / "project"
    project.mkdir()
    (project / "program.py").write_text(PROGRAM)
    (project / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    assert output_of(python, "program.py", cwd=project) == "['now'] True []\n"
    assert "Success" in output_of(python, "-m", "mypy", "--strict", "program.py", cwd=project)
    pyright = Path(sys.executable).with_name("pyright")
    assert "0 errors" in output_of(pyright, "--pythonpath", python, "program.py", cwd=project)
