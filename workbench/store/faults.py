"""What a database, its driver or the file system complains of, in our own words and with a remedy."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, NamedTuple

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from workbench.errors import StoreError


class DatabaseFault(NamedTuple):
    """One thing that a database complains of."""

    said: str
    """A piece of its message, or a SQLSTATE."""
    problem: str
    """The same in our words; empty where the message says it well."""
    remedy: str
    """What to do about it."""


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
def faults_told(shown: str) -> Generator[None]:
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
