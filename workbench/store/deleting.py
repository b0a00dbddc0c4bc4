"""Delete messages from a session; they stay restorable as long as the session exists."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, func, select

from workbench.chat.message import Role
from workbench.errors import BadInput, StoreError
from workbench.records.sessions import DeletedMessages, TreeNode
from workbench.store.database import Database
from workbench.store.paths import message_row, read_tree
from workbench.store.tables import (
    DeletedMessageRow,
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


def restorable_since(now: datetime) -> datetime:
    """What was deleted then or before is over."""
    return now - RESTORABLE


def purge(database: Database, now: datetime) -> int:
    """Removes the rows of all sessions whose time is over, and the prompts that nobody points at then.

    Rows of other tables that point at a session, a message or a generation go by their `ON DELETE CASCADE`.

    Args:
        now: The moment, aware.

    Returns:
        How many sessions there were.

    Raises:
        StoreError: They could not be read or written.
    """
    is_over = col(SessionRow.deleted_at) <= restorable_since(now)
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


EXCERPT_CHARS = 200
"""So much of a deleted message's text is told."""


def delete_messages(db: Session, session: SessionRow, message_id: str, now: datetime) -> None:
    """Hides a message and all below it; where the open leaf is among them, its parent is open from then on.

    Raises:
        BadInput: It is the beginning of the session.
        StoreError: The session has no such message.
    """
    row = message_row(db, session.id, message_id)
    if row.parent_id is None:
        raise BadInput("this message", "the session begins with it", "delete the session instead")
    below = _below(read_tree(db, session), message_id)
    db.add_all(
        DeletedMessageRow(message_id=one, session_id=session.id, root_id=message_id, deleted_at=now)
        for one in below
    )
    if session.leaf_id in below:
        session.leaf_id = row.parent_id


def restore_messages(db: Session, session: SessionRow, root_id: str) -> str:
    """Brings back what was deleted with a message; the last of it, which is open from then on.

    Raises:
        StoreError: Nothing was deleted with it, or what it follows is deleted too.
    """
    parent_id = message_row(db, session.id, root_id).parent_id
    gone = col(DeletedMessageRow.root_id) == root_id
    there = set(db.exec(select(DeletedMessageRow.message_id).where(gone)))
    if not there or (parent_id and db.get(DeletedMessageRow, parent_id)):
        raise StoreError(
            f"message {root_id!r} cannot be brought back: what it follows is deleted, or it is there"
        )
    db.exec(delete(DeletedMessageRow).where(gone))
    leaf_id = [node.id for node in read_tree(db, session) if node.id in there][-1]
    session.leaf_id = leaf_id
    return leaf_id


def read_deleted(db: Session, session: SessionRow) -> tuple[DeletedMessages, ...]:
    """What was deleted, last deleted first."""
    size = func.count().label("size")
    own = col(DeletedMessageRow.session_id) == session.id
    groups = (
        select(col(DeletedMessageRow.root_id), func.max(DeletedMessageRow.deleted_at).label("at"), size)
        .where(own)
        .group_by(col(DeletedMessageRow.root_id))
        .subquery()
    )
    text = func.substr(col(MessageRow.text), 1, EXCERPT_CHARS)
    found = db.exec(
        select(MessageRow.id, MessageRow.role, text, groups.c.size)
        .join(groups, col(MessageRow.id) == groups.c.root_id)
        .order_by(groups.c.at.desc(), col(MessageRow.id))
    )
    return tuple(
        DeletedMessages(message_id=root_id, role=Role(role), excerpt=excerpt, count=count)
        for root_id, role, excerpt, count in found
    )


def is_shown() -> ColumnElement[bool]:
    """Whether the message of the outer query is not deleted."""
    return ~(
        select(DeletedMessageRow.message_id)
        .where(col(DeletedMessageRow.message_id) == col(MessageRow.id))
        .correlate(MessageRow)
        .exists()
    )


def _below(tree: Sequence[TreeNode], message_id: str) -> set[str]:
    """A message and all below it."""
    found = {message_id}
    for node in tree:
        if node.parent_id in found:
            found.add(node.id)
    return found
