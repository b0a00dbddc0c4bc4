"""How long a person waits for the command line."""

import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

RUNS = 5


def measure() -> Sequence[str]:
    """`workbench --help` against a bare interpreter, medians of five runs in turn."""
    bare, command = [], []
    for _ in range(RUNS):
        bare.append(_seconds([sys.executable, "-c", "pass"]))
        command.append(_seconds([sys.executable, "-m", "workbench", "--help"]))
    return [f"--help {median(command):.2f} s (aim under 1 s), a bare interpreter {median(bare):.2f} s"]


def _seconds(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
