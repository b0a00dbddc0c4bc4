"""Messages that were deleted out of their sessions."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Text
from sqlmodel import Field

from workbench.store.tables.base import StoreTable, UtcDateTime


class DeletedMessageRow(StoreTable, table=True):
    """A message that is shown no more; it goes with its message."""

    __tablename__: ClassVar[Any] = "deleted_message"

    message_id: str = Field(primary_key=True, sa_type=Text, foreign_key="message.id", ondelete="CASCADE")
    """The message."""
    session_id: str = Field(sa_type=Text, foreign_key="session.id", ondelete="CASCADE", index=True)
    """Its session."""
    root_id: str = Field(sa_type=Text)
    """The message that was deleted with all that followed it: itself, or one above it."""
    deleted_at: datetime = Field(sa_type=UtcDateTime)
    """When."""
