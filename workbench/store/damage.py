"""Describe what is wrong with a stored row that something other than the workbench has changed."""

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
from workbench.records.labels.label import Verdict
from workbench.records.labels.project import QueueState
from workbench.records.runs import RunState
from workbench.records.sessions import MessageOrigin
from workbench.records.versions import VersionKind
from workbench.rollout.ports import FinishReason
from workbench.store.storable import StoredJson, UnreadableJson
from workbench.suite.result import CaseStatus

DAMAGE_REMEDY: Final = "run `workbench db check` for all damage, then restore a backup"
"""What to do about a damaged row."""
WORDS: Final[Mapping[tuple[str, str], type[StrEnum]]] = {
    ("message", "role"): Role,
    ("message", "origin"): MessageOrigin,
    ("generation", "finish_reason"): FinishReason,
    ("fact", "kind"): FactKind,
    ("fact", "severity"): Severity,
    ("label", "verdict"): Verdict,
    ("label_task", "state"): QueueState,
    ("run", "state"): RunState,
    ("case_result", "status"): CaseStatus,
    ("comparison_vote", "kind"): VoteKind,
    ("version", "kind"): VersionKind,
    ("version_line", "kind"): VersionKind,
    ("version_tag", "kind"): VersionKind,
    ("version_text", "kind"): VersionKind,
}
"""Columns that hold a word of a closed set, by table and column."""
_KINDS: Final[Mapping[type, tuple[tuple[type, ...], str]]] = {
    str: ((str,), "text"),
    # SQLite keeps true and false as 1 and 0.
    bool: ((bool, int), "true or false"),
    int: ((int,), "a whole number"),
    float: ((float, int), "a number"),
    datetime: ((datetime,), "a time"),
}
"""Python's types of a column's values, and what they are called."""


def row_problems(table: Table, row: Mapping[str, object]) -> Generator[str]:
    """What is wrong with the columns of a row, each as one line without the row's name.

    Args:
        table: Of the row.
        row: Values by column, as SQLAlchemy reads them. Columns that were not read are left out.
    """
    for name, allowed, called, is_nullable, words in _columns(table):
        if name not in row:
            continue
        value = row[name]
        if isinstance(value, UnreadableJson):
            yield f"column {name}: {value.problem}"
        elif value is None:
            if not is_nullable:
                yield f"column {name}: nothing, where there must be {called}"
        elif allowed and not isinstance(value, allowed):
            yield f"column {name}: {_shown(value)} is not {called}"
        elif words is not None and value not in words:
            yield f"column {name}: {_shown(value)} is none of {', '.join(sorted(words))}"


def row_name(table: Table, row: Mapping[str, object]) -> str:
    """The row as a person finds it: its table, its key, and its session where it has one."""
    keys = [column.name for column in table.primary_key.columns]
    key = ", ".join(_shown(row.get(name)) for name in keys)
    is_of_session = "session_id" in row and "session_id" not in keys
    return f"{table.name} {key}" + (f" of session {_shown(row['session_id'])}" if is_of_session else "")


@contextmanager
def damage_of(what: str) -> Generator[None]:
    """Turn what reading a row's JSON raises into an error that names the row.

    Args:
        what: The row, such as `"message 'abc' of session 'def'"`.

    Raises:
        StoreError: The row holds something that the workbench never writes.
    """
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        said = " ".join(str(error).split())[:200]
        shown = f"no {said}" if isinstance(error, KeyError) else said
        raise StoreError(f"{what}: {shown}; {DAMAGE_REMEDY}") from error


@cache
def _columns(table: Table) -> tuple[tuple[str, tuple[type, ...], str, bool, frozenset[str] | None], ...]:
    """Of each column: name, types, what those are called, whether it may be NULL, its words."""
    found: list[tuple[str, tuple[type, ...], str, bool, frozenset[str] | None]] = []
    for column in table.columns:
        kind: Any = column.type
        impl = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
        allowed, called = ((), "JSON") if isinstance(kind, StoredJson) else _KINDS[impl.python_type]
        words = WORDS.get((table.name, column.name))
        is_nullable = bool(column.nullable)
        named = None if words is None else frozenset(word.value for word in words)
        found.append((column.name, allowed, called, is_nullable, named))
    return tuple(found)


def _shown(value: object) -> str:
    return repr(value)[:60]
