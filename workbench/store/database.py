"""Open a database and run transactions."""

import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, cast

from sqlalchemy import URL, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from workbench.errors import StoreError
from workbench.store.database_faults import translate_errors
from workbench.store.migrate import MIGRATIONS, migrate
from workbench.store.storable import problem_of
from workbench.store.tables.base import StoreTable

_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert_if_absent(db: Session, table: type[StoreTable], **values: Any) -> None:
    """Insert a row unless one with the same key exists. An existing row is not changed."""
    insert = _INSERTS[db.get_bind().dialect.name]
    db.connection().execute(insert(table).values(**values).on_conflict_do_nothing())


def insert_all_if_absent(db: Session, table: type[StoreTable], values: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows like `insert_if_absent`, with one statement."""
    _insert_rows(db.connection(), table, values, ending=" ON CONFLICT DO NOTHING")


def insert_rows(connection: Connection, table: type[StoreTable], values: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with one statement.

    Args:
        values: The values of each row. All rows have the keys of the first one.
    """
    _insert_rows(connection, table, values)


def _insert_rows(
    connection: Connection, table: type[StoreTable], values: Sequence[Mapping[str, Any]], *, ending: str = ""
) -> None:
    """SQLAlchemy prepares each row by itself, which takes longer than the insert. This prepares whole columns."""
    if not values:
        return
    dialect = connection.dialect
    target = cast(Table, cast(Any, table).__table__)
    quoted = dialect.identifier_preparer
    names = [*values[0]]
    columns: list[list[Any]] = []
    for name in names:
        convert = target.c[name].type.dialect_impl(dialect).bind_processor(dialect)
        column = [row[name] for row in values]
        columns.append(_converted(column, convert) if convert else column)
    marks = ", ".join(["?" if dialect.paramstyle == "qmark" else "%s"] * len(names))
    connection.exec_driver_sql(
        f"INSERT INTO {quoted.format_table(target)} ({', '.join(map(quoted.quote, names))}) VALUES ({marks}){ending}",
        [*zip(*columns, strict=True)],
    )


def _converted(column: Sequence[Any], convert: Callable[[Any], Any]) -> list[Any]:
    """Convert the values of a column. Rows share objects, such as a setup or a time, which are converted once."""
    by_identity: dict[int, Any] = {}
    for value in column:
        if id(value) not in by_identity:
            by_identity[id(value)] = convert(value)
    return [by_identity[id(value)] for value in column]


BUSY_TIMEOUT_S: Final = 5
"""How many seconds a statement waits while another program writes to the same SQLite file."""

CONNECT_TIMEOUT_S: Final = 10
"""How many seconds a server may take to accept a connection."""

_POSTGRES: Final = "postgresql+psycopg"
"""SQLAlchemy's name for PostgreSQL with the driver psycopg."""


class Database:
    """A migrated database. Thread-safe.

    Args:
        engine: Connects to the database. `close` disposes of it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._shown = _shown(engine.url)
        self._reading_engine = engine.execution_options(**_reading_options(engine))
        self._writing_engine = engine.execution_options(is_writing=True)
        # Writers to SQLite poll for the lock, and an unlucky one may wait long. This lock queues the writers
        # of this process instead.
        self._turn = Lock() if engine.dialect.name == "sqlite" else nullcontext()

    @contextmanager
    def reading(self) -> Generator[Session]:
        """Open a transaction for reading. It sees one consistent state of the data.

        Raises:
            StoreError: The database could not be read.
        """
        with translate_errors(self._shown), Session(self._reading_engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Generator[Session]:
        """Open a transaction for writing. It is committed at the end, or rolled back on any exception.

        Raises:
            StoreError: The database could not be written.
        """
        with (
            translate_errors(self._shown),
            self._turn,
            Session(self._writing_engine) as session,
            session.begin(),
        ):
            yield session

    @property
    def is_shared(self) -> bool:
        """Whether several servers can share the database and notify each other: PostgreSQL can, SQLite cannot."""
        return self._engine.dialect.name == "postgresql"

    @contextmanager
    def driver_connection(self) -> Generator[Any]:
        """Open a connection of the driver that no pool manages, and close it at the end.

        Raises:
            StoreError: The database could not be reached.
        """
        with translate_errors(self.describe()):
            connection = self._engine.raw_connection()
        connection.detach()
        with closing(connection):
            yield connection.dbapi_connection

    def describe(self) -> str:
        """Return the URL without its password and options."""
        return self._shown

    def close(self) -> None:
        """Close all connections. Calling it again has no effect."""
        self._engine.dispose()


def open_database(url: str, *, migrations: Path = MIGRATIONS) -> Database:
    """Open a database. A missing SQLite file is created, and an older schema is migrated.

    Args:
        url: URL in SQLAlchemy's form, such as `sqlite:////tmp/workbench.sqlite3`, `sqlite://` (in memory)
            or `postgresql+psycopg://user:password@host/database`.
        migrations: Folder of the Alembic environment. Tests use others.

    Raises:
        StoreError: The database cannot be opened, belongs to another program, or was written by a newer
            version of the workbench.
    """
    place = _parse(url)
    shown = _shown(place)
    with translate_errors(shown):
        engine = _create_engine(place)
        try:
            with engine.execution_options(is_writing=True).connect() as connection:
                migrate(connection, migrations, shown=shown)
            if _is_sqlite(place):
                _use_wal(engine)
        except BaseException:
            engine.dispose()
            raise
    return Database(engine)


@contextmanager
def connecting(url: str) -> Generator[Connection]:
    """Connect to a database as it is, without creating or migrating it.

    Raises:
        StoreError: The database cannot be opened or read.
    """
    place = _parse(url)
    with translate_errors(_shown(place)):
        engine = _create_engine(place)
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()


def file_of(url: str) -> Path | None:
    """Return the file of a SQLite database, or None if it is in memory, on a server, or a `file:` URI."""
    return _file_of(_parse(url))


def _parse(url: str) -> URL:
    try:
        place = make_url(url)
    except (ArgumentError, ValueError) as error:
        # The text is not shown, because it may contain a password.
        raise StoreError(
            "WORKBENCH_DATABASE_URL is not a valid URL; an example is sqlite:////path/to/file"
        ) from error
    if place.database and problem_of(place.database):
        raise StoreError(f"WORKBENCH_DATABASE_URL: {problem_of(place.database)} of its path; remove it")
    file = _file_of(place)
    if place.drivername in ("postgres", "postgresql"):
        return place.set(drivername=_POSTGRES)
    return place.set(database=str(file)) if file else place


def _reading_options(engine: Engine) -> dict[str, Any]:
    """Return the options that make all statements of a transaction see the same state. SQLite needs none."""
    if engine.dialect.name != "postgresql":
        return {}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _is_sqlite(place: URL) -> bool:
    return place.get_backend_name() == "sqlite"


def _is_in_memory(place: URL) -> bool:
    return place.database in (None, "", ":memory:")


def _file_of(place: URL) -> Path | None:
    """Return the file of a SQLite database, or None for other databases and `file:` URIs."""
    database = place.database or ""
    if not _is_sqlite(place) or _is_in_memory(place) or database.startswith("file:"):
        return None
    return Path(database).expanduser().absolute()


def _shown(place: URL) -> str:
    return place.set(query={}).render_as_string(hide_password=True)


def _create_engine(place: URL) -> Engine:
    try:
        return _create_sqlite_engine(place) if _is_sqlite(place) else _create_server_engine(place)
    except ImportError as error:
        package = "psycopg[binary]" if place.drivername == _POSTGRES else error.name
        remedy = f"its driver is missing; run pip install '{package}'"
        raise StoreError(f"database {_shown(place)}: {remedy}") from error


def _create_server_engine(place: URL) -> Engine:
    options: dict[str, Any] = {}
    if place.drivername == _POSTGRES:
        defaults = {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "hermes-workbench"}
        options = {name: value for name, value in defaults.items() if name not in place.query}
    # `pool_pre_ping` replaces connections that the server has closed in the meantime.
    return create_engine(place, connect_args=options, pool_pre_ping=True)


def _create_sqlite_engine(place: URL) -> Engine:
    options: dict[str, Any] = {"check_same_thread": False, "timeout": BUSY_TIMEOUT_S}
    if _is_in_memory(place):
        # Each connection would open another empty database. So there is only one, used by one thread at a time.
        engine = create_engine(place, connect_args=options, poolclass=QueuePool, pool_size=1, max_overflow=0)
    else:
        file = _file_of(place)
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(place, connect_args=options)
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def _on_sqlite_connect(connection: DBAPIConnection, _record: object) -> None:
    # With None the driver starts no transactions; `_on_sqlite_begin` starts them.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    # Write each commit to the disk, so that stored messages survive a power failure.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _on_sqlite_begin(connection: Connection) -> None:
    # SQLite rejects a transaction that first reads and then writes if another one wrote in between. It does
    # not wait. So transactions for writing take the lock at the start, where they can wait.
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def _use_wal(engine: Engine) -> None:
    """Switch the file to write-ahead logging, so that reading and writing do not block each other.

    The setting is stored in the file. If the file is locked, another program is opening it right now and
    switches it.
    """
    with closing(engine.raw_connection()) as connection, suppress(sqlite3.OperationalError):
        connection.cursor().execute("PRAGMA journal_mode = WAL").close()
