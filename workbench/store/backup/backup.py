"""Back up, restore, check and compact a database."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.engine import Connection

from workbench.errors import BadInput, StoreError
from workbench.store.backup.damaged_rows import find_damaged_rows
from workbench.store.database import connecting, file_of
from workbench.store.database_faults import translate_errors
from workbench.store.migrate import MIGRATIONS, VERSION_TABLE
from workbench.store.snapshots import SIDE_FILES, copy_database, moment_name, problem_of_file
from workbench.store.tables.base import METADATA

SHOWN_PROBLEMS: Final = 20
"""How many problems of one kind a check lists."""
_TRIGGERS: Final = ("audit_no_delete", "audit_no_update", "search_document_deleted")
"""Triggers of a SQLite file. The first migration creates them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseCheck:
    """The result of checking a database."""

    database: str
    """URL without the password."""
    problems: Sequence[str]
    """One line for each damaged row, broken reference, or missing table, index or trigger. Empty if there are none."""
    revision: str | None
    """Migration revision of the tables. None if the database has no tables of the workbench."""
    newest_revision: str
    """The revision that this version of the workbench migrates to."""
    size_bytes: int
    """Size of the database, including SQLite's log."""
    unused_bytes: int
    """Part of `size_bytes` that `vacuum` would free. 0 on a server, which does this automatically."""
    row_counts: Mapping[str, int]
    """Number of rows by table, sorted by table name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """The result of restoring a backup."""

    file: Path
    """The database that now contains the backup."""
    previous: Path | None
    """Where the previous database was moved. None if there was none."""
    revision: str
    """Migration revision of the backup. An older backup is migrated when it is opened."""


def back_up(url: str, target: Path | None = None) -> Path:
    """Copy a SQLite database. The copy is consistent even if other programs write to the database.

    Args:
        target: The file to write. None writes to `backups/` next to the database, under a name with the time.

    Returns:
        The file that was written.

    Raises:
        BadInput: The target already exists, or the database is not a SQLite file.
        StoreError: The database could not be copied. No partial copy remains.
    """
    file = _sqlite_file(url, "pg_dump --format=custom --file=workbench.dump")
    target = target or moment_name(file.parent / "backups" / file.name, "backup")
    if target.exists():
        raise BadInput(f"backup {target}", "the file already exists", "choose another name")
    with translate_errors(f"sqlite:///{file}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        copy_database(file, target)
    return target


def restore(url: str, source: Path, *, is_forced: bool = False) -> RestoreReport:
    """Replace a SQLite database with a backup. The previous database is renamed, not deleted.

    Args:
        source: The backup.
        is_forced: True allows replacing an existing database.

    Raises:
        BadInput: The database exists and `is_forced` is False, or the file is not a backup of the workbench.
        StoreError: Another program has the database open, or it could not be written.
    """
    file = _sqlite_file(url, "pg_restore --clean --if-exists --dbname=DATABASE workbench.dump")
    revision = _revision_of_backup(source)
    if file.exists() and not is_forced:
        raise BadInput(f"database {file}", "it already exists", "--force replaces it and renames the old one")
    with translate_errors(f"sqlite:///{file}"):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.restoring")
        try:
            copy_database(source, fresh)
            previous = _move_aside(file) if file.exists() else None
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
    return RestoreReport(file=file, previous=previous, revision=revision)


def check(url: str) -> DatabaseCheck:
    """Check a database without changing or migrating it.

    Raises:
        StoreError: The database does not exist or cannot be opened.
    """
    file = file_of(url)
    if file and not file.exists():
        raise StoreError(
            f"database {file}: the file does not exist; the page and most commands create it when they start"
        )
    with connecting(url) as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        broken = _file_problems(connection, file) if is_sqlite else ()
        # A damaged file may not let its rows be read, and what is not our database has none.
        broken = broken or _table_problems(connection)
        problems = broken or (*_pointers(connection, is_sqlite=is_sqlite), *find_damaged_rows(connection))
        counts: Mapping[str, int] = {} if broken else _row_counts(connection)
        size, unused = _sqlite_sizes(connection, file) if is_sqlite else (_server_size(connection), 0)
        return DatabaseCheck(
            database=connection.engine.url.set(query={}).render_as_string(hide_password=True),
            problems=problems,
            revision=None if broken else _revision(connection),
            newest_revision=_newest_revision(),
            size_bytes=size,
            unused_bytes=unused,
            row_counts=counts,
        )


def vacuum(url: str) -> tuple[int, int]:
    """Compact a SQLite file and update the statistics of its query planner.

    Returns:
        The file's size in bytes before and after.

    Raises:
        BadInput: The database is not a SQLite file.
        StoreError: The file does not exist, another program is writing to it, or the disk is full.
    """
    file = _sqlite_file(url, "vacuumdb --analyze")
    if not file.exists():
        raise StoreError(f"database {file}: the file does not exist")
    with (
        translate_errors(f"sqlite:///{file}"),
        closing(sqlite3.connect(file, isolation_level=None)) as connection,
    ):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        before = file.stat().st_size
        connection.execute("VACUUM").close()
        connection.execute("PRAGMA analysis_limit = 1000").close()
        connection.execute("ANALYZE").close()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        return before, file.stat().st_size


def _sqlite_file(url: str, instead: str) -> Path:
    file = file_of(url)
    if file is None:
        raise BadInput(
            "WORKBENCH_DATABASE_URL", "it does not name a SQLite file", f"for PostgreSQL, run {instead}"
        )
    return file


def _revision_of_backup(source: Path) -> str:
    if not source.is_file():
        raise BadInput(f"backup {source}", "there is no such file")
    problem = problem_of_file(source)
    if problem:
        raise BadInput(f"backup {source}", problem, "choose another backup")
    with connecting(f"sqlite:///{source.absolute()}") as connection:
        revision = _revision(connection)
    if revision is None:
        raise BadInput(f"backup {source}", "it belongs to another program", "choose another backup")
    if revision not in _known_revisions():
        raise BadInput(
            f"backup {source}",
            f"a newer version of the workbench wrote it (revision {revision!r})",
            "update the workbench",
        )
    return revision


def _move_aside(file: Path) -> Path:
    """Rename a database, together with the changes in its log. Return its new name."""
    previous = moment_name(file, "before-restore")
    try:
        with closing(sqlite3.connect(file, timeout=0)) as connection:
            # Merges the log into the file. SQLite refuses this while another program has the file open.
            connection.execute("PRAGMA journal_mode = DELETE").close()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreError(f"database {file}: another program has it open; close that first") from error
        raise
    except sqlite3.DatabaseError:
        # The database is damaged, which is why a backup is being restored. Rename it and its log unchanged.
        for end in SIDE_FILES:
            side = file.with_name(file.name + end)
            if side.exists():
                side.replace(previous.with_name(previous.name + end))
    file.replace(previous)
    return previous


def _file_problems(connection: Connection, file: Path | None) -> Sequence[str]:
    page = int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
    if file and file.stat().st_size % page:
        # SQLite reads the missing bytes as zeros.
        return ("the file ends in the middle of a page, so its end is lost; restore a backup",)
    found = connection.exec_driver_sql(f"PRAGMA integrity_check({SHOWN_PROBLEMS})").scalars().all()
    return () if found == ["ok"] else tuple(f"{line}; restore a backup" for line in found)


def _revision(connection: Connection) -> str | None:
    revisions = MigrationContext.configure(connection).get_current_heads()
    return revisions[0] if len(revisions) == 1 else None


def _table_problems(connection: Connection) -> Sequence[str]:
    """Report a database that is not one of the workbench, or has lost tables."""
    names, expected = set(inspect(connection).get_table_names()), set(METADATA.tables)
    if not names & expected:
        others = sorted(names - {VERSION_TABLE})
        found = f"it has tables of another program, such as {others[0]!r}" if others else "it is empty"
        return (
            f"this is not a database of the workbench: {found}; restore a backup, or name another database",
        )
    revision = _revision(connection)
    if revision is None:
        return (f"the table {VERSION_TABLE!r} does not name one revision; restore a backup",)
    if revision not in _known_revisions():
        return (
            f"the revision {revision!r} is unknown: another version of the workbench wrote it; update the workbench, "
            "or restore a backup",
        )
    if revision != _newest_revision():
        return ()
    missing = [f"the table {name!r}" for name in sorted(expected - names)]
    if not missing:
        missing = [
            f"the {kind} {name!r}" for kind, name in sorted(_expected_parts(connection) - _parts(connection))
        ]
    return tuple(f"{part} is missing; restore a backup" for part in missing)


def _expected_parts(connection: Connection) -> set[tuple[str, str]]:
    indexes = {("index", str(index.name)) for table in METADATA.tables.values() for index in table.indexes}
    return indexes | (
        {("trigger", name) for name in _TRIGGERS} if connection.dialect.name == "sqlite" else set()
    )


def _parts(connection: Connection) -> set[tuple[str, str]]:
    """Return the kind and the name of each index and trigger of the database."""
    statement = (
        "SELECT type, name FROM sqlite_master"
        if connection.dialect.name == "sqlite"
        else "SELECT 'index', indexname FROM pg_indexes WHERE schemaname = current_schema()"
    )
    return {(str(kind), str(name)) for kind, name in connection.exec_driver_sql(statement)}


def _pointers(connection: Connection, *, is_sqlite: bool) -> Sequence[str]:
    """Report rows that refer to a missing row. A server prevents these."""
    if not is_sqlite:
        return ()
    found = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(SHOWN_PROBLEMS)
    return tuple(
        f"row {row[1]} of {row[0]!r} refers to a missing row of {row[2]!r}; restore a backup" for row in found
    )


def _sqlite_sizes(connection: Connection, file: Path | None) -> tuple[int, int]:
    page, pages, free = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
        for name in ("page_size", "page_count", "freelist_count")
    )
    sides = [file.with_name(file.name + end) for end in SIDE_FILES] if file else []
    return page * pages + sum(side.stat().st_size for side in sides if side.exists()), page * free


def _server_size(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())


def _row_counts(connection: Connection) -> Mapping[str, int]:
    names = sorted(set(inspect(connection).get_table_names()) - {VERSION_TABLE})
    quote = connection.dialect.identifier_preparer.quote_identifier
    return {
        name: int(connection.exec_driver_sql(f"SELECT count(*) FROM {quote(name)}").scalar_one())
        for name in names
    }


def _known_revisions() -> frozenset[str]:
    return frozenset(script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions())


def _newest_revision() -> str:
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    if head is None:
        raise StoreError("the workbench's migrations are missing; reinstall the workbench")
    return head
