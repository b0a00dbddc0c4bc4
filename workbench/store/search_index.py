"""Index a message when it is stored: its facts, and its words for the search."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlmodel import Session, col, delete, select

from workbench.chat.message import Role
from workbench.records.facts import MessageFact, facts_of
from workbench.store.facts import fact_row, read_completion
from workbench.store.search_terms import CHUNK_SIZE_CHARS, chunks_of, insert_words, words_of
from workbench.store.tables import DocumentRow, LabelRow, LabelTagRow, MessageRow, SessionRow, SessionTagRow


class IndexEntry(NamedTuple):
    """What there is to note of a message."""

    facts: Sequence[MessageFact]
    """In order."""
    names: Sequence[str]
    """Names of tools, and codes: what a person searches for by name."""


def index_message(db: Session, message: MessageRow, setup: dict[str, Any], finish_reason: str) -> None:
    """Writes facts and words of a message that was just written.

    Args:
        db: The writing transaction, flushed.
        message: The message. A system text is not searched: each session with the same contract has it.
        setup: Of its session, as the row has it.
        finish_reason: Why the completion ended; `stop` of all others.
    """
    if message.role == Role.SYSTEM:
        return
    noted = index_entry_of(message.role, message.text, setup, finish_reason)
    names = [*noted.names, *(str(call["name"]) for call in message.calls)]
    if message.name:
        names.append(message.name)
    db.add_all(fact_row(fact, session_id=message.session_id, message_id=message.id) for fact in noted.facts)
    _write_documents(
        db,
        [(start, names, message.text) for start in chunks_of(message.text)],
        message.session_id,
        message.id,
    )


def index_session_names(db: Session, session_id: str) -> None:
    """Writes the words of a session's title, its tags and its labels' tags, instead of those it had.

    Args:
        db: The writing transaction, with title and tags as they are to be.
    """
    its_own = col(DocumentRow.session_id) == session_id
    db.exec(delete(DocumentRow).where(its_own, col(DocumentRow.message_id).is_(None)))
    # Not the whole row: a damaged setup must not keep a session from being named.
    title = db.exec(select(SessionRow.title).where(col(SessionRow.id) == session_id)).one()
    tags = db.exec(select(SessionTagRow.tag).where(col(SessionTagRow.session_id) == session_id)).all()
    said = db.exec(
        select(LabelTagRow.tag)
        .join(LabelRow, col(LabelRow.id) == col(LabelTagRow.label_id))
        .where(col(LabelRow.session_id) == session_id)
    ).all()
    _write_documents(db, [(0, [title, *tags, *said], "")], session_id, None)


def index_entry_of(role: str, text: str, setup: dict[str, Any], finish_reason: str) -> IndexEntry:
    """What there is to note of a message; nothing of one that no model wrote."""
    if role != Role.ASSISTANT:
        return IndexEntry((), ())
    reading = read_completion(text, setup, finish_reason)
    facts = tuple(facts_of(reading))
    return IndexEntry(
        facts, [*(call.name for call in reading.calls), *dict.fromkeys(fact.code for fact in facts)]
    )


def document_words(names: Sequence[str], text: str, start: int) -> tuple[list[str], list[str]]:
    """The words of a document: those of its names, those of its piece of text."""
    return list(_folded(" ".join(names))), list(_folded(text[start : start + CHUNK_SIZE_CHARS]))


def _write_documents(
    db: Session, pieces: Sequence[tuple[int, Sequence[str], str]], session_id: str, message_id: str | None
) -> None:
    documents = [
        DocumentRow(session_id=session_id, message_id=message_id, span_start=start) for start, _, _ in pieces
    ]
    db.add_all(documents)
    db.flush()
    insert_words(
        db.connection(),
        [
            (document.id, *document_words(names, text, start))
            for document, (start, names, text) in zip(documents, pieces, strict=True)
            if document.id is not None
        ],
    )


def _folded(text: str) -> Iterator[str]:
    return (word.folded for word in words_of(text))
