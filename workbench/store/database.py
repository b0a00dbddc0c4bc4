"""Open a database, run transactions, and turn the database's errors into helpful messages."""

import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import URL, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from workbench.errors import StoreError
from workbench.store.migrate import MIGRATIONS, migrate
from workbench.store.storable import problem_of
from workbench.store.tables.base import StoreTable


class DatabaseFault(NamedTuple):
    """A known error of a database, and how to explain it."""

    pattern: str
    """A part of the database's message, or the start of a SQLSTATE code."""
    problem: str
    """The error in plain words. Empty to show the database's own message."""
    remedy: str


_WRITABLE: Final = "make sure the folder exists and is writable"
_FIX_URL: Final = "correct WORKBENCH_DATABASE_URL"
_TRY_AGAIN: Final = "try again"

_SQLITE: Final = (
    DatabaseFault(
        "database is locked", "", "another program is writing to it; close that program and try again"
    ),
    DatabaseFault("database or disk is full", "", "free space on the disk"),
    DatabaseFault("readonly database", "", "make the file and its folder writable"),
    DatabaseFault("unable to open database file", "", _WRITABLE),
    DatabaseFault("not a database", "", "move that file away, or set WORKBENCH_DATABASE_URL"),
    DatabaseFault("Could not decode to UTF-8", "", "run `workbench db check`, then restore a backup"),
    DatabaseFault("malformed", "", "restore a backup"),
)
"""Errors of SQLite, by a part of the message."""

_STATES: Final = (
    DatabaseFault("57P0", "the server ended the connection", _TRY_AGAIN),
    DatabaseFault("08", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault("40", "the server rolled this back because of another writer", _TRY_AGAIN),
    DatabaseFault("55P03", "another program has locked the data", _TRY_AGAIN),
    DatabaseFault("53300", "the server has no free connections", "raise its max_connections"),
    DatabaseFault("53100", "the server's disk is full", "free space on it"),
    DatabaseFault("25006", "the server is read-only", "name the primary in WORKBENCH_DATABASE_URL"),
    DatabaseFault("42501", "the user lacks the permission", "make it the owner of the database"),
)
"""Errors of PostgreSQL, by the start of the SQLSTATE code.

*Source:* https://www.postgresql.org/docs/15/errcodes-appendix.html
"""

_CONNECTING: Final = (
    DatabaseFault("password authentication failed", "the server rejected the user or password", _FIX_URL),
    DatabaseFault("no password supplied", "the server requires a password", _FIX_URL),
    DatabaseFault(
        "no pg_hba.conf entry",
        "the server does not accept connections from this machine",
        "allow them in its pg_hba.conf",
    ),
    DatabaseFault("Connection refused", "no server answers at that address", "start it, or " + _FIX_URL),
    DatabaseFault("timeout expired", "no server answers at that address", "start it, or " + _FIX_URL),
    DatabaseFault("resolve host", "the host name is unknown", _FIX_URL),
    DatabaseFault("could not translate host name", "the host name is unknown", _FIX_URL),
    DatabaseFault(
        "No such file or directory", "no server answers at that socket", "start it, or " + _FIX_URL
    ),
    DatabaseFault("too many clients", "the server has no free connections", "raise its max_connections"),
    DatabaseFault(
        "remaining connection slots", "the server has no free connections", "raise its max_connections"
    ),
    DatabaseFault("is starting up", "the server is still starting", _TRY_AGAIN),
    DatabaseFault("is shutting down", "the server is shutting down", _TRY_AGAIN),
    DatabaseFault("server closed the connection", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault("connection is lost", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault("consuming input failed", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault('" does not exist', "there is no such database or user", "create it, or " + _FIX_URL),
)
"""Errors of PostgreSQL's client library that have no SQLSTATE code, by a part of the message."""


@contextmanager
def translate_errors(shown: str) -> Generator[None]:
    """Turn errors of SQLAlchemy, a driver, the file system or a damaged row into a StoreError.

    Args:
        shown: The database's URL without its password.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, ValueError) as error:
        problem, remedy = _explain(error)
        raise StoreError(f"database {shown}: {problem}; {remedy}") from error


def _explain(error: Exception) -> tuple[str, str]:
    """Return what is wrong and what to do."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig else error
    # The first line of a PostgreSQL error describes it. The other lines quote data, which may be private.
    primary: object = getattr(getattr(origin, "diag", None), "message_primary", None)
    message = " ".join(str(primary or origin).split())
    fault = _find_fault(origin, message)
    if fault:
        return fault.problem or message, fault.remedy
    if isinstance(error, PoolTimeout):
        return "all connections are in use", _TRY_AGAIN
    if isinstance(error, ValueError):
        return message, "restore a backup, or " + _FIX_URL
    return message, _WRITABLE if isinstance(error, OSError) else "check WORKBENCH_DATABASE_URL"


def _find_fault(origin: BaseException, message: str) -> DatabaseFault | None:
    state: object = getattr(origin, "sqlstate", None)
    if isinstance(state, str):
        return next((fault for fault in _STATES if state.startswith(fault.pattern)), None)
    known = _SQLITE if isinstance(origin, sqlite3.Error) else _CONNECTING
    return next((fault for fault in known if fault.pattern in message), None)


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
        with translate_errors(self.describe()), Session(self._reading_engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Generator[Session]:
        """Open a transaction for writing. It is committed at the end, or rolled back on any exception.

        Raises:
            StoreError: The database could not be written.
        """
        with (
            translate_errors(self.describe()),
            self._turn,
            Session(self._writing_engine) as session,
            session.begin(),
        ):
            yield session

    def describe(self) -> str:
        """Return the URL without its password and options."""
        return _shown(self._engine.url)

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
