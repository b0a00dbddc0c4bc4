"""Databases of workers, which exist only as long as the worker."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Final

from filelock import FileLock, Timeout

_PREFIX: Final = "workbench-worker-"
_LOCK: Final = "in-use"
"""File in a worker's folder that is locked as long as the worker lives. The system unlocks it if it is killed."""


@contextmanager
def temporary_database() -> Generator[str]:
    """Yield the URL of a database that does not exist yet, and delete the database at the end.

    Those that killed workers of this machine have left are deleted first.

    Raises:
        OSError: There is no folder for temporary files that can be written to.
    """
    for left in Path(gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        _delete_unless_locked(left)
    with TemporaryDirectory(prefix=_PREFIX) as folder:
        # Locked before it has its name, so that no other worker finds it unlocked.
        unnamed = Path(folder) / "opening"
        with FileLock(unnamed):
            unnamed.rename(unnamed.with_name(_LOCK))
            yield f"sqlite:///{folder}/workbench.sqlite3"


def _delete_unless_locked(path: Path) -> None:
    """Delete the folder of a lock. It stays if its worker lives, or belongs to another user."""
    lock = FileLock(path)
    try:
        with lock.acquire(timeout=0):
            shutil.rmtree(path.parent, ignore_errors=True)
    except (Timeout, PermissionError, FileNotFoundError):
        return
