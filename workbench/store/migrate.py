"""Migrate a database to the current schema: forward only, in one transaction, after a backup."""

import logging
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Final, cast

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlalchemy.engine import Connection

from workbench.errors import StoreError
from workbench.store.snapshots import copy_database, moment_name, prune

MIGRATIONS: Final = Path(__file__).parent / "migrations"
"""Folder of the Alembic environment."""

VERSION_TABLE: Final = "alembic_version"
"""Where Alembic notes the revision of a database."""

BEFORE_RELEASE: Final = frozenset(f"{number:04}" for number in range(1, 10))
"""Revisions that no release has had; the tenth became the first release."""

KEPT_BACKUPS: Final = 5
"""How many copies from before a migration are kept beside a SQLite file."""

_LOG: Final = logging.getLogger(__name__)

_TURN: Final = int.from_bytes(b"workbnch")
"""Number of PostgreSQL's advisory lock, of a database each."""


def migrate(connection: Connection, migrations: Path, *, shown: str) -> None:
    """Upgrades the database to the newest revision, or leaves it as it was.

    Args:
        connection: In no transaction; on SQLite the one begun on it must lock out other writers, so that
            of two programs that start together one migrates and the other waits.
        migrations: Folder of the Alembic environment.
        shown: The database as a person may see it.

    Raises:
        StoreError: It is of something else, of a newer version, or cannot be backed up.
    """
    with _without_foreign_keys(connection), connection.begin():
        _await_turn(connection)
        current = MigrationContext.configure(connection).get_current_revision()
        scripts = ScriptDirectory(str(migrations))
        if current == scripts.get_current_head():
            return
        if current is None:
            _refuse_other_tables(connection, shown)
        else:
            _refuse_unknown(current, scripts, shown)
            _back_up(connection, current)
        _upgrade(connection, migrations)
        _check_foreign_keys(connection, shown)


def _await_turn(connection: Connection) -> None:
    """On PostgreSQL: no other program migrates the same database until this transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_TURN})")


def _refuse_other_tables(connection: Connection, shown: str) -> None:
    others = sorted(set(inspect(connection).get_table_names()) - {VERSION_TABLE})
    if others:
        raise StoreError(
            f"database {shown}: it holds tables of something else, such as {others[0]!r}; "
            "name another in WORKBENCH_DATABASE_URL"
        )


def _refuse_unknown(current: str, scripts: ScriptDirectory, shown: str) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if current in BEFORE_RELEASE:
        raise StoreError(
            f"database {shown}: a development version from before the first release wrote it (revision "
            f"{current!r}); open it once with the last development version, or name another database in "
            "WORKBENCH_DATABASE_URL"
        )
    if current not in known:
        raise StoreError(
            f"database {shown}: a newer version of the workbench wrote it (revision {current!r}); "
            "update the workbench, or name another database in WORKBENCH_DATABASE_URL"
        )


def _upgrade(connection: Connection, migrations: Path) -> None:
    config = Config()
    # Alembic's configuration expands percent signs, also those of a path.
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _back_up(connection: Connection, revision: str) -> None:
    """Copies the file of a SQLite database beside it; other databases have their own backups."""
    if connection.dialect.name != "sqlite":
        return
    file = Path(connection.exec_driver_sql("PRAGMA database_list").one()[2])
    if not file.name:
        return
    target = moment_name(file, f"before-migration-{revision}")
    # By a connection of its own: it sees what is committed, and this one has nothing written yet.
    copy_database(file, target)
    gone = prune(list(file.parent.glob(f"{escape(file.stem)}.before-migration-*")), keep=KEPT_BACKUPS)
    _LOG.warning("the database is being upgraded; as it was before, it is kept in %s", target)
    for older in gone:
        _LOG.warning("an older copy was deleted: %s", older)


@contextmanager
def _without_foreign_keys(connection: Connection) -> Generator[None]:
    """Foreign keys off while SQLite's tables may be rebuilt.

    *Source:* SQLite, "Making Other Kinds Of Table Schema Changes", steps 1, 10 and 12.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    driver = cast(sqlite3.Connection, connection.connection.driver_connection)
    driver.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys = ON")


def _check_foreign_keys(connection: Connection, shown: str) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken:
        raise StoreError(
            f"database {shown}: a row of {broken[0]!r} points at nothing after the migration; "
            "nothing was changed; please report this"
        )
