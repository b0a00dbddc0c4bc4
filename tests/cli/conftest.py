"""Runs commands with a data folder of their own: in this process, or as a person would in another one."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.databases import put_database
from workbench.cli.app import run

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def variables(tmp_path):
    """Settings of a command: a data folder of its own, with an empty database that is up to date."""
    put_database(tmp_path / "data")
    return {"WORKBENCH_DATA": str(tmp_path / "data"), "WORKBENCH_HOME": str(CHECKOUT)}


@pytest.fixture
def process(variables):
    """Runs `workbench ARGS…` in a process of its own and returns it; takes 3 s of processor time.

    For what only a process shows: real pipes, settings that are read at import, how it ends.
    """

    def run_process(*arguments, **more):
        others = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        return subprocess.run(
            [sys.executable, "-m", "workbench", *map(str, arguments)],
            cwd=CHECKOUT,
            env=others | variables | more,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run_process


@pytest.fixture
def workbench(variables, run_cli, monkeypatch):
    """Runs `workbench ARGS…` in this process and returns what `process` would."""

    def run_here(*arguments, **more):
        with monkeypatch.context() as patch:
            patch.chdir(CHECKOUT)
            for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
                patch.delenv(name)
            for name, value in (variables | more).items():
                patch.setenv(name, value)
            done = run_cli(*arguments)
        return subprocess.CompletedProcess(arguments, done.code, done.out, done.err)

    return run_here


class Done(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def run_cli(monkeypatch, capfdbinary):
    """Runs a command in this process: as quick as a call, with real bytes on its streams."""

    def run_in_process(*arguments, stdin=b""):
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["workbench", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capfdbinary.readouterr()
        return Done(ended.value.code or 0, out.decode(), err.decode())

    return run_in_process


@pytest.fixture
def script(tmp_path):
    """A scripted model that calls get_flumbuster and then answers."""
    path = tmp_path / "script.yaml"
    path.write_text(
        "completions:\n"
        '- "<tool_call>\\n{\\"name\\": \\"get_flumbuster\\", \\"arguments\\": {\\"flumb\\": \\"cairo\\"}}\\n</tool_call>"\n'
        "- The reading for Cairo is 31.\n"
    )
    return f"scripted:{path}"
