"""Read a session's tree: one message, one path, or the whole tree."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from sqlmodel import Session, col, select

from workbench.chat.message import Role
from workbench.errors import NoMessage
from workbench.records.session_tree import check_tree, path_ids
from workbench.records.sessions import StoredMessage, TreeNode
from workbench.store import rows
from workbench.store.damage import damage_of
from workbench.store.storable import problem_of
from workbench.store.tables import (
    DeletedMessageRow,
    GenerationRow,
    MessageRow,
    PromptRow,
    SessionRow,
    ToolRunRow,
)


def message_row(db: Session, session_id: str, message_id: str) -> MessageRow:
    """Return the row of a session's message.

    Raises:
        StoreError: The session has no message with this id.
    """
    row = None if problem_of(message_id) else db.get(MessageRow, message_id)
    if row is None or row.session_id != session_id:
        raise NoMessage(session_id, message_id)
    return row


def read_path(
    db: Session, session: SessionRow, leaf_id: str | None, *, is_for_others: bool = False
) -> tuple[StoredMessage, ...]:
    """Return the messages from the root to a leaf.

    Args:
        leaf_id: The last message. None takes the open leaf.
        is_for_others: True hides deleted messages: a deleted leaf is an error, and the open path ends before
            the first deleted message. The owner sees deleted messages, for example to restore them.

    Raises:
        StoreError: The session has no such leaf, or its messages do not form a tree.
    """
    if leaf_id is not None:
        leaf_id = message_row(db, session.id, leaf_id).id
    last = leaf_id or session.leaf_id
    if last is None:
        return ()
    parts = {message_parts.message.id: message_parts for message_parts in _path_rows(db, session.id, last)}
    parents = {message.id: message.parent_id for message, *_ in parts.values()}
    path = path_ids(parents, last, session.id)
    if is_for_others:
        path = _cut(db, session.id, path, is_named=leaf_id is not None)
    return tuple(rows.message_value(parts[message_id]) for message_id in path)


def read_tree(db: Session, session: SessionRow) -> tuple[TreeNode, ...]:
    """Return all messages of a session that are not deleted, oldest first.

    Raises:
        StoreError: They form a cycle.
    """
    found = db.exec(
        select(MessageRow.id, MessageRow.parent_id, MessageRow.role, MessageRow.created_at)
        .outerjoin(DeletedMessageRow, col(DeletedMessageRow.message_id) == col(MessageRow.id))
        .where(col(MessageRow.session_id) == session.id, col(DeletedMessageRow.message_id).is_(None))
        .order_by(col(MessageRow.created_at), col(MessageRow.position), col(MessageRow.id))
    )
    with damage_of(f"session {session.id!r}"):
        tree = tuple(
            TreeNode(id=node_id, parent_id=parent_id, role=Role(role), created_at=created_at)
            for node_id, parent_id, role, created_at in found
        )
    check_tree({node.id: node.parent_id for node in tree}, session.id)
    return tree


def _cut(db: Session, session_id: str, path: Sequence[str], *, is_named: bool) -> Sequence[str]:
    """Cut the path before its first deleted message."""
    query = select(DeletedMessageRow.message_id).where(col(DeletedMessageRow.session_id) == session_id)
    deleted = set(db.exec(query))
    shown = tuple(takewhile(lambda message_id: message_id not in deleted, path))
    if is_named and len(shown) < len(path):
        raise NoMessage(session_id, path[-1])
    return shown


def _path_rows(db: Session, session_id: str, leaf_id: str) -> Iterator[rows.MessageParts]:
    """Yield the rows of each message from the root to the leaf, in no particular order.

    `UNION` drops rows that were already found, so the recursion ends even if damaged parents form a cycle.
    """
    leaf = select(MessageRow.id, MessageRow.parent_id).where(
        col(MessageRow.id) == leaf_id, col(MessageRow.session_id) == session_id
    )
    path = leaf.cte("path", recursive=True)
    above = (
        select(MessageRow.id, MessageRow.parent_id)
        .join(path, col(MessageRow.id) == path.c.parent_id)
        .where(col(MessageRow.session_id) == session_id)
    )
    path = path.union(above)
    found = db.exec(
        select(MessageRow, GenerationRow, PromptRow, ToolRunRow)
        .join(path, col(MessageRow.id) == path.c.id)
        .outerjoin(GenerationRow, col(GenerationRow.id) == col(MessageRow.generation_id))
        .outerjoin(PromptRow, col(PromptRow.hash) == col(GenerationRow.prompt_hash))
        .outerjoin(ToolRunRow, col(ToolRunRow.message_id) == col(MessageRow.id))
    )
    for message, generation, prompt, tool_run in found:
        yield rows.MessageParts(message=message, generation=generation, prompt=prompt, tool_run=tool_run)
