"""Delete messages from sessions and restore them, and purge sessions that were deleted long ago.

Deleted messages can be restored as long as their session exists.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

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
    LabelProjectRow,
    MessageRow,
    PresetRow,
    PromptRow,
    RunRow,
    SessionRow,
    SessionTagRow,
    ToolRunRow,
    UnfinishedRow,
)

RESTORABLE: Final = timedelta(days=30)
"""How long a deleted session can be restored."""


def restorable_since(now: datetime) -> datetime:
    """Return the time limit: sessions that were deleted at or before it cannot be restored."""
    return now - RESTORABLE


def purge_rows(database: Database, table: type[PresetRow] | type[RunRow], now: datetime) -> int:
    """Delete all rows of a table that can no longer be restored, and return their number.

    Args:
        now: The current time, with a time zone.

    Raises:
        StoreError: The rows could not be read or deleted.
    """
    is_expired = col(table.deleted_at) <= restorable_since(now)
    # Most of the time there are none. Reading first saves the lock for writing.
    with database.reading() as db:
        if db.exec(select(table.id).where(is_expired).limit(1)).first() is None:
            return 0
    with database.writing() as db:
        return db.exec(delete(table).where(is_expired)).rowcount


def purge(database: Database, now: datetime) -> int:
    """Delete all sessions that can no longer be restored, and prompts that are no longer used.

    Rows of other tables that refer to a session, a message or a generation are deleted by their
    `ON DELETE CASCADE`.

    Args:
        now: The current time, with a time zone.

    Returns:
        The number of deleted sessions.

    Raises:
        StoreError: The sessions could not be read or deleted.
    """
    is_expired = col(SessionRow.deleted_at) <= restorable_since(now)
    with database.reading() as db:
        if db.exec(select(SessionRow.id).where(is_expired).limit(1)).first() is None:
            return 0
    with database.writing() as db:
        expired = select(SessionRow.id).where(is_expired)
        messages = select(MessageRow.id).where(col(MessageRow.session_id).in_(expired))
        db.exec(delete(ToolRunRow).where(col(ToolRunRow.message_id).in_(messages)))
        db.exec(delete(UnfinishedRow).where(col(UnfinishedRow.session_id).in_(expired)))
        db.exec(delete(SessionTagRow).where(col(SessionTagRow.session_id).in_(expired)))
        db.exec(delete(MessageRow).where(col(MessageRow.session_id).in_(expired)))
        db.exec(delete(GenerationRow).where(col(GenerationRow.session_id).in_(expired)))
        count = db.exec(delete(SessionRow).where(is_expired)).rowcount
        used = select(GenerationRow.prompt_hash).where(col(GenerationRow.prompt_hash) == col(PromptRow.hash))
        db.exec(delete(PromptRow).where(~used.exists()))
        return count


EXCERPT_CHARS = 200
"""How many characters of a deleted message's text are returned."""


def delete_messages(db: Session, session: SessionRow, message_id: str, now: datetime) -> None:
    """Hide a message and all messages below it. If the open leaf is one of them, the message's parent is opened.

    Raises:
        BadInput: The message is a root.
        StoreError: The session has no such message.
    """
    row = message_row(db, session.id, message_id)
    if row.parent_id is None:
        raise BadInput("this message", "the session begins with it", "delete the session instead")
    deleted_ids = _subtree_ids(read_tree(db, session), message_id)
    db.add_all(
        DeletedMessageRow(message_id=deleted_id, session_id=session.id, root_id=message_id, deleted_at=now)
        for deleted_id in deleted_ids
    )
    if session.leaf_id in deleted_ids:
        session.leaf_id = row.parent_id


def restore_messages(db: Session, session: SessionRow, root_id: str) -> str:
    """Restore the messages that were deleted together with a message.

    Returns:
        The id of the last restored message, which becomes the open leaf.

    Raises:
        StoreError: The message was not deleted, or its parent is deleted too.
    """
    parent_id = message_row(db, session.id, root_id).parent_id
    is_of_group = col(DeletedMessageRow.root_id) == root_id
    restored_ids = set(db.exec(select(DeletedMessageRow.message_id).where(is_of_group)))
    if not restored_ids or (parent_id and db.get(DeletedMessageRow, parent_id)):
        raise StoreError(
            f"message {root_id!r} cannot be restored: it was not deleted, or the message above it is deleted too"
        )
    db.exec(delete(DeletedMessageRow).where(is_of_group))
    leaf_id = [node.id for node in read_tree(db, session) if node.id in restored_ids][-1]
    session.leaf_id = leaf_id
    return leaf_id


def read_deleted(db: Session, session: SessionRow) -> tuple[DeletedMessages, ...]:
    """Return the deleted parts of a session, most recently deleted first."""
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
    """Return a condition that is true if the message of the outer query is not deleted."""
    return ~(
        select(DeletedMessageRow.message_id)
        .where(col(DeletedMessageRow.message_id) == col(MessageRow.id))
        .correlate(MessageRow)
        .exists()
    )


def is_of_shown_project(project_id: Any) -> ColumnElement[bool]:
    """Return a condition that is true if the labelling project with this id, a column, is not deleted."""
    return project_id.not_in(select(LabelProjectRow.id).where(col(LabelProjectRow.deleted_at).is_not(None)))


def _subtree_ids(tree: Sequence[TreeNode], message_id: str) -> set[str]:
    """Return the ids of a message and of all messages below it."""
    ids = {message_id}
    for node in tree:
        if node.parent_id in ids:
            ids.add(node.id)
    return ids
