"""Check all rows of a database for unreadable values, and for messages that do not form a tree."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy import Table
from sqlalchemy.engine import Connection

from workbench.errors import BadInput
from workbench.records.session_tree import find_cyclic
from workbench.store import rows
from workbench.store.damage import row_name, row_problems
from workbench.store.rows import (
    call_value,
    findings_value,
    generation_of,
    sampling_value,
    tokens_value,
)
from workbench.store.storable import UnreadableJson
from workbench.store.tables import METADATA
from workbench.suite.plan import plan_value
from workbench.suite.result import result_value
from workbench.toolspec.world.patches import patch_value

SHOWN_ROWS: Final = 20
"""How many damaged rows of a table are listed. The others are only counted."""
_Row = Mapping[str, object]
_CONTENTS: Final[Mapping[tuple[str, str], Callable[[Any], object]]] = {
    ("session", "setup"): rows.setup_value,
    ("generation", "sampling"): sampling_value,
    ("generation", "tokens"): tokens_value,
    ("generation", "findings"): findings_value,
    ("message", "calls"): lambda calls: [call_value(call) for call in calls],
    ("message", "world_patch"): patch_value,
    ("tool_run", "findings"): findings_value,
    ("unfinished", "generation"): generation_of,
    ("label", "correction_call"): lambda call: None if call is None else call_value(call),
    ("comparison", "columns"): lambda columns: [rows.setup_value(column["setup"]) for column in columns],
    ("preset", "setup"): rows.setup_value,
    ("run", "plan"): plan_value,
    ("case_result", "result"): result_value,
}
"""The function that converts the JSON of a column, by table and column. It raises if the JSON is damaged."""


def find_damaged_rows(connection: Connection) -> Iterator[str]:
    """Yield a line for each damaged row: its table and key, what is wrong, and what to do."""
    inspector = sa.inspect(connection)
    for table in METADATA.sorted_tables:
        if not inspector.has_table(table.name):
            continue
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        problems = _problems_of(table, connection, columns)
        yield from islice(problems, SHOWN_ROWS)
        more = sum(1 for _ in problems)
        if more:
            yield f"{table.name}: {more} more problem{'' if more == 1 else 's'} in this table"
    yield from _tree_problems(connection)


def _problems_of(table: Table, connection: Connection, names: set[str]) -> Iterator[str]:
    for row in _rows(table, connection, names):
        for problem in (*row_problems(table, row), *_content_problems(table, row)):
            yield f"{row_name(table, row)}, {problem}; {_remedy(table, row)}"


def _content_problems(table: Table, row: _Row) -> Iterator[str]:
    for (of_table, name), read in _CONTENTS.items():
        value: Any = row.get(name)
        if of_table != table.name or name not in row or isinstance(value, UnreadableJson):
            continue
        try:
            read(value)
        except (BadInput, ValueError, TypeError, KeyError, AttributeError) as error:
            yield f"column {name}: {' '.join(str(error).split())[:200]}"


def _remedy(table: Table, row: _Row) -> str:
    if table.name == "session":
        return "restore a backup, or delete the session"
    if isinstance(row.get("session_id"), str):
        return f"restore a backup, or delete session {row['session_id']!r}"
    return "restore a backup, or delete the row"


def _rows(table: Table, connection: Connection, names: set[str]) -> Iterator[_Row]:
    """Yield the rows of a table as SQLAlchemy reads them. Unreadable values are `UnreadableJson`."""
    columns = [column for column in table.columns if column.name in names]
    if connection.dialect.name != "sqlite":
        for row in connection.execute(sa.select(*columns)):
            yield dict(zip((column.name for column in columns), row, strict=True))
        return
    # Rows are read without SQLAlchemy, because one value that is not UTF-8 would end the whole query.
    readers = [column.type.dialect_impl(connection.dialect) for column in columns]
    processors = [reader.result_processor(connection.dialect, None) for reader in readers]
    query = str(sa.select(*columns).compile(dialect=connection.dialect))
    with _raw(connection) as cursor:
        for values in cursor.execute(query):
            yield {
                column.name: _read(value, isinstance(column.type, sa.Boolean), process)
                for column, value, process in zip(columns, values, processors, strict=True)
            }


def _read(value: object, is_bool: bool, process: Callable[[Any], Any] | None) -> object:  # noqa: FBT001
    if process is None or is_bool or value is None or isinstance(value, UnreadableJson):
        return value
    try:
        return process(value)
    except (ValueError, TypeError) as error:
        return UnreadableJson(str(error))


@contextmanager
def _raw(connection: Connection) -> Generator[sqlite3.Cursor]:
    """Open a cursor that returns `UnreadableJson` for texts that are not UTF-8."""
    driver = cast(sqlite3.Connection, connection.connection.driver_connection)
    before = driver.text_factory
    driver.text_factory = _text
    try:
        yield driver.cursor()
    finally:
        driver.text_factory = before


def _text(data: bytes) -> str | UnreadableJson:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return UnreadableJson(f"its text is not UTF-8 (byte {error.start})")


def _tree_problems(connection: Connection) -> Iterator[str]:
    """Check the parents of messages and versions, open leaves, and copies."""
    of_session: dict[object, dict[str, object]] = defaultdict(dict)
    session_of: dict[object, object] = {}
    copies: list[tuple[object, object, object]] = []
    for message_id, session_id, parent_id, copy_of in _ids(
        connection, "message", "id", "session_id", "parent_id", "copy_of"
    ):
        of_session[session_id][cast(str, message_id)] = parent_id
        session_of[message_id] = session_id
        if copy_of is not None:
            copies.append((message_id, session_id, copy_of))
    for session_id, parents in of_session.items():
        for message_id, problem in _parent_problems(parents, session_id, session_of):
            yield _message_line(message_id, session_id, problem)
    for message_id, session_id, copy_of in copies:
        if session_of.get(copy_of) != session_id:
            yield _message_line(
                message_id, session_id, f"is a copy of {copy_of!r}, which is not in its session"
            )
    for session_id, leaf_id in _ids(connection, "session", "id", "leaf_id"):
        if leaf_id is not None and leaf_id not in of_session[session_id]:
            remedy = "restore a backup, or delete the session"
            yield (
                f"session {session_id!r}, column leaf_id: message {leaf_id!r} is not in the session; {remedy}"
            )
    versions = {
        cast(str, row[0]): cast("str | None", row[1])
        for row in _ids(connection, "version", "id", "parent_id")
    }
    for version_id in sorted(find_cyclic(versions))[:SHOWN_ROWS]:
        yield f"version {version_id!r}: it is its own ancestor, so the parents form a cycle; restore a backup"


def _parent_problems(
    parents: Mapping[str, object], session_id: object, session_of: Mapping[object, object]
) -> Iterator[tuple[str, str]]:
    for message_id in sorted(find_cyclic(cast("dict[str, str | None]", parents)))[:SHOWN_ROWS]:
        yield message_id, "is its own ancestor, so the parents form a cycle"
    for message_id, parent_id in parents.items():
        if parent_id is None or session_of.get(parent_id) == session_id:
            continue
        if parent_id in session_of:
            yield message_id, f"follows message {parent_id!r} of another session, {session_of[parent_id]!r}"
        else:
            yield message_id, f"follows message {parent_id!r}, which does not exist"


def _message_line(message_id: object, session_id: object, problem: str) -> str:
    remedy = f"restore a backup, or delete session {session_id!r}"
    return f"message {message_id!r} of session {session_id!r}: it {problem}; {remedy}"


def _ids(connection: Connection, table: str, *names: str) -> Iterator[tuple[object, ...]]:
    """Yield the values of some columns. Yields nothing if the table of an older version lacks one of them."""
    inspector = sa.inspect(connection)
    if not inspector.has_table(table):
        return
    if not {*names} <= {column["name"] for column in inspector.get_columns(table)}:
        return
    for row in _rows(METADATA.tables[table], connection, {*names}):
        values = tuple(row[name] for name in names)
        if not any(isinstance(value, UnreadableJson | bytes) for value in values):
            yield values
