"""Write imported rows as sessions, many in one transaction.

Idea: a row becomes about twenty database rows. Writing them one by one through the ORM takes ten times as long as
reading the row. So the values of a batch are collected by table and written with one statement for each table.

Invariants:

- What is written is the same as if each message were written with `workbench.store.sessions.message_writer`: sessions,
  messages, facts and search documents, with the texts of contracts and tools stored once.
- Sessions of a batch get increasing times, so that they are listed and exported in the order of the rows.
"""

import json
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlmodel import Session

from workbench.chat.message import Message, Role
from workbench.names import usable_tags
from workbench.records.corpus.material import NewImport, row_id_of
from workbench.records.owner import Owner
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.records.versions import VersionKind, hash_of
from workbench.store import rows
from workbench.store.database import insert_all_if_absent, insert_rows
from workbench.store.owner_scope import scope_of
from workbench.store.sessions.message_batch import MessageBatch, Written
from workbench.store.sessions.search_index import DocumentPiece
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import (
    ImportRow,
    SessionRow,
    SessionTagRow,
    VersionTextRow,
)
from workbench.store.tables.sessions import SHUFFLE_LIMIT, queue_place
from workbench.store.titles import title_of

_LEVEL: Final = 3
"""Compression level of the original bytes; level 6 takes 5 % less space and half as much time again."""


class DigestedImport(NamedTuple):
    """A row to import, and what it is recognized by when it is imported again."""

    new: NewImport
    digest: str
    """SHA-256 (hex) of the row's canonical JSON."""


class _StoredSetup(NamedTuple):
    document: dict[str, Any]
    contract_version: str
    """Hash of its contract."""
    tools_version: str
    """Hash of its tools."""


@dataclass(slots=True)
class _Batch:
    """Values to insert, by table."""

    owner: Owner
    setups: dict[int, "_StoredSetup"] = field(default_factory=dict[int, "_StoredSetup"])
    """By identity of the setup: rows of one file share theirs."""
    sessions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    texts: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Texts of contracts and tools by kind and hash."""
    messages: MessageBatch = field(default_factory=MessageBatch)
    imports: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tags: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def write_imports(
    db: Session, new: Sequence[DigestedImport], ids: Sequence[str], owner: Owner, now: datetime
) -> None:
    """Write rows as sessions.

    Args:
        db: The transaction to write in.
        new: The rows, which were checked to be storable.
        ids: Id of each row's session.
        owner: Owner of the sessions.
        now: When the first session is created; the others follow by a microsecond each.
    """
    batch = _Batch(owner)
    for place, (digested, session_id) in enumerate(zip(new, ids, strict=True)):
        _add(batch, digested, session_id, now + timedelta(microseconds=place))
    connection = db.connection()
    _insert_texts(db, batch)
    insert_rows(connection, SessionRow, batch.sessions)
    batch.messages.write(db)
    insert_rows(connection, ImportRow, batch.imports)
    insert_rows(connection, SessionTagRow, batch.tags)


def refuse_unstorable_import(new: NewImport) -> None:
    """Check that all texts of a row can be stored.

    Raises:
        BadInput: A text in it cannot be stored, or a tag has an invisible character. The error names it.
    """
    _refuse_settings(replace(new.setup, contract_text="", tools_text=""))
    # One look at all texts together is ten times as fast as the walk that can name the place.
    if problem_of("\n".join(_texts_of(new))):
        refuse_unstorable(new.setup, "setup")
        refuse_unstorable((*new.messages, *new.rejected), "row")
        refuse_unstorable((*new.tags, new.file), "tags")
    _usable_tags(new.tags)


@lru_cache(maxsize=16)
def _usable_tags(tags: Sequence[str]) -> Sequence[str]:
    """Return the tags as they are stored. Rows of one file have the same ones."""
    return usable_tags(tags)


def _texts_of(new: NewImport) -> Iterator[str]:
    """Yield the texts of the messages, tags, contract and tools, with NUL for arguments that may contain it."""
    yield from (*new.tags, new.file, new.setup.contract_text, new.setup.tools_text)
    for message in (*new.messages, *new.rejected):
        yield from (message.text, message.thought or "", message.name or "")
        for call in message.calls:
            yield from (call.name, call.arguments_text or "")
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            yield "\0" if "\\u0000" in arguments else arguments


@lru_cache(maxsize=16)
def _refuse_settings(setup: RunConfig) -> None:
    """Check the texts of a setup. Rows of one file differ in their contracts and tools only, so others are cached."""
    refuse_unstorable(setup, "setup")


def _add(batch: _Batch, digested: DigestedImport, session_id: str, now: datetime) -> None:
    new = digested.new
    stored = batch.setups.get(id(new.setup)) or _add_setup(batch, new.setup)
    setup = stored.document
    facts_before = len(batch.messages.facts)
    row_id = row_id_of(new.fields)
    own = _add_messages(batch, new.messages, session_id, None, setup, now)
    parent = own[new.answer_start - 1] if new.answer_start else None
    rejected = _add_messages(batch, new.rejected, session_id, parent, setup, now)
    title = next((title_of(message.text) for message in new.messages if message.role is Role.USER), "")
    batch.sessions.append(
        {
            "id": session_id,
            "owner": batch.owner.key,
            "title": title,
            "created_at": now,
            "updated_at": now,
            "setup": setup,
            # The open path ends with the chosen answer.
            "leaf_id": own[-1].id,
            "deleted_at": None,
            "share_key": None,
            "copied_from": None,
            "contract_version": stored.contract_version,
            "tools_version": stored.tools_version,
            "finding_count": len(batch.messages.facts) - facts_before,
            "confidence": 1.0,
            "shuffle": secrets.randbelow(SHUFFLE_LIMIT),
            "queue_place": queue_place(new.started_at or now, new.number),
        }
    )
    batch.imports.append(
        {
            "session_id": session_id,
            "scope": scope_of(batch.owner),
            "digest": digested.digest,
            "format": new.format,
            "file": new.file,
            "number": new.number,
            "row_text": json.dumps(new.fields) if new.original is None else "",
            "original": None if new.original is None else zlib.compress(new.original, _LEVEL),
            "message_ids": [message.id for message in own],
            "rejected_ids": [message.id for message in rejected],
            "row_id": row_id or None,
        }
    )
    tags = _usable_tags(new.tags)
    batch.tags += [
        {"session_id": session_id, "tag": tag, "position": position} for position, tag in enumerate(tags)
    ]
    names = [title, *tags, *([row_id] if row_id else [])]
    batch.messages.pieces.append(DocumentPiece(session_id, None, 0, names, ""))


def _add_messages(
    batch: _Batch,
    messages: Sequence[Message],
    session_id: str,
    parent: Written | None,
    setup: Mapping[str, Any],
    now: datetime,
) -> list[Written]:
    """Add each message under the previous one, and the first one under `parent`."""
    written: list[Written] = []
    for message in messages:
        new = NewMessage(message=message, origin=MessageOrigin.IMPORT)
        parent = batch.messages.add(new, session_id, parent, setup, now)
        written.append(parent)
    return written


def _add_setup(batch: _Batch, setup: RunConfig) -> _StoredSetup:
    stored = batch.setups[id(setup)] = _StoredSetup(
        document=rows.setup_document(setup),
        contract_version=_add_text(batch, VersionKind.CONTRACT, setup.contract_text),
        tools_version=_add_text(batch, VersionKind.TOOLS, setup.tools_text),
    )
    return stored


def _add_text(batch: _Batch, kind: VersionKind, text: str) -> str:
    text_hash = hash_of(text)
    batch.texts[kind.value, text_hash] = text
    return text_hash


def _insert_texts(db: Session, batch: _Batch) -> None:
    scope = scope_of(batch.owner)
    values = [
        {"owner": scope, "kind": kind, "hash": text_hash, "text": text}
        for (kind, text_hash), text in batch.texts.items()
    ]
    insert_all_if_absent(db, VersionTextRow, values)
