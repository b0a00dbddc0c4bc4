"""What is searched; the words stand in `search_words`, whose form is the database's own."""

from typing import Any, ClassVar

from sqlalchemy import ForeignKeyConstraint, Index, Text
from sqlmodel import Field

from workbench.store.tables.base import StoreTable


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
