"""What a real program does to its folder, to compare it with what the judge of commands expects."""

import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def makes_a_file(command: Sequence[str], text: str, folder: Path) -> bool:
    """Run a command in an empty folder and return whether it made a file there, or ran something that did.

    Args:
        command: The program with its arguments.
        text: Its input.
        folder: A folder in which the empty one is made.
    """
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, input=text, text=True, cwd=work, capture_output=True, timeout=2, check=False)
    return any(work.iterdir())
