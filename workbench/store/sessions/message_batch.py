"""Collect the rows of many messages, and write them with one statement for each table.

Writing a message through the ORM takes about ten statements. Imported rows and recorded requests have many messages at
once, so their values are collected first. What is written is the same as with `message_writer`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlmodel import Session

from workbench.chat.message import Role
from workbench.records.sessions import NewMessage
from workbench.rollout.ports import FinishReason
from workbench.store import rows
from workbench.store.database import insert_all_if_absent, insert_rows
from workbench.store.sessions.facts import fact_row
from workbench.store.sessions.search_index import DocumentPiece, index_entry_of, write_documents
from workbench.store.sessions.search_terms import chunks_of
from workbench.store.tables import FactRow, MessageRow, SessionToolRow


class Written(NamedTuple):
    """A message of the batch, or one that is stored already."""

    id: str
    position: int
    """Number of messages above it."""


@dataclass(slots=True)
class MessageBatch:
    """Values of messages, their facts and search documents, by table."""

    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    facts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    pieces: list[DocumentPiece] = field(default_factory=list[DocumentPiece])
    tools: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    """Sessions with the tools that they call."""

    def add(
        self,
        new: NewMessage,
        session_id: str,
        parent: Written | None,
        setup: Mapping[str, Any],
        now: datetime,
        *,
        generation_id: int | None = None,
        copy_of: str | None = None,
    ) -> Written:
        """Add a message.

        Args:
            parent: The message above it. None adds a root.
            setup: The setup of its session, as stored.
            now: When it is stored.
            generation_id: The generation of a model's message, which is written already.
            copy_of: For a copy, the original, which is not a copy itself. A copy is not searched for.
        """
        message_id = rows.new_id()
        parent_id, position = (parent.id, parent.position + 1) if parent else (None, 0)
        values = rows.message_values(new, message_id, session_id, parent_id, position, now)
        self.messages.append({**values, "generation_id": generation_id, "copy_of": copy_of})
        if copy_of is None and new.message.role is not Role.SYSTEM:
            finish_reason = new.generation.finish_reason if new.generation else FinishReason.STOP
            self._add_index(new, session_id, message_id, setup, finish_reason)
        return Written(message_id, position)

    def write(self, db: Session) -> None:
        """Write everything. The sessions and generations must be written before."""
        connection = db.connection()
        insert_rows(connection, MessageRow, self.messages)
        insert_rows(connection, FactRow, self.facts)
        called = [{"session_id": session_id, "tool": tool} for session_id, tool in self.tools]
        insert_all_if_absent(db, SessionToolRow, called)
        write_documents(connection, self.pieces)

    def _add_index(
        self,
        new: NewMessage,
        session_id: str,
        message_id: str,
        setup: Mapping[str, Any],
        finish_reason: FinishReason,
    ) -> None:
        """Add the facts and search documents of a message, as `index_message` writes them."""
        message = new.message
        called = [call.name for call in message.calls]
        entry = index_entry_of(
            message.role, message.text, dict(setup), finish_reason, called=called, name=message.name
        )
        self.tools.update(dict.fromkeys((session_id, tool) for tool in entry.tools))
        for fact in entry.facts:
            row = fact_row(fact, session_id=session_id, message_id=message_id)
            self.facts.append(row.model_dump(exclude={"id"}))
        self.pieces += [
            DocumentPiece(session_id, message_id, start, entry.names, message.text)
            for start in chunks_of(message.text)
        ]
