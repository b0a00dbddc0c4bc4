"""Index messages, titles and tags for the search when they are stored, and record the facts of each message.

Idea: both databases have a full-text index, but they split texts differently and do not treat code well. So we
split texts and queries ourselves (see `workbench.store.sessions.search_terms`) and give the database only words of
letters and digits. Then both databases find the same, and no character of a query is taken for syntax.

What is searched is a document, a row of `search_document` with its words in `search_words`:

- a piece of a message: its text, and as `named` the names of its tools and the codes of its facts;
- the title and tags of a session, and the id of the row that it was imported from, as `named` only.

Invariants:

- Documents are written in the transaction that writes the message, title or tags, and are deleted with it.
- A long text is split into overlapping pieces, because PostgreSQL indexes at most 16,383 positions.
- System texts are not indexed, because every session with the same contract has the same one. Neither are
  copies on other branches. So a search finds each text once.
- A later document has a higher number, so "newest first" needs no other column.

Example: a model writes `<tool_call>{"name": "get_weather", ...,}</tool_call>`. The message's document has the
names "get weather" and "trailing comma", so both `get_weather` and the code `trailing-comma` find the session.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlmodel import Session, col, delete, select, update

from workbench.chat.message import Role
from workbench.records.facts import MessageFact
from workbench.store.database import insert_if_absent, insert_rows
from workbench.store.deleting import is_of_shown_project
from workbench.store.sessions.facts import fact_row, facts_and_names
from workbench.store.sessions.search_terms import CHUNK_SIZE_CHARS, chunks_of, folded_words, insert_words
from workbench.store.tables import (
    DocumentRow,
    ImportRow,
    LabelRow,
    LabelTagRow,
    MessageRow,
    SessionRow,
    SessionTagRow,
    SessionToolRow,
)


class IndexEntry(NamedTuple):
    """What the index stores about a message besides its text."""

    facts: Sequence[MessageFact]
    tools: Sequence[str]
    """Names of the called tools, each once, in the order of the calls."""
    names: Sequence[str]
    """What people search for by name: called tools, codes of the facts, and the tool of a result."""


def index_message(db: Session, message: MessageRow, setup: dict[str, Any], finish_reason: str) -> None:
    """Write the facts and words of a message that was just written.

    Args:
        db: The transaction that wrote the message, flushed.
        message: The message. System messages are not indexed.
        setup: The setup of its session, as stored.
        finish_reason: Why the completion ended. `stop` for messages that no model wrote.
    """
    if message.role == Role.SYSTEM:
        return
    called = [str(call["name"]) for call in message.calls]
    entry = index_entry_of(message.role, message.text, setup, finish_reason, called=called, name=message.name)
    for tool in entry.tools:
        insert_if_absent(db, SessionToolRow, session_id=message.session_id, tool=tool)
    if entry.facts:
        session = col(SessionRow.id) == message.session_id
        count = col(SessionRow.finding_count) + len(entry.facts)
        db.exec(update(SessionRow).where(session).values(finding_count=count))
    db.add_all(fact_row(fact, session_id=message.session_id, message_id=message.id) for fact in entry.facts)
    write_documents(
        db.connection(),
        [
            DocumentPiece(message.session_id, message.id, start, entry.names, message.text)
            for start in chunks_of(message.text)
        ],
    )


def index_session_names(db: Session, session_id: str) -> None:
    """Index a session's title, its tags, its labels' tags and the id of its row, in place of the previous ones.

    Args:
        db: The transaction that wrote the new title or tags.
    """
    is_of_session = col(DocumentRow.session_id) == session_id
    db.exec(delete(DocumentRow).where(is_of_session, col(DocumentRow.message_id).is_(None)))
    # Only the title is read, so that a session with a damaged setup can still be renamed.
    title = db.exec(select(SessionRow.title).where(col(SessionRow.id) == session_id)).one()
    tags = db.exec(select(SessionTagRow.tag).where(col(SessionTagRow.session_id) == session_id)).all()
    label_tags = db.exec(
        select(LabelTagRow.tag)
        .join(LabelRow, col(LabelRow.id) == col(LabelTagRow.label_id))
        .where(col(LabelRow.session_id) == session_id, is_of_shown_project(col(LabelRow.project_id)))
    ).all()
    row_ids = db.exec(select(ImportRow.row_id).where(col(ImportRow.session_id) == session_id)).all()
    names = [title, *tags, *label_tags, *filter(None, row_ids)]
    write_documents(db.connection(), [DocumentPiece(session_id, None, 0, names, "")])


def index_entry_of(
    role: str,
    text: str,
    setup: dict[str, Any],
    finish_reason: str,
    *,
    called: Sequence[str],
    name: str | None,
) -> IndexEntry:
    """Return the facts and names of a message. There are no facts if no model wrote it.

    Args:
        role: Role of the message.
        text: Its text.
        setup: The setup of its session, as stored.
        finish_reason: Why the completion ended. `stop` for messages that no model wrote.
        called: Names of the tools that are called outside the text.
        name: Name of the tool, if the message is a result.
    """
    facts: Sequence[MessageFact] = ()
    written: Sequence[str] = ()
    if role == Role.ASSISTANT:
        facts, written = facts_and_names(text, setup, finish_reason)
    codes = dict.fromkeys(fact.code for fact in facts)
    return IndexEntry(
        facts=facts,
        tools=tuple(tool for tool in dict.fromkeys((*written, *called)) if tool),
        names=[*written, *codes, *called, *([name] if name else [])],
    )


def document_words(names: Sequence[str], text: str, start: int) -> tuple[list[str], list[str]]:
    """Return the words of a document's names, and the words of its piece of text."""
    return folded_words(" ".join(names)), folded_words(text[start : start + CHUNK_SIZE_CHARS])


class DocumentPiece(NamedTuple):
    """A document to write."""

    session_id: str
    message_id: str | None
    """None for a title and tags."""
    start: int
    """Start of the piece in the text, in code points."""
    names: Sequence[str]
    text: str
    """The whole text of the message."""


def write_documents(connection: Connection, pieces: Sequence[DocumentPiece]) -> None:
    """Write documents and their words."""
    if not pieces:
        return
    numbered = [*zip(_next_numbers(connection, len(pieces)), pieces, strict=True)]
    insert_rows(
        connection,
        DocumentRow,
        [
            {
                "id": number,
                "session_id": piece.session_id,
                "message_id": piece.message_id,
                "span_start": piece.start,
            }
            for number, piece in numbered
        ],
    )
    insert_words(
        connection,
        [(number, *document_words(piece.names, piece.text, piece.start)) for number, piece in numbered],
    )


def _next_numbers(connection: Connection, count: int) -> Sequence[int]:
    """Return numbers for new documents, in increasing order. To get them afterwards would take twice as long."""
    if connection.dialect.name == "postgresql":
        sequence = sa.func.pg_get_serial_sequence(DocumentRow.__tablename__, "id")
        numbers = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, count))
        return sorted(connection.execute(numbers).scalars())
    # Nobody else can write to SQLite before this transaction ends.
    last = connection.execute(sa.select(sa.func.max(col(DocumentRow.id)))).scalar() or 0
    return range(last + 1, last + 1 + count)
