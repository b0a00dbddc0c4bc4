"""Full disks, closed pipes and an early Ctrl+C end a command with one line at most and the exit code of the docs."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CHECKOUT

COMPLETION = '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'
ROW = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}]}
TOOL = {"name": "a", "description": "x", "parameters": {"type": "object", "properties": {}}}


@pytest.fixture
def start(variables, tmp_path):
    """Starts `workbench ARGS…` in a folder with `completion.txt`, `rows.jsonl` and `tools.json`."""
    (tmp_path / "completion.txt").write_text(COMPLETION)
    (tmp_path / "requests.jsonl").write_text(json.dumps({"text": COMPLETION}) + "\n")
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))

    def run(command, **fields):
        environment = {**os.environ, **variables, "PYTHONPATH": str(CHECKOUT)}
        return subprocess.run(
            [sys.executable, "-m", "workbench", *command.split()],
            cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **fields,
        )  # fmt: skip

    return run


WRITING = [
    "--help",
    "parse completion.txt",
    "parse completion.txt --json",
    "parse requests.jsonl --jsonl",
    "differ completion.txt",
    "render rows.jsonl --jsonl --family hermes-lines",
    "tools list",
    "tools export nonsense",
    "check rows.jsonl --json",
    "convert rows.jsonl --to sharegpt --out -",
    "stats rows.jsonl",
    "presets list --json",
    "versions list",
    "doctor",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_one_line(start, command):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = start(command, stdout=full)
    assert done.returncode == 2
    [line] = [line for line in done.stderr.splitlines() if "No space left on device" in line]
    assert line.startswith("workbench: output: ") and "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_a_pipe_that_its_reader_closed_is_silent(start, command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = start(command, stdout=closed)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr and "Error" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "tools import tools.json --out out",
        "convert rows.jsonl --to sharegpt --out out",
        "convert rows.jsonl --to sharegpt --out out.parquet",
        "receipt rows.jsonl --out out",
        "mix rows.jsonl --out out",
        "compress rows.jsonl --tokens 100 --out out",
        "import rows.jsonl",
        "db backup out",
        "models default scripted:demo",
    ],
)
def test_a_file_that_cannot_grow_is_one_line(start, command):
    def allow_no_bytes():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = start(command, stdout=subprocess.PIPE, preexec_fn=allow_no_bytes)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("workbench: ")


@pytest.mark.parametrize("module", ["typer", "workbench.cli.parse", "workbench.app.requests.reading"])
def test_ctrl_c_during_imports_is_the_exit_code_of_ctrl_c(module):
    code = f"""
import sys

class Interrupted:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted)
sys.argv = ["workbench", "parse", "-"]
from workbench.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
