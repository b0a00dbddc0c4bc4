"""A shell in which the commands of the documentation run."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.test_docs import CHECKOUT


@dataclass
class Shell:
    """Runs lines in a folder, with `workbench` on the path and only the given variables set."""

    folder: Path

    def environment(self, **variables: str) -> dict[str, str]:
        """Return the environment of a line."""
        others = {
            name: value for name, value in os.environ.items() if not name.startswith(("WORKBENCH_", "HF_"))
        }
        return others | {
            "HOME": str(self.folder),
            "WORKBENCH_DATA": str(self.folder / "data"),
            "WORKBENCH_HOME": str(CHECKOUT),
            "PYTHONPATH": str(CHECKOUT),
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            **variables,
        }

    def __call__(self, lines: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", lines],
            cwd=self.folder,
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty folder."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "workbench"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m workbench "$@"\n')
    command.chmod(0o755)
    return Shell(tmp_path)
