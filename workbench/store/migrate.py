"""Migrate a database to the current schema, in one transaction and after a backup. There are no downgrades."""

import logging
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import inspect
from sqlalchemy.engine import Connection

from workbench.errors import StoreError
from workbench.store.snapshots import copy_database, moment_name, prune

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

MIGRATIONS: Final = Path(__file__).parent / "migrations"
"""Folder of the Alembic environment."""

VERSION_TABLE: Final = "alembic_version"
"""The table in which Alembic stores the revision of a database."""

BEFORE_RELEASE: Final = frozenset(f"{number:04}" for number in range(1, 10))
"""Revisions of development versions. The tenth revision became the first release."""

KEPT_BACKUPS: Final = 5
"""How many copies from before migrations are kept next to a SQLite file."""

_LOG: Final = logging.getLogger(__name__)

_TURN: Final = int.from_bytes(b"workbnch")
"""Number of the advisory lock that a migration takes in a PostgreSQL database."""


def migrate(connection: Connection, migrations: Path, *, shown: str) -> None:
    """Upgrade the database to the newest revision. On an error it stays as it was.

    Args:
        connection: A connection without an open transaction. On SQLite, a transaction that begins on it must
            lock out other writers. If two programs start together, one migrates and the other waits.
        migrations: Folder of the Alembic environment.
        shown: The database's URL without its password.

    Raises:
        StoreError: The database belongs to another program or a newer version, or cannot be backed up.
    """
    with _without_foreign_keys(connection), connection.begin():
        _await_turn(connection)
        if _is_current(connection, migrations):
            return
        # Alembic is slow to import, and most databases are current.
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory

        heads = MigrationContext.configure(connection).get_current_heads()
        if len(heads) > 1:
            raise StoreError(
                f"database {shown}: the table {VERSION_TABLE!r} names several revisions; restore a backup"
            )
        current = heads[0] if heads else None
        scripts = ScriptDirectory(str(migrations))
        if current is None:
            _refuse_other_tables(connection, shown)
        else:
            _refuse_unknown(current, scripts, shown)
            _back_up(connection, current)
        _upgrade(connection, migrations)
        _check_foreign_keys(connection, shown)


def _is_current(connection: Connection, migrations: Path) -> bool:
    """Whether the database has the newest revision. The name of a migration's file begins with its revision."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return False
    newest = max(file.name for file in (migrations / "versions").glob("*.py")).partition("_")[0]
    stored = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalars().all()
    return stored == [newest.removesuffix(".py")]


def _await_turn(connection: Connection) -> None:
    """On PostgreSQL, wait until no other program is migrating this database, and lock it for this transaction."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_TURN})")


def _refuse_other_tables(connection: Connection, shown: str) -> None:
    others = sorted(set(inspect(connection).get_table_names()) - {VERSION_TABLE})
    if others:
        raise StoreError(
            f"database {shown}: it contains tables of another program, such as {others[0]!r}; "
            "name another database in WORKBENCH_DATABASE_URL"
        )


def _refuse_unknown(current: str, scripts: "ScriptDirectory", shown: str) -> None:
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
    from alembic import command
    from alembic.config import Config

    config = Config()
    # Alembic's configuration expands percent signs, including those in a path.
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _back_up(connection: Connection, revision: str) -> None:
    """Copy the file of a SQLite database next to it. Other databases have their own backups."""
    if connection.dialect.name != "sqlite":
        return
    file = Path(connection.exec_driver_sql("PRAGMA database_list").one()[2])
    if not file.name:
        return
    target = moment_name(file, f"before-migration-{revision}")
    # The copy uses another connection. It sees all committed data, and this one has not written anything yet.
    copy_database(file, target)
    deleted = prune(list(file.parent.glob(f"{escape(file.stem)}.before-migration-*")), keep=KEPT_BACKUPS)
    _LOG.warning("upgrading the database; a copy from before the upgrade is in %s", target)
    for older in deleted:
        _LOG.warning("deleted an older copy: %s", older)


@contextmanager
def _without_foreign_keys(connection: Connection) -> Generator[None]:
    """Turn off SQLite's foreign keys while tables may be rebuilt.

    *Source:* https://www.sqlite.org/lang_altertable.html#otheralter (steps 1, 10 and 12)
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
            f"database {shown}: after the migration, a row of {broken[0]!r} refers to a missing row; "
            "the database was left unchanged; please report this"
        )
