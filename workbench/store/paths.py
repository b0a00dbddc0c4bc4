"""Read a session's tree: one message, one path, or all of it."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from sqlmodel import Session, col, select

from workbench.chat.message import Role
from workbench.errors import StoreError
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
    """A message of that session.

    Raises:
        StoreError: The session has none of that id.
    """
    row = None if problem_of(message_id) else db.get(MessageRow, message_id)
    if row is None or row.session_id != session_id:
        raise _no_message(session_id, message_id)
    return row


def read_path(
    db: Session, session: SessionRow, leaf_id: str | None, *, is_for_others: bool = False
) -> tuple[StoredMessage, ...]:
    """The messages from the root to `leaf_id`, or to the open leaf.

    Args:
        session: Whose messages.
        leaf_id: The last message; None takes the open leaf.
        is_for_others: What was deleted is not there for them: naming it is an error, and the open path ends
            before it.

    Raises:
        StoreError: The session has no such leaf, or its messages do not form a tree.
    """
    if leaf_id is not None:
        leaf_id = message_row(db, session.id, leaf_id).id
    last = leaf_id or session.leaf_id
    if last is None:
        return ()
    parts = {one.message.id: one for one in _path_rows(db, session.id, last)}
    path = path_ids({one.id: one.parent_id for one, *_ in parts.values()}, last, session.id)
    if is_for_others:
        path = _cut(db, session.id, path, is_named=leaf_id is not None)
    return tuple(rows.message_value(parts[message_id]) for message_id in path)


def read_tree(db: Session, session: SessionRow) -> tuple[TreeNode, ...]:
    """All messages of a session that are not deleted, the oldest first.

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
    """The path as others see it: up to the first message that was deleted."""
    its = select(DeletedMessageRow.message_id).where(col(DeletedMessageRow.session_id) == session_id)
    deleted = set(db.exec(its))
    shown = tuple(takewhile(lambda message_id: message_id not in deleted, path))
    if is_named and len(shown) < len(path):
        raise _no_message(session_id, path[-1])
    return shown


def _no_message(session_id: str, message_id: str) -> StoreError:
    return StoreError(f"session {session_id!r} has no message {message_id!r} to go on from; open it again")


def _path_rows(db: Session, session_id: str, leaf_id: str) -> Iterator[rows.MessageParts]:
    """The rows of each message from the root to the leaf, in no order.

    `UNION` leaves out what was found before: so the walk ends where damaged parents form a cycle.
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
