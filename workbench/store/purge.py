"""Deleted for good: sessions whose time to be restored is over."""

from datetime import datetime, timedelta
from typing import Final

from sqlmodel import col, delete, select

from workbench.store.database import Database
from workbench.store.tables import (
    GenerationRow,
    MessageRow,
    PromptRow,
    SessionRow,
    SessionTagRow,
    ToolRunRow,
    UnfinishedRow,
)

RESTORABLE: Final = timedelta(days=30)
"""How long a deleted session can be restored."""


def kept_since(now: datetime) -> datetime:
    """What was deleted then or before is over."""
    return now - RESTORABLE


def purge(database: Database, now: datetime) -> int:
    """Removes the rows of all sessions whose time is over, and the prompts that nobody points at then.

    Rows of other tables that point at a session, a message or a generation go by their `ON DELETE CASCADE`.

    Args:
        database: Where they are.
        now: The moment, aware.

    Returns:
        How many sessions there were.

    Raises:
        StoreError: They could not be read or written.
    """
    is_over = col(SessionRow.deleted_at) <= kept_since(now)
    with database.reading() as db:
        if db.exec(select(SessionRow.id).where(is_over).limit(1)).first() is None:
            return 0
    with database.writing() as db:
        over = select(SessionRow.id).where(is_over)
        messages = select(MessageRow.id).where(col(MessageRow.session_id).in_(over))
        db.exec(delete(ToolRunRow).where(col(ToolRunRow.message_id).in_(messages)))
        db.exec(delete(UnfinishedRow).where(col(UnfinishedRow.session_id).in_(over)))
        db.exec(delete(SessionTagRow).where(col(SessionTagRow.session_id).in_(over)))
        db.exec(delete(MessageRow).where(col(MessageRow.session_id).in_(over)))
        db.exec(delete(GenerationRow).where(col(GenerationRow.session_id).in_(over)))
        count = db.exec(delete(SessionRow).where(is_over)).rowcount
        used = select(GenerationRow.prompt_hash).where(col(GenerationRow.prompt_hash) == col(PromptRow.hash))
        db.exec(delete(PromptRow).where(~used.exists()))
        return count
