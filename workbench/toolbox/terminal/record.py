"""The record on disk of what a workbench process runs in environments, for the case that it does not end properly."""

import json
import secrets
from pathlib import Path
from threading import Lock
from typing import Final

from filelock import FileLock

FOLDER: Final = "terminal-running"
"""Folder in the data folder, with a file for each workbench process that has something running."""


class Record:
    """Names of the rooms that one process has open.

    The file exists as long as something runs. The process holds a lock on it, which the system releases when the
    process ends, however it ends.

    Args:
        data: The workbench's data folder.
        setting: Value of WORKBENCH_TERMINAL, from which the next start finds the environment again.
    """

    def __init__(self, data: Path, setting: str) -> None:
        self.owner: Final = secrets.token_hex(6)
        self._path = data / FOLDER / f"{self.owner}.json"
        self._setting = setting
        self._rooms: list[str] = []
        self._file_lock = lock_of(self._path)
        self._lock = Lock()

    def add(self, room: str) -> None:
        """Note a room before it is opened. An empty name notes that commands run in an environment without rooms."""
        with self._lock:
            if room in self._rooms:
                return
            self._rooms.append(room)
            self._save()

    def remove(self, room: str) -> None:
        """Forget a room that has ended."""
        with self._lock:
            if room in self._rooms:
                self._rooms.remove(room)
                self._save()

    def close(self) -> None:
        """Release the file. It is deleted if nothing runs except in environments without rooms, where all ended."""
        with self._lock:
            self._rooms = [room for room in self._rooms if room]
            self._save()
            self._file_lock.release()
            if not self._rooms:
                delete(self._path)

    def _save(self) -> None:
        if not self._rooms:
            self._path.unlink(missing_ok=True)
            return
        if not self._file_lock.is_locked:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file_lock.acquire()
        text = json.dumps({"environment": self._setting, "owner": self.owner, "rooms": self._rooms})
        fresh = self._path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self._path)


def lock_of(path: Path) -> FileLock:
    """Return the lock of a record's file, which a process holds as long as it runs."""
    return FileLock(path.with_suffix(".lock"), thread_local=False)


def delete(path: Path) -> None:
    """Delete a record's file and its lock file."""
    path.unlink(missing_ok=True)
    path.with_suffix(".lock").unlink(missing_ok=True)
