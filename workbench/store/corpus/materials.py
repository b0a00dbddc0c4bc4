"""Read everything that is stored about sessions, for training rows.

An export reads thousands of sessions, each with a handful of messages. Loading them as objects of SQLAlchemy takes
most of the time of an export, so the columns of many sessions are read at once, and the statements are built once. What
is read is checked as always: see `workbench.store.damage`.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy import Table
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select, SelectOfScalar

from workbench.chat.message import Message, Role
from workbench.records.comparisons import NO_PREFERENCES, preferences_of
from workbench.records.corpus.material import ExportMessage, GenerationSource, ImportedRow, SessionMaterial
from workbench.records.label import Label
from workbench.records.run_config import RunConfig
from workbench.records.session_tree import check_tree
from workbench.records.sessions import MessageOrigin
from workbench.records.staleness import find_stale
from workbench.store import rows
from workbench.store.corpus.label_rows import label_value, read_steps
from workbench.store.damage import damage_of, refuse_damaged
from workbench.store.deleting import is_shown
from workbench.store.runs.comparisons import comparisons_of
from workbench.store.tables import (
    ComparisonRow,
    GenerationRow,
    ImportRow,
    LabelProjectRow,
    LabelRow,
    MessageRow,
    SessionRow,
    StoreTable,
)

_IDS: Final[sa.BindParameter[Any]] = sa.bindparam("ids", expanding=True)
"""Ids of the sessions to read."""


def read_materials(db: Session, session_ids: Sequence[str]) -> Mapping[str, SessionMaterial]:
    """Return everything that is stored about sessions, by session.

    Raises:
        ValueError, TypeError, StoreError: A row is damaged.
    """
    ids = {"ids": session_ids}
    messages, labels, imports = _messages(db, ids), _labels(db, ids), _imports(db, ids)
    compared = set(db.exec(_compared(), params=ids))
    found: dict[str, SessionMaterial] = {}
    for session in _checked(db, _SESSION, _sessions(), ids):
        session_id: str = session["id"]
        own, own_labels = messages[session_id], labels[session_id]
        check_tree({message.id: message.parent_id for message in own}, session_id)
        is_corrected = any(label.corrected_at for label in own_labels)
        found[session_id] = SessionMaterial(
            session_id=session_id,
            title=session["title"],
            setup=_setup(db, session),
            leaf_id=session["leaf_id"],
            messages=tuple(own),
            labels=tuple(own_labels),
            stale=_stale(db, session_id, own) if is_corrected else frozenset(),
            imported=imports.get(session_id),
            preferences=preferences_of(comparisons_of(db, session_id))
            if session_id in compared
            else NO_PREFERENCES,
        )
    return found


def _checked(
    db: Session, table: Table, statement: sa.Executable, ids: Mapping[str, object]
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table by column.

    Raises:
        StoreError: A row is damaged.
    """
    result = db.connection().execute(statement, ids)
    names = tuple(result.keys())
    for found in result:
        row = dict(zip(names, found, strict=True))
        refuse_damaged(table, row)
        yield row


def _table(of: type[StoreTable]) -> Table:
    return cast(Table, cast(Any, of).__table__)


_SESSION: Final = _table(SessionRow)
_MESSAGE: Final = _table(MessageRow)
_IMPORT: Final = _table(ImportRow)


@cache
def _sessions() -> sa.Executable:
    setup = sa.cast(_SESSION.c.setup, sa.Text).label("setup_text")
    return sa.select(_SESSION.c.id, _SESSION.c.title, _SESSION.c.leaf_id, setup).where(
        _SESSION.c.id.in_(_IDS)
    )


@cache
def _compared() -> SelectOfScalar[str]:
    return select(ComparisonRow.session_id).where(col(ComparisonRow.session_id).in_(_IDS))


def _setup(db: Session, session: Mapping[str, Any]) -> RunConfig:
    try:
        return _setup_of(session["setup_text"])
    except (ValueError, TypeError, RecursionError):
        # This names the row and what is wrong with it.
        return rows.setup_value(db.get_one(SessionRow, session["id"]).setup)


@lru_cache(maxsize=64)
def _setup_of(text: str) -> RunConfig:
    """Convert the JSON of a setup. Imported sessions share their setups, so they are cached."""
    return rows.setup_value(json.loads(text))


@cache
def _message_columns() -> sa.Executable:
    c = _MESSAGE.c
    return (
        sa.select(*_MESSAGE.c)
        .where(c.session_id.in_(_IDS), is_shown())
        .order_by(c.position, c.created_at, c.id)
    )


@cache
def _generations() -> SelectOfScalar[GenerationRow]:
    return (
        select(GenerationRow)
        .join(MessageRow, col(MessageRow.generation_id) == col(GenerationRow.id))
        .where(col(MessageRow.session_id).in_(_IDS), is_shown())
    )


def _messages(db: Session, ids: Mapping[str, object]) -> Mapping[str, list[ExportMessage]]:
    """Return all messages by session, without their prompts, which rows do not need."""
    messages: dict[str, list[ExportMessage]] = defaultdict(list)
    made_with = {row.id: _source(row) for row in db.exec(_generations(), params=ids)}
    for row in _checked(db, _MESSAGE, _message_columns(), ids):
        messages[row["session_id"]].append(
            ExportMessage(
                id=row["id"],
                parent_id=row["parent_id"],
                original_id=row["copy_of"] or row["id"],
                message=_message(row),
                made_with=made_with.get(row["generation_id"]),
                origin=MessageOrigin(row["origin"]),
            )
        )
    return messages


def _message(row: Mapping[str, Any]) -> Message:
    calls: Sequence[object] = row["calls"]
    with damage_of(f"message {row['id']!r} of session {row['session_id']!r}"):
        return Message(
            role=Role(row["role"]),
            text=row["text"],
            calls=tuple(map(rows.call_value, calls)),
            thought=row["thought"],
            name=row["name"],
        )


def _source(row: GenerationRow) -> GenerationSource:
    return GenerationSource(
        engine_name=row.engine_name,
        engine_fingerprint=row.engine_fingerprint,
        tools_fingerprint=row.tools_fingerprint,
        contract_fingerprint=row.contract_fingerprint,
        finish_reason=row.finish_reason,
    )


@cache
def _label_rows() -> Select[LabelRow, str]:
    return (
        select(LabelRow, LabelProjectRow.name)
        .join(LabelProjectRow, col(LabelProjectRow.id) == col(LabelRow.project_id))
        .where(col(LabelRow.session_id).in_(_IDS), col(LabelProjectRow.deleted_at).is_(None))
        .order_by(col(LabelRow.created_at), col(LabelRow.id))
    )


def _labels(db: Session, ids: Mapping[str, object]) -> Mapping[str, list[Label]]:
    labels: dict[str, list[Label]] = defaultdict(list)
    for row, name in db.exec(_label_rows(), params=ids):
        labels[row.session_id].append(label_value(row, name))
    return labels


def _stale(db: Session, session_id: str, messages: Sequence[ExportMessage]) -> Collection[str]:
    """Return the stale messages of all branches. Whether a message is stale depends only on those above it."""
    session = db.get_one(SessionRow, session_id)
    parents = {message.parent_id for message in messages}
    leaves = (message.id for message in messages if message.id not in parents)
    return frozenset(
        message_id for leaf in leaves for message_id in find_stale(read_steps(db, session, leaf))
    )


@cache
def _import_columns() -> sa.Executable:
    return sa.select(*_IMPORT.c).where(_IMPORT.c.session_id.in_(_IDS))


def _imports(db: Session, ids: Mapping[str, object]) -> Mapping[str, ImportedRow]:
    return {row["session_id"]: _imported(row) for row in _checked(db, _IMPORT, _import_columns(), ids)}


def _imported(row: Mapping[str, Any]) -> ImportedRow:
    original = None if row["original"] is None else zlib.decompress(row["original"])
    return ImportedRow(
        format=row["format"],
        row_text=row["row_text"] if original is None else original.decode(),
        original=original,
        digest=row["digest"],
        file=row["file"],
        number=row["number"],
        message_ids=tuple(row["message_ids"]),
        rejected_ids=tuple(row["rejected_ids"]),
    )
