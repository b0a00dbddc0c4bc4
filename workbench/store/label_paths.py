"""A session's path as far as staleness goes: when each message was made, corrected and accepted."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from workbench.chat.message import Role
from workbench.desk.labels.staleness import PathStep
from workbench.errors import StoreError
from workbench.store.label_rows import slot_of
from workbench.store.storable import problem_of
from workbench.store.tables import MessageRow, SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelRow


def role_of(db: Session, session: SessionRow, message_id: str) -> Role:
    """The role of a message of the session.

    Raises:
        StoreError: The session has no such message.
    """
    row = None if problem_of(message_id) else db.get(MessageRow, message_id)
    if row is None or row.session_id != session.id:
        raise StoreError(f"session {session.id!r} has no message {message_id!r}; open it again")
    return Role(row.role)


def read_steps(db: Session, session: SessionRow, leaf_id: str | None) -> Sequence[PathStep]:
    """The path from the root to the leaf; empty where the session is.

    Raises:
        StoreError: The session has no such leaf.
    """
    columns = select(MessageRow.id, MessageRow.parent_id, MessageRow.created_at)
    messages = {row[0]: row for row in db.exec(columns.where(col(MessageRow.session_id) == session.id))}
    message_id = leaf_id or session.leaf_id
    if message_id is not None and message_id not in messages:
        raise StoreError(f"session {session.id!r} has no message {message_id!r}; open it again")
    corrected, accepted = _corrected(db, session.id), _accepted(db, session.id)
    path: list[PathStep] = []
    while message_id is not None:
        own_id, message_id, created_at = messages[message_id]
        step = PathStep(
            message_id=own_id,
            created_at=created_at,
            corrected_at=corrected.get(own_id),
            accepted_at=accepted.get(own_id),
        )
        path.append(step)
    return path[::-1]


def _corrected(db: Session, session_id: str) -> Mapping[str, datetime]:
    """When each message, or a call of it, was last corrected; where a label decides, it alone counts."""
    rows = db.exec(select(LabelRow).where(col(LabelRow.session_id) == session_id)).all()
    deciding = slot_of("", is_deciding=True)
    decided = {_place(row) for row in rows if row.slot == deciding}
    moments: dict[str, datetime] = {}
    for row in rows:
        if row.corrected_at is None or (_place(row) in decided and row.slot != deciding):
            continue
        moments[row.message_id] = max(row.corrected_at, moments.get(row.message_id, row.corrected_at))
    return moments


def _place(row: LabelRow) -> tuple[str, str, int]:
    return row.project_id, row.message_id, row.call_index


def _accepted(db: Session, session_id: str) -> Mapping[str, datetime]:
    rows = db.exec(select(AcceptedMessageRow).where(col(AcceptedMessageRow.session_id) == session_id))
    return {row.message_id: row.accepted_at for row in rows}
