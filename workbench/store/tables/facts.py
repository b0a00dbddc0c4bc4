"""What the reader noted of the models' messages."""

from typing import Any, ClassVar

from sqlalchemy import ForeignKeyConstraint, Index, Text
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable


class NoteRow(StoreTable, table=True):
    """One note of the tool `memory`."""

    __tablename__: ClassVar[Any] = "note"

    scope: str = Field(primary_key=True, sa_type=Text)
    """Whose it is, as `workbench.store.owned` writes it."""
    position: int = Field(primary_key=True)
    """From 0, the oldest first."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class DocumentRow(StoreTable, table=True):
    """A piece of a message, or a session's title and tags; its words go with it, by trigger or foreign key."""

    __tablename__: ClassVar[Any] = "search_document"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(["session_id"], ["session.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
        Index("ix_search_document_message_id", "message_id"),
        Index("ix_search_document_session_id_message_id", "session_id", "message_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """None before it is written; number of its row in `search_words`; a later one is higher."""
    session_id: str = Field(sa_type=Text)
    """Where it belongs."""
    message_id: str | None = Field(default=None, sa_type=Text)
    """The message; None of a title and tags."""
    span_start: int
    """Where the piece begins in the message's text, in code points."""


class FactRow(StoreTable, table=True):
    """A fix, a finding or a dropped block of a message; gone with it."""

    __tablename__: ClassVar[Any] = "fact"
    __table_args__: ClassVar[Any] = (
        ForeignKeyConstraint(
            ["session_id", "message_id"], ["message.session_id", "message.id"], ondelete="CASCADE"
        ),
        Index("ix_fact_session_id_kind_code", "session_id", "kind", "code"),
        Index("ix_fact_message_id", "message_id"),
        Index("ix_fact_code", "code"),
    )

    id: int | None = Field(default=None, primary_key=True)
    """None before it is written; in order of place within a message and kind."""
    session_id: str = Field(sa_type=Text)
    """The message's."""
    message_id: str = Field(sa_type=Text)
    """What was read."""
    kind: str = Field(sa_type=Text)
    """A `FactKind`."""
    code: str = Field(sa_type=Text)
    """Stable word from the table of codes; of a drop the first error of its block, else `dropped`."""
    severity: str | None = Field(default=None, sa_type=Text)
    """Of a finding, a `Severity`; else None."""
    is_guess: bool
    """Of a fix: whether another meaning is possible."""
    span_start: int | None = Field(default=None)
    """First code point in the message; None where it has no place."""
    span_end: int | None = Field(default=None)
    """Behind the last code point; None as above."""
    note: str = Field(sa_type=Text)
    """Of a finding: what it says; else empty."""
    edits: list[dict[str, Any]] = Field(sa_type=StoredJson(list))
    """Of a fix: `span`, `before` and `after` of each edit; else empty."""
