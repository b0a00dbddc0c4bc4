"""End what workbench processes have left running that were killed."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Final

from filelock import Timeout

from workbench.errors import WorkbenchError
from workbench.toolbox.terminal.backend import Backend
from workbench.toolbox.terminal.environment import end_leftovers
from workbench.toolbox.terminal.record import FOLDER, delete, lock_of

_log: Final = logging.getLogger(__name__)


def end_all_leftovers(data: Path, backend_of: Callable[[str], Backend | None]) -> Thread | None:
    """End what is left running, in a thread, because another machine may answer slowly.

    Args:
        data: The workbench's data folder.
        backend_of: Returns the backend for a value of WORKBENCH_TERMINAL.

    Returns:
        The thread, or None if no process has left a record.
    """
    paths = sorted((data / FOLDER).glob("*.json"))
    if not paths:
        return None

    def end_all() -> None:
        for path in paths:
            _end(path, backend_of)

    thread = Thread(target=end_all, name="terminal-leftovers")
    thread.start()
    return thread


def _end(path: Path, backend_of: Callable[[str], Backend | None]) -> None:
    """End what a record names. The record stays if something may still run, or if its process is alive."""
    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        backend = backend_of(record["environment"])
        if backend is not None:
            try:
                end_leftovers(backend, record["owner"], record["rooms"])
            finally:
                backend.close()
        _log.info("Terminal: ended what %s has left running in %s", record["owner"], record["environment"])
        delete(path)
    except FileNotFoundError:
        # Another process was faster, or the program of the environment is not installed anymore.
        _log.warning("Terminal: what %s names cannot be ended", path)
    except (OSError, ValueError, KeyError, WorkbenchError) as error:
        _log.warning("Terminal: what %s names may still run: %s", path, error)
    finally:
        lock.release()
