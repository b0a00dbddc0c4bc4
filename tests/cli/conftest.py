"""Runs verbs as a person would: a process of its own, with a data folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
