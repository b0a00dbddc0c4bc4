"""Turn the errors of databases and their drivers into helpful messages."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, NamedTuple

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from workbench.errors import StoreError


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
    DatabaseFault("disk I/O error", "", "make sure that the disk has space and works"),
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
        raise explained(error, shown) from error


def explained(error: Exception, shown: str) -> StoreError:
    """Return the StoreError for an error of a database.

    Args:
        shown: The database's URL without its password.
    """
    problem, remedy = _explain(error)
    return StoreError(f"database {shown}: {problem}; {remedy}")


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
    # An error of the file system, such as a folder that cannot be made, says what is wrong by itself.
    known = (
        () if isinstance(origin, OSError) else _SQLITE if isinstance(origin, sqlite3.Error) else _CONNECTING
    )
    return next((fault for fault in known if fault.pattern in message), None)
