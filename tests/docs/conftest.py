"""A shell in which the commands of the documentation run."""

import os
import subprocess
import sys

import pytest

from tests.docs.test_docs import CHECKOUT


@pytest.fixture
def shell(tmp_path):
    """Run lines in an empty folder, with `workbench` on the path and only the given variables set."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "workbench"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m workbench "$@"\n')
    command.chmod(0o755)

    def run(lines, **variables):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("WORKBENCH_", "HF_"))
        }
        environment |= {
            "WORKBENCH_DATA": str(tmp_path / "data"),
            "WORKBENCH_HOME": str(CHECKOUT),
            "PYTHONPATH": str(CHECKOUT),
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        return subprocess.run(
            ["/bin/sh", "-c", lines],
            cwd=tmp_path,
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )

    return run
