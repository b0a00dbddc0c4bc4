"""Snapshots of a SQLite file in a folder that outlives the machine, such as a Space's mounted bucket.

The database itself stays on the local disk: SQLite's locks are not safe on a mount.
"""

import logging
import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite creates next to a database."""


def copy_database(source: Path, target: Path) -> None:
    """Copy a database to a single file, with the data that is committed when the copy starts.

    Writers do not have to wait. The target appears under its name only when it is complete.

    Args:
        source: A database, which may be open in other programs.
        target: The file to write. An existing file is replaced.

    Raises:
        sqlite3.Error: The source could not be read or the copy not written. No partial copy remains.
        OSError: As above.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        with closing(_open_to_read(source)) as original, closing(sqlite3.connect(part)) as copy:
            original.backup(copy)
            # The log would be a second file, and a copy that is moved without its log is damaged.
            copy.execute("PRAGMA journal_mode = DELETE").close()
        part.replace(target)
    except (sqlite3.Error, OSError):
        part.unlink(missing_ok=True)
        raise


def _open_to_read(file: Path) -> sqlite3.Connection:
    # A URI with `mode=rw`, because a plain file name would create a missing file.
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)


def problem_of_file(file: Path) -> str | None:
    """Return what SQLite reports as wrong with a file, or None if it is a valid database."""
    try:
        with closing(_open_to_read(file)) as connection:
            first = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return None if first == "ok" else str(first)
    except sqlite3.Error as error:
        return str(error)


def moment_name(file: Path, why: str, now: datetime | None = None) -> Path:
    """Return a file name with a reason and a time, such as `workbench.before-restore-20260102T….sqlite3`."""
    moment = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%S%fZ")
    return file.with_name(f"{file.stem}.{why}-{moment}{file.suffix}")


def prune(files: Sequence[Path], *, keep: int) -> Sequence[Path]:
    """Delete all but the newest files, judged by the time in their names, and return the deleted ones."""
    older = sorted(files, key=lambda file: file.stem.rpartition("-")[2])[: -keep or None]
    for file in older:
        file.unlink(missing_ok=True)
    return older


KEPT_SNAPSHOTS: Final = 12
"""How many snapshots stay in the folder. With one every five minutes, they cover the last hour of use."""

_LOG: Final = logging.getLogger(__name__)


class Snapshots:
    """Copies a database into a folder whenever it has changed since the last copy.

    Args:
        file: The database.
        folder: The folder for the copies. It is created if it does not exist.
    """

    def __init__(self, file: Path, folder: Path) -> None:
        self._file = file
        self._folder = folder
        self._last_state: object = None
        self._lock = Lock()

    def take(self) -> Path | None:
        """Copy the database and return the copy. None if nothing has changed or there is no database.

        Raises:
            OSError: The folder cannot be written.
            sqlite3.Error: The database cannot be read.
        """
        with self._lock:
            state = self._state()
            if state is None or state == self._last_state:
                return None
            target = moment_name(self._folder / self._file.name, "snapshot")
            self._copy_to(target)
            self._last_state = state
            for older in prune(list(self._folder.glob(_pattern(self._file))), keep=KEPT_SNAPSHOTS):
                _LOG.info("deleted an older snapshot: %s", older)
            return target

    def restore_newest(self) -> Path | None:
        """If there is no database, restore the newest valid snapshot and return it. Otherwise return None.

        Raises:
            OSError: The snapshot cannot be read, or the database not written.
        """
        if self._file.exists():
            return None
        newest_first = sorted(self._folder.glob(_pattern(self._file)), reverse=True)
        for snapshot in newest_first:
            if self._restore(snapshot):
                _LOG.warning("restored the database from %s", snapshot)
                self._last_state = self._state()
                return snapshot
        return None

    def _restore(self, snapshot: Path) -> bool:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_name(f"{self._file.name}.restoring")
        try:
            shutil.copyfile(snapshot, part)
            problem = problem_of_file(part)
            if problem is None:
                part.replace(self._file)
                return True
            _LOG.warning("skipped the damaged snapshot %s: %s", snapshot, problem)
            return False
        finally:
            part.unlink(missing_ok=True)

    def _copy_to(self, target: Path) -> None:
        """Copy the database to a file that gets its name only when it is complete.

        SQLite writes the copy to the local disk first, because it must not write to a mount.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        with tempfile.TemporaryDirectory(prefix="workbench-snapshot-", dir=self._file.parent) as scratch:
            local = Path(scratch) / "copy"
            copy_database(self._file, local)
            try:
                shutil.copyfile(local, part)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)

    def _state(self) -> object:
        """Return a value that changes with each commit. None if there is no database."""
        log = self._file.with_name(f"{self._file.name}-wal")
        if not self._file.exists():
            return None
        stats = [file.stat() for file in (self._file, log) if file.exists()]
        return [(stat.st_size, stat.st_mtime_ns) for stat in stats if stat.st_size]


@contextmanager
def periodic_snapshots(file: Path, folder: Path, *, every_s: float) -> Generator[Snapshots]:
    """Restore a missing database, then take snapshots at intervals and a last one at the end.

    If a snapshot fails, a warning is logged and the next one is taken at the usual time.

    Args:
        every_s: Seconds between two snapshots.
    """
    snapshots = Snapshots(file, folder)
    snapshots.restore_newest()
    is_over = Event()

    def run() -> None:
        while not is_over.wait(every_s):
            _take_or_log(snapshots)

    thread = Thread(target=run, name="snapshots", daemon=True)
    thread.start()
    try:
        yield snapshots
    finally:
        is_over.set()
        thread.join()
        _take_or_log(snapshots)


def _take_or_log(snapshots: Snapshots) -> None:
    try:
        snapshots.take()
    except (OSError, sqlite3.Error) as error:
        _LOG.warning("could not take a snapshot: %s; the next one will be tried as usual", error)


def _pattern(file: Path) -> str:
    return f"{escape(file.stem)}.snapshot-*Z{escape(file.suffix)}"
