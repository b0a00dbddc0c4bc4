"""Run the browser tests of `make test` N times while all processors are busy, and print how often each failed.

Usage: flake.py N [OPTION OF PYTEST | TEST ...]
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

MARKS = "browser and not model and not slow and not long and not soak"
TESTS = ("tests/e2e", "tests/ui/scripts")


def main(times: int, arguments: list[str]) -> int:
    """Return the exit status: 1 if a test failed in a run."""
    tests = (
        arguments
        if any(Path(each.partition("::")[0]).exists() for each in arguments)
        else [*arguments, *TESTS]
    )
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    failed = Counter[str]()
    try:
        for run in range(1, times + 1):
            names = failures(tests)
            failed.update(names)
            sys.stdout.write(f"run {run} of {times}: {len(names)} failed\n")
            sys.stdout.flush()
    finally:
        for process in busy:
            process.kill()
    for name, count in failed.most_common():
        sys.stdout.write(f"{count:4} of {times}  {name}\n")
    return 1 if failed else 0


def failures(tests: list[str]) -> list[str]:
    """Return the names of the tests that fail in one run.

    Raises:
        SystemExit: The tests could not be run, such as for a wrong option.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-m", MARKS]
        run = subprocess.run(
            [*command, f"--junitxml={report}", *tests], capture_output=True, text=True, check=False
        )
        if run.returncode not in (0, 1):
            sys.exit(run.stdout + run.stderr)
        return [
            f"{case.get('classname')}::{case.get('name')}"
            for case in ElementTree.parse(report).iter("testcase")
            if case.find("failure") is not None or case.find("error") is not None
        ]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
