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
"""What SQLite keeps beside a file, by the end of the name."""


def copy_database(source: Path, target: Path) -> None:
    """Writes a copy that holds what was committed when it began; it is one file, of the same name at once.

    Writers are not kept waiting: the copy is one long reading of the log.

    Args:
        source: A database, open in other programs or not.
        target: Where nothing stands, or what is to be replaced.

    Raises:
        sqlite3.Error: The source cannot be read, or the copy not written; then there is none.
        OSError: As above.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        with closing(_open_to_read(source)) as there, closing(sqlite3.connect(part)) as copy:
            there.backup(copy)
            # The log is a second file: a copy that is moved without it would be a damaged one.
            copy.execute("PRAGMA journal_mode = DELETE").close()
        part.replace(target)
    except (sqlite3.Error, OSError):
        part.unlink(missing_ok=True)
        raise


def _open_to_read(file: Path) -> sqlite3.Connection:
    # As a URI, for by its bare name a file that is not there would be made.
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)


def problem_of_file(file: Path) -> str | None:
    """What SQLite finds wrong with a file; None where it is a sound database."""
    try:
        with closing(_open_to_read(file)) as connection:
            first = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return None if first == "ok" else str(first)
    except sqlite3.Error as error:
        return str(error)


def moment_name(file: Path, why: str, now: datetime | None = None) -> Path:
    """A name beside `file` that says why and when, such as `workbench.before-restore-20260102T….sqlite3`."""
    moment = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%S%fZ")
    return file.with_name(f"{file.stem}.{why}-{moment}{file.suffix}")


def prune(files: Sequence[Path], *, keep: int) -> Sequence[Path]:
    """Deletes all but the last by name, which ends in the moment; gives those that are gone."""
    older = sorted(files, key=lambda file: file.stem.rpartition("-")[2])[: -keep or None]
    for file in older:
        file.unlink(missing_ok=True)
    return older


KEPT_SNAPSHOTS: Final = 12
"""How many snapshots stay in the folder; at one every five minutes, those of the last hour of use."""

_LOG: Final = logging.getLogger(__name__)


class Snapshots:
    """Copies one database into one folder, where it changed since the last copy.

    Args:
        file: The database.
        folder: Where the copies go; made where it is not there.
    """

    def __init__(self, file: Path, folder: Path) -> None:
        self._file = file
        self._folder = folder
        self._last_state: object = None
        self._one_at_a_time = Lock()

    def take(self) -> Path | None:
        """Copies the database; None where nothing changed since the last time, or there is none.

        Raises:
            OSError: The folder cannot be written.
            sqlite3.Error: The database cannot be read.
        """
        with self._one_at_a_time:
            state = self._state()
            if state is None or state == self._last_state:
                return None
            target = moment_name(self._folder / self._file.name, "snapshot")
            self._copy_to(target)
            self._last_state = state
            for older in prune(list(self._folder.glob(_pattern(self._file))), keep=KEPT_SNAPSHOTS):
                _LOG.info("an older snapshot was deleted: %s", older)
            return target

    def restore_newest(self) -> Path | None:
        """Puts the newest sound snapshot where there is no database; None where nothing was done.

        Raises:
            OSError: The snapshot cannot be read, or the database not written.
        """
        if self._file.exists():
            return None
        newest_first = sorted(self._folder.glob(_pattern(self._file)), reverse=True)
        for snapshot in newest_first:
            if self._restore(snapshot):
                _LOG.warning("the database was restored from %s", snapshot)
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
            _LOG.warning("the snapshot %s is passed over: %s", snapshot, problem)
            return False
        finally:
            part.unlink(missing_ok=True)

    def _copy_to(self, target: Path) -> None:
        """By a local copy, for SQLite is not to write on a mount; under its name only once it is whole."""
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
        """Differs once something was committed; None where there is no database."""
        log = self._file.with_name(f"{self._file.name}-wal")
        if not self._file.exists():
            return None
        stats = [file.stat() for file in (self._file, log) if file.exists()]
        return [(stat.st_size, stat.st_mtime_ns) for stat in stats if stat.st_size]


@contextmanager
def periodic_snapshots(file: Path, folder: Path, *, every_s: float) -> Generator[Snapshots]:
    """Restores the database where it is missing, copies it again and again, and once more at the end.

    A copy that fails is told in the log and tried again the next time.
    """
    snapshots = Snapshots(file, folder)
    snapshots.restore_newest()
    is_over = Event()

    def run() -> None:
        while not is_over.wait(every_s):
            _take_or_tell(snapshots)

    thread = Thread(target=run, name="snapshots", daemon=True)
    thread.start()
    try:
        yield snapshots
    finally:
        is_over.set()
        thread.join()
        _take_or_tell(snapshots)


def _take_or_tell(snapshots: Snapshots) -> None:
    try:
        snapshots.take()
    except (OSError, sqlite3.Error) as error:
        _LOG.warning("no snapshot could be taken: %s; it is tried again", error)


def _pattern(file: Path) -> str:
    return f"{escape(file.stem)}.snapshot-*Z{escape(file.suffix)}"
