"""A session's path as far as staleness goes: when each message was made, corrected and accepted."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from workbench.records.labels.rules import PathStep
from workbench.records.session_tree import path_ids
from workbench.store.label_rows import slot_of
from workbench.store.paths import message_row
from workbench.store.tables import MessageRow, SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelRow


def original_of(db: Session, session: SessionRow, message_id: str) -> MessageRow:
    """The message that labels of `message_id` belong to: copies on other branches share theirs.

    Raises:
        StoreError: The session has no such message.
    """
    row = message_row(db, session.id, message_id)
    return row if row.copy_of is None else message_row(db, session.id, row.copy_of)


def read_steps(db: Session, session: SessionRow, leaf_id: str | None) -> Sequence[PathStep]:
    """The path from the root to the leaf; empty where the session is.

    Raises:
        StoreError: The session has no such leaf, or its messages do not form a tree.
    """
    its = select(MessageRow.id, MessageRow.parent_id, MessageRow.copy_of, MessageRow.created_at)
    messages = {row[0]: row for row in db.exec(its.where(col(MessageRow.session_id) == session.id))}
    corrected, accepted = _corrected(db, session.id), _accepted(db, session.id)
    message_id = message_row(db, session.id, leaf_id).id if leaf_id is not None else session.leaf_id
    if message_id is None:
        return ()
    parents = {own_id: parent_id for own_id, parent_id, _, _ in messages.values()}
    path: list[PathStep] = []
    for own_id in path_ids(parents, message_id, session.id):
        copy_of = messages[own_id][2]
        original_id, _, _, created_at = messages[copy_of if copy_of in messages else own_id]
        step = PathStep(
            message_id=own_id,
            created_at=created_at,
            corrected_at=corrected.get(original_id),
            accepted_at=accepted.get(original_id),
        )
        path.append(step)
    return path


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
