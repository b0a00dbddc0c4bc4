"""Runs verbs as a person would: a process of its own, with a data folder of its own."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from workbench.cli.app import run

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def workbench(tmp_path):
    """Runs `workbench ARGS…` and gives the finished process."""

    def run(*arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
        environment |= {"WORKBENCH_DATA": str(tmp_path / "data"), "WORKBENCH_HOME": str(CHECKOUT)} | variables
        return subprocess.run(
            [sys.executable, "-m", "workbench", *map(str, arguments)],
            cwd=CHECKOUT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run


class Done(NamedTuple):
    """What a verb came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def verb(monkeypatch, capfdbinary):
    """Runs a verb in this process: as quick as a call, with real bytes on its streams."""

    def run_verb(*arguments, stdin=b""):
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["workbench", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capfdbinary.readouterr()
        return Done(ended.value.code or 0, out.decode(), err.decode())

    return run_verb


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
