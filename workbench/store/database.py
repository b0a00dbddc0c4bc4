"""One database: find it, open it, run transactions, and translate its errors into messages of ours."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from sqlalchemy import URL, Engine, create_engine, event, make_url
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
    """One thing that a database complains of."""

    said: str
    """A piece of its message, or a SQLSTATE."""
    problem: str
    """The same in our words; empty where the message says it well."""
    remedy: str


_WRITABLE: Final = "make sure the folder is there and writable"
_MEND_URL: Final = "mend WORKBENCH_DATABASE_URL"
_TRY_AGAIN: Final = "try again"

_SQLITE: Final = (
    DatabaseFault("database is locked", "", "another program is writing to it; close that and try again"),
    DatabaseFault("database or disk is full", "", "make room on the disk"),
    DatabaseFault("readonly database", "", "make the file and its folder writable"),
    DatabaseFault("unable to open database file", "", _WRITABLE),
    DatabaseFault("not a database", "", "move that file away, or set WORKBENCH_DATABASE_URL"),
    DatabaseFault("Could not decode to UTF-8", "", "run `workbench db check`, then restore a backup"),
    DatabaseFault("malformed", "", "restore a backup"),
)
"""What SQLite says."""

_STATES: Final = (
    DatabaseFault("57P0", "the server ended the connection", _TRY_AGAIN),
    DatabaseFault("08", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault("40", "the server undid this for the sake of another writer", _TRY_AGAIN),
    DatabaseFault("55P03", "another program holds what we wait for", _TRY_AGAIN),
    DatabaseFault("53300", "the server has no connection left", "raise its max_connections"),
    DatabaseFault("53100", "the server's disk is full", "make room there"),
    DatabaseFault("25006", "the server takes no writing", "name the primary in WORKBENCH_DATABASE_URL"),
    DatabaseFault("42501", "the user may not do this", "let it own the database"),
)
"""What PostgreSQL says by SQLSTATE, or its beginning. *Source:* PostgreSQL 15, appendix A."""

_CONNECTING: Final = (
    DatabaseFault("password authentication failed", "user or password is refused", _MEND_URL),
    DatabaseFault("no password supplied", "the server wants a password", _MEND_URL),
    DatabaseFault(
        "no pg_hba.conf entry", "the server lets nobody in from here", "let it, in its pg_hba.conf"
    ),
    DatabaseFault("Connection refused", "no server answers there", "start it, or " + _MEND_URL),
    DatabaseFault("timeout expired", "no server answers there", "start it, or " + _MEND_URL),
    DatabaseFault("resolve host", "nobody knows that host", _MEND_URL),
    DatabaseFault("could not translate host name", "nobody knows that host", _MEND_URL),
    DatabaseFault(
        "No such file or directory", "no server answers at that socket", "start it, or " + _MEND_URL
    ),
    DatabaseFault("too many clients", "the server has no connection left", "raise its max_connections"),
    DatabaseFault(
        "remaining connection slots", "the server has no connection left", "raise its max_connections"
    ),
    DatabaseFault("is starting up", "the server is only just starting", _TRY_AGAIN),
    DatabaseFault("is shutting down", "the server is shutting down", _TRY_AGAIN),
    DatabaseFault("server closed the connection", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault("connection is lost", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault("consuming input failed", "the connection to the server was lost", _TRY_AGAIN),
    DatabaseFault('" does not exist', "there is no such database or user", "create it, or " + _MEND_URL),
)
"""What PostgreSQL's library says where no SQLSTATE comes along."""


@contextmanager
def translate_errors(shown: str) -> Generator[None]:
    """Turns what SQLAlchemy, a driver or the file system raises, or a damaged row, into a StoreError.

    Args:
        shown: The database as a person may see it.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, ValueError) as error:
        problem, remedy = _told(error)
        raise StoreError(f"database {shown}: {problem}; {remedy}") from error


def _told(error: Exception) -> tuple[str, str]:
    origin = error.orig if isinstance(error, DBAPIError) and error.orig else error
    # PostgreSQL adds lines that quote the data; its first one says what is wrong.
    primary: object = getattr(getattr(origin, "diag", None), "message_primary", None)
    said = " ".join(str(primary or origin).split())
    fault = _fault_of(origin, said)
    if fault:
        return fault.problem or said, fault.remedy
    if isinstance(error, PoolTimeout):
        return "all connections are in use", _TRY_AGAIN
    if isinstance(error, ValueError):
        return said, "restore a backup, or mend WORKBENCH_DATABASE_URL"
    return said, _WRITABLE if isinstance(error, OSError) else "see WORKBENCH_DATABASE_URL"


def _fault_of(origin: BaseException, said: str) -> DatabaseFault | None:
    state: object = getattr(origin, "sqlstate", None)
    if isinstance(state, str):
        return next((fault for fault in _STATES if state.startswith(fault.said)), None)
    known = _SQLITE if isinstance(origin, sqlite3.Error) else _CONNECTING
    return next((fault for fault in known if fault.said in said), None)


_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert_if_absent(db: Session, table: type[StoreTable], **values: Any) -> None:
    """A row, unless one with the same key is there: then that one stays as it is."""
    insert = _INSERTS[db.get_bind().dialect.name]
    db.connection().execute(insert(table).values(**values).on_conflict_do_nothing())


BUSY_TIMEOUT_S: Final = 5
"""How long a statement waits for another program that writes to the same SQLite file."""

CONNECT_TIMEOUT_S: Final = 10
"""How long a server may take to answer at all."""

_POSTGRES: Final = "postgresql+psycopg"
"""SQLAlchemy's name of PostgreSQL by the driver that we ship with."""


class Database:
    """A database that is up to date; safe to use from several threads.

    Args:
        engine: Connects to it; closed by `close`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading_engine = engine.execution_options(**_reading_options(engine))
        self._writing_engine = engine.execution_options(is_writing=True)
        # SQLite lets writers poll for their turn, and some wait long: those of this process stand in line.
        self._turn = Lock() if engine.dialect.name == "sqlite" else nullcontext()

    @contextmanager
    def reading(self) -> Generator[Session]:
        """One transaction that sees one state of the data.

        Raises:
            StoreError: The database could not be read.
        """
        with translate_errors(self.describe()), Session(self._reading_engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Generator[Session]:
        """One transaction, committed at the end, rolled back where anything is raised.

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
        """The URL without its password and options."""
        return _shown(self._engine.url)

    def close(self) -> None:
        """Closes all connections; may be called again."""
        self._engine.dispose()


def open_database(url: str, *, migrations: Path = MIGRATIONS) -> Database:
    """The database of that URL, made where it is not there yet, and up to date.

    Args:
        url: As SQLAlchemy takes it, such as `sqlite:////tmp/workbench.sqlite3`, `sqlite://` (in memory) or
            `postgresql+psycopg://user:password@host/database`.
        migrations: Folder of the Alembic environment; tests have others.

    Raises:
        StoreError: It cannot be opened, is of something else, or was written by a newer version.
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
    """A transaction on a database as it is: it is neither made nor migrated.

    Raises:
        StoreError: It cannot be opened or read.
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
    """The file of a SQLite database; None where it is in memory, on a server, or named by a `file:` URI."""
    return _file_of(_parse(url))


def _parse(url: str) -> URL:
    try:
        place = make_url(url)
    except (ArgumentError, ValueError) as error:
        # The text is not shown: it may hold a password.
        raise StoreError("WORKBENCH_DATABASE_URL is no URL; sqlite:////path/to/file is one") from error
    if place.database and problem_of(place.database):
        raise StoreError(f"WORKBENCH_DATABASE_URL: {problem_of(place.database)} of its path; take it out")
    file = _file_of(place)
    if place.drivername in ("postgres", "postgresql"):
        return place.set(drivername=_POSTGRES)
    return place.set(database=str(file)) if file else place


def _reading_options(engine: Engine) -> dict[str, Any]:
    """What makes all statements of one reading see the same state, as SQLite does by itself."""
    if engine.dialect.name != "postgresql":
        return {}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _is_sqlite(place: URL) -> bool:
    return place.get_backend_name() == "sqlite"


def _is_in_memory(place: URL) -> bool:
    return place.database in (None, "", ":memory:")


def _file_of(place: URL) -> Path | None:
    """The file of a SQLite database; None where there is none, or a `file:` URI names it."""
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
        wanted = "psycopg[binary]" if place.drivername == _POSTGRES else error.name
        remedy = f"its driver is missing; pip install '{wanted}'"
        raise StoreError(f"database {_shown(place)}: {remedy}") from error


def _create_server_engine(place: URL) -> Engine:
    options: dict[str, Any] = {}
    if place.drivername == _POSTGRES:
        defaults = {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "hermes-workbench"}
        options = {name: value for name, value in defaults.items() if name not in place.query}
    # A connection that the server closed meanwhile is found dead before it is used.
    return create_engine(place, connect_args=options, pool_pre_ping=True)


def _create_sqlite_engine(place: URL) -> Engine:
    options: dict[str, Any] = {"check_same_thread": False, "timeout": BUSY_TIMEOUT_S}
    if _is_in_memory(place):
        # Each connection would be a database of its own: there is one, lent to one thread at a time.
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
    # None: the driver begins no transaction by itself, `_on_sqlite_begin` does.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    # Each commit reaches the disk: what was told is kept outlives a loss of power too.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _on_sqlite_begin(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot wait for its turn: SQLite refuses it at
    # once where another one wrote in between. So a writing one takes the lock as it begins.
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def _use_wal(engine: Engine) -> None:
    """Readers and a writer at once; the file remembers it.

    Locked means that another program opens the same file just now: that one sees to it then.
    """
    with closing(engine.raw_connection()) as connection, suppress(sqlite3.OperationalError):
        connection.cursor().execute("PRAGMA journal_mode = WAL").close()
