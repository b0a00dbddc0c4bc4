"""Copies of a SQLite file: whole and sound whoever writes to it meanwhile, named by the moment."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
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
