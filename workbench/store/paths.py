"""Reading a session's tree: one message, one path, all of it."""

from collections.abc import Iterator

from sqlmodel import Session, col, select

from workbench.chat.message import Role
from workbench.desk.kept import KeptMessage, TreeNode
from workbench.errors import StoreError
from workbench.store import rows
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
        raise StoreError(f"session {session_id!r} has no message {message_id!r} to go on from; open it again")
    return row


def read_path(db: Session, session: SessionRow, leaf_id: str | None) -> tuple[KeptMessage, ...]:
    """The messages from the root to `leaf_id`, or to the open leaf.

    Raises:
        StoreError: The session has no such leaf.
    """
    if leaf_id is not None:
        leaf_id = message_row(db, session.id, leaf_id).id
    last = leaf_id or session.leaf_id
    return () if last is None else tuple(rows.message_value(parts) for parts in _path_rows(db, last))


def read_tree(db: Session, session: SessionRow) -> tuple[TreeNode, ...]:
    """All messages of a session that are not deleted, the oldest first."""
    found = db.exec(
        select(MessageRow.id, MessageRow.parent_id, MessageRow.role, MessageRow.created_at)
        .outerjoin(DeletedMessageRow, col(DeletedMessageRow.message_id) == col(MessageRow.id))
        .where(col(MessageRow.session_id) == session.id, col(DeletedMessageRow.message_id).is_(None))
        .order_by(col(MessageRow.created_at), col(MessageRow.position), col(MessageRow.id))
    )
    return tuple(
        TreeNode(id=node_id, parent_id=parent_id, role=Role(role), created_at=created_at)
        for node_id, parent_id, role, created_at in found
    )


def _path_rows(db: Session, leaf_id: str) -> Iterator[rows.MessageParts]:
    """The rows of each message from the root to the leaf."""
    leaf = select(MessageRow.id, MessageRow.parent_id).where(col(MessageRow.id) == leaf_id)
    path = leaf.cte("path", recursive=True)
    above = select(MessageRow.id, MessageRow.parent_id).join(path, col(MessageRow.id) == path.c.parent_id)
    path = path.union_all(above)
    found = db.exec(
        select(MessageRow, GenerationRow, PromptRow, ToolRunRow)
        .join(path, col(MessageRow.id) == path.c.id)
        .outerjoin(GenerationRow, col(GenerationRow.id) == col(MessageRow.generation_id))
        .outerjoin(PromptRow, col(PromptRow.hash) == col(GenerationRow.prompt_hash))
        .outerjoin(ToolRunRow, col(ToolRunRow.message_id) == col(MessageRow.id))
        .order_by(col(MessageRow.position))
    )
    for message, generation, prompt, tool_run in found:
        yield rows.MessageParts(message=message, generation=generation, prompt=prompt, tool_run=tool_run)
