"""Describe what is wrong with a stored row that another program has damaged."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final

from sqlalchemy import Table
from sqlalchemy.types import TypeDecorator

from workbench.chat.finding import Severity
from workbench.chat.message import Role
from workbench.errors import StoreError
from workbench.records.comparisons import VoteKind
from workbench.records.facts import FactKind
from workbench.records.label import Verdict
from workbench.records.label_words import ActionKind, ProjectRole, QueueState
from workbench.records.runs import RunState
from workbench.records.sessions import MessageOrigin
from workbench.records.versions import VersionKind
from workbench.rollout.ports import FinishReason
from workbench.store.storable import StoredJson, UnreadableJson
from workbench.suite.result import CaseStatus

DAMAGE_REMEDY: Final = "run `workbench db check` for all damage, then restore a backup"
"""The advice in each error about a damaged row."""
WORDS: Final[Mapping[tuple[str, str], type[StrEnum]]] = {
    ("message", "role"): Role,
    ("message", "origin"): MessageOrigin,
    ("generation", "finish_reason"): FinishReason,
    ("fact", "kind"): FactKind,
    ("fact", "severity"): Severity,
    ("label", "verdict"): Verdict,
    ("label_task", "state"): QueueState,
    ("label_action", "kind"): ActionKind,
    ("label_member", "role"): ProjectRole,
    ("run", "state"): RunState,
    ("case_result", "status"): CaseStatus,
    ("comparison_vote", "kind"): VoteKind,
    ("version", "kind"): VersionKind,
    ("version_line", "kind"): VersionKind,
    ("version_tag", "kind"): VersionKind,
    ("version_text", "kind"): VersionKind,
}
"""The enumeration of each column that contains one of a fixed set of words, by table and column."""
_KINDS: Final[Mapping[type, tuple[tuple[type, ...], str]]] = {
    str: ((str,), "text"),
    # SQLite stores true and false as 1 and 0.
    bool: ((bool, int), "true or false"),
    int: ((int,), "a whole number"),
    float: ((float, int), "a number"),
    datetime: ((datetime,), "a time"),
    bytes: ((bytes, memoryview), "bytes"),
}
"""For each Python type of a column: the types that its values may have, and their name for a person."""


def row_problems(table: Table, row: Mapping[str, object]) -> Generator[str]:
    """Yield one line for each problem with a column of the row. The lines do not name the row.

    Args:
        table: The row's table.
        row: Values by column, as SQLAlchemy reads them. Columns that were not loaded are missing.
    """
    for name, allowed, type_name, is_nullable, words in _columns(table):
        if name not in row:
            continue
        value = row[name]
        if isinstance(value, UnreadableJson):
            yield f"column {name}: {value.problem}"
        elif value is None:
            if not is_nullable:
                yield f"column {name}: it is empty but must be {type_name}"
        elif allowed and not isinstance(value, allowed):
            yield f"column {name}: {_shown(value)} is not {type_name}"
        elif words is not None and value not in words:
            yield f"column {name}: {_shown(value)} is not one of {', '.join(sorted(words))}"


def refuse_damaged(table: Table, row: Mapping[str, object]) -> None:
    """Check a row that was read from the database.

    Raises:
        StoreError: A column has an invalid value. The message names the row and the column.
    """
    for problem in row_problems(table, row):
        raise StoreError(f"{row_name(table, row)}, {problem}; {DAMAGE_REMEDY}")


def row_name(table: Table, row: Mapping[str, object]) -> str:
    """Name a row by its table, its key and, if it has one, its session."""
    keys = [column.name for column in table.primary_key.columns]
    key = ", ".join(_shown(row.get(name)) for name in keys)
    is_of_session = "session_id" in row and "session_id" not in keys
    return f"{table.name} {key}" + (f" of session {_shown(row['session_id'])}" if is_of_session else "")


@contextmanager
def damage_of(row_label: str) -> Generator[None]:
    """Turn exceptions from reading a row into an error that names the row.

    Args:
        row_label: The row, such as `"message 'abc' of session 'def'"`.

    Raises:
        StoreError: The row contains something that the workbench never writes.
    """
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        detail = " ".join(str(error).split())[:200]
        problem = f"{detail} is missing" if isinstance(error, KeyError) else detail
        raise StoreError(f"{row_label}: {problem}; {DAMAGE_REMEDY}") from error


@cache
def _columns(table: Table) -> tuple[tuple[str, tuple[type, ...], str, bool, frozenset[str] | None], ...]:
    """Return for each column: its name, allowed types, their name, whether it may be NULL, allowed words."""
    columns: list[tuple[str, tuple[type, ...], str, bool, frozenset[str] | None]] = []
    for column in table.columns:
        kind: Any = column.type
        impl = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
        allowed, type_name = ((), "JSON") if isinstance(kind, StoredJson) else _KINDS[impl.python_type]
        words = WORDS.get((table.name, column.name))
        is_nullable = bool(column.nullable)
        allowed_words = None if words is None else frozenset(word.value for word in words)
        columns.append((column.name, allowed, type_name, is_nullable, allowed_words))
    return tuple(columns)


def _shown(value: object) -> str:
    return repr(value)[:60]
