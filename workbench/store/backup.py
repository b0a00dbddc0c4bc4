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
from workbench.store.database import connecting, file_of, translate_errors
from workbench.store.migrate import MIGRATIONS, VERSION_TABLE
from workbench.store.row_checks import damaged_rows
from workbench.store.snapshots import SIDE_FILES, copy_database, moment_name, problem_of_file

SHOWN_PROBLEMS: Final = 20
"""How many problems of one kind a check lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseCheck:
    """What a look at a database found."""

    database: str
    """Its URL, without a password."""
    problems: Sequence[str]
    """What is damaged, or points at nothing; empty where it is sound."""
    revision: str | None
    """Of its tables; None where there are none of ours."""
    newest_revision: str
    """What this version of the workbench migrates to."""
    size_bytes: int
    """Of the database, its log included."""
    unused_bytes: int
    """Of these, what `vacuum` would give back; 0 on a server, which sees to it."""
    row_counts: Mapping[str, int]
    """Rows of each table, sorted by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What restoring did."""

    file: Path
    """The database that holds the backup now."""
    previous: Path | None
    """Where that which stood there is kept; None where nothing did."""
    revision: str
    """Of the backup; an older one is migrated when it is opened."""


def back_up(url: str, target: Path | None = None) -> Path:
    """Copies a SQLite database, consistent however much is written to it meanwhile.

    Args:
        target: The copy; None takes `backups/` beside the database, named by the moment.

    Raises:
        BadInput: The target is there already, or the database is no SQLite file.
        StoreError: It could not be copied; then there is no copy.
    """
    file = _sqlite_file(url, "pg_dump --format=custom --file=workbench.dump")
    target = target or moment_name(file.parent / "backups" / file.name, "backup")
    if target.exists():
        raise BadInput(f"backup {target}", "it is there already", "name another file")
    with translate_errors(f"sqlite:///{file}"):
        target.parent.mkdir(parents=True, exist_ok=True)
        copy_database(file, target)
    return target


def restore(url: str, source: Path, *, is_forced: bool = False) -> RestoreReport:
    """Puts a backup in the place of a SQLite database; what stood there is kept beside it.

    Args:
        source: The backup.
        is_forced: True where a database that is there may be replaced.

    Raises:
        BadInput: There is a database and nobody forced it, or the backup is none of ours.
        StoreError: Another program has the database open, or it could not be written.
    """
    file = _sqlite_file(url, "pg_restore --clean --if-exists --dbname=DATABASE workbench.dump")
    revision = _revision_of_backup(source)
    if file.exists() and not is_forced:
        raise BadInput(f"database {file}", "it is there already", "--force replaces it and keeps it beside")
    with translate_errors(f"sqlite:///{file}"):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.restoring")
        try:
            copy_database(source, fresh)
            kept = _put_aside(file) if file.exists() else None
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
    return RestoreReport(file=file, previous=kept, revision=revision)


def check(url: str) -> DatabaseCheck:
    """Looks at a database and changes nothing in it; it is not migrated.

    Raises:
        StoreError: It cannot be opened, or there is none.
    """
    file = file_of(url)
    if file and not file.exists():
        raise StoreError(
            f"database {file}: there is none; it is made when the page or a command first needs it"
        )
    with connecting(url) as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        broken = _file_problems(connection) if is_sqlite else ()
        # A damaged file may not let its rows be read.
        problems = broken or (*_pointers(connection, is_sqlite=is_sqlite), *damaged_rows(connection))
        counts: Mapping[str, int] = {} if broken else _row_counts(connection)
        size, unused = _sqlite_sizes(connection, file) if is_sqlite else (_server_size(connection), 0)
        return DatabaseCheck(
            database=connection.engine.url.set(query={}).render_as_string(hide_password=True),
            problems=problems,
            revision=None if broken else MigrationContext.configure(connection).get_current_revision(),
            newest_revision=_newest_revision(),
            size_bytes=size,
            unused_bytes=unused,
            row_counts=counts,
        )


def vacuum(url: str) -> tuple[int, int]:
    """Packs a SQLite file and renews what its planner knows; gives its size in bytes before and after.

    Raises:
        BadInput: It is no SQLite file.
        StoreError: It is not there, another program is writing to it, or the disk is full.
    """
    file = _sqlite_file(url, "vacuumdb --analyze")
    if not file.exists():
        raise StoreError(f"database {file}: there is none to pack")
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
        raise BadInput("WORKBENCH_DATABASE_URL", "it names no SQLite file", f"for PostgreSQL: {instead}")
    return file


def _revision_of_backup(source: Path) -> str:
    if not source.is_file():
        raise BadInput(f"backup {source}", "there is no such file")
    problem = problem_of_file(source)
    if problem:
        raise BadInput(f"backup {source}", problem, "take another one")
    with connecting(f"sqlite:///{source.absolute()}") as connection:
        revision = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}
    if revision is None:
        raise BadInput(f"backup {source}", "it is a database of something else", "take another one")
    if revision not in known:
        raise BadInput(f"backup {source}", f"a newer version wrote it ({revision!r})", "update the workbench")
    return revision


def _put_aside(file: Path) -> Path:
    """Moves a database away, with what its log holds; gives its new name."""
    kept = moment_name(file, "before-restore")
    try:
        with closing(sqlite3.connect(file, timeout=0)) as connection:
            # Brings the log into the file; it is refused while another program has the file open.
            connection.execute("PRAGMA journal_mode = DELETE").close()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreError(f"database {file}: another program has it open; close that first") from error
        raise
    except sqlite3.DatabaseError:
        # Damaged: that is why somebody restores a backup. It is kept as it is, the log beside it.
        for end in SIDE_FILES:
            side = file.with_name(file.name + end)
            if side.exists():
                side.replace(kept.with_name(kept.name + end))
    file.replace(kept)
    return kept


def _file_problems(connection: Connection) -> Sequence[str]:
    found = connection.exec_driver_sql(f"PRAGMA integrity_check({SHOWN_PROBLEMS})").scalars().all()
    return () if found == ["ok"] else tuple(f"{line}; restore a backup" for line in found)


def _pointers(connection: Connection, *, is_sqlite: bool) -> Sequence[str]:
    """Rows that point at nothing; a server sees to it that there are none."""
    if not is_sqlite:
        return ()
    found = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(SHOWN_PROBLEMS)
    return tuple(
        f"row {row[1]} of {row[0]!r} points at nothing in {row[2]!r}; restore a backup" for row in found
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


def _newest_revision() -> str:
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    if head is None:
        raise StoreError("the migrations of the workbench are not there; install it again")
    return head
