"""Convert rows of labels to values and back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement
from sqlalchemy import select as select_many
from sqlmodel import Session, col, select

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.records.label import (
    AddedCall,
    Correction,
    Label,
    LabelContent,
    LabelTarget,
    NewLabel,
    Verdict,
    call_json,
)
from workbench.records.session_tree import path_ids
from workbench.records.staleness import PathStep
from workbench.store.damage import damage_of
from workbench.store.deleting import is_of_shown_project
from workbench.store.paths import message_row
from workbench.store.rows import call_value
from workbench.store.tables import MessageRow, SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelRow

OF_MESSAGE: Final = -1
"""Stands for "no call" in the column `call_index` of a label on a whole message. A unique key cannot contain NULL."""


MODEL_SLOT: Final = "model:"
"""Beginning of the column `slot` of a model's label."""


def slot_of(annotator: str, *, is_deciding: bool, is_model: bool = False) -> str:
    """Return the value of the column `slot`. A target has one slot per annotator and one for the deciding label."""
    if is_model:
        return f"{MODEL_SLOT}{annotator}"
    return "decision" if is_deciding else f"labeller:{annotator}"


def column_of(call_index: int | None) -> int:
    """Return the value of the column `call_index` for a call, or for None, the whole message."""
    return OF_MESSAGE if call_index is None else call_index


def target_of(row: LabelRow) -> LabelTarget:
    """Return the target of a label's row."""
    return LabelTarget(
        session_id=row.session_id,
        message_id=row.message_id,
        call_index=None if row.call_index == OF_MESSAGE else row.call_index,
    )


def put_content(row: LabelRow, new: NewLabel, now: datetime) -> None:
    """Write a label's content into its row and raise the revision by one."""
    content = new.content
    previous = (row.correction_text, row.correction_call)
    row.labeller = new.annotator
    row.verdict = content.verdict.value if content.verdict else None
    row.rating = content.rating
    row.tags = list(content.tags)
    row.comment = content.comment
    row.answers = dict(content.answers)
    row.correction_text, row.correction_call = _correction_columns(content.correction)
    if content.correction is None:
        row.corrected_at = None
    elif (row.correction_text, row.correction_call) != previous:
        row.corrected_at = now
    row.revision += 1
    row.updated_at = now


def content_of(row: LabelRow) -> LabelContent:
    """Return the content of a label's row.

    Raises:
        StoreError: The row is damaged.
    """
    with damage_of(f"label {row.id!r} of message {row.message_id!r}"):
        return LabelContent(
            verdict=Verdict(row.verdict) if row.verdict else None,
            rating=row.rating,
            tags=tuple(row.tags),
            comment=row.comment,
            correction=_correction_of(row),
            answers=row.answers,
        )


def label_value(row: LabelRow, project: str) -> Label:
    """Convert a row to a label of the project with this name."""
    return Label(
        id=row.id,
        target=target_of(row),
        content=content_of(row),
        annotator=row.labeller,
        project=project,
        is_deciding=row.slot == slot_of("", is_deciding=True),
        is_model=row.slot.startswith(MODEL_SLOT),
        revision=row.revision,
        created_at=row.created_at,
        updated_at=row.updated_at,
        corrected_at=row.corrected_at,
    )


def _correction_columns(correction: Correction | None) -> tuple[str | None, dict[str, JsonValue] | None]:
    if isinstance(correction, str | None):
        return correction, None
    return None, {**call_json(correction)}


def _correction_of(row: LabelRow) -> Correction | None:
    if row.correction_call is None:
        return row.correction_text
    document = dict(row.correction_call)
    result, is_before = document.pop("result", None), document.pop("before", None)
    call = call_value(document)
    return call if result is None else AddedCall(call=call, result=str(result), is_before=bool(is_before))


def original_of(db: Session, session: SessionRow, message_id: str) -> MessageRow:
    """Return the message that labels of `message_id` belong to. Copies share the labels of the original.

    Raises:
        StoreError: The session has no such message.
    """
    row = message_row(db, session.id, message_id)
    return row if row.copy_of is None else message_row(db, session.id, row.copy_of)


def read_steps(
    db: Session,
    session: SessionRow,
    leaf_id: str | None,
    *,
    counts: ColumnElement[bool] | None = None,
    accepted_by: str | None = None,
) -> Sequence[PathStep]:
    """Return the path from the root to a leaf, with the times that decide which messages are stale.

    Args:
        leaf_id: The last message of the path. None takes the open leaf.
        counts: True for the labels whose corrections count. None counts all.
        accepted_by: The annotator whose acceptances count. None counts those of all.

    Returns:
        The steps, root first. Empty if the session has no messages.

    Raises:
        StoreError: The session has no such leaf, or its messages do not form a tree.
    """
    columns = (
        MessageRow.id,
        MessageRow.parent_id,
        MessageRow.copy_of,
        MessageRow.created_at,
        MessageRow.role,
    )
    query = select_many(*map(col, columns)).where(col(MessageRow.session_id) == session.id)
    rows: Sequence[Any] = db.connection().execute(query).all()
    messages = {row[0]: row for row in rows}
    corrected, accepted = _corrected(db, session.id, counts), _accepted(db, session.id, accepted_by)
    message_id = message_row(db, session.id, leaf_id).id if leaf_id is not None else session.leaf_id
    if message_id is None:
        return ()
    parents = {row[0]: row[1] for row in messages.values()}
    path: list[PathStep] = []
    for own_id in path_ids(parents, message_id, session.id):
        copy_of = messages[own_id][2]
        original_id, _, _, created_at, role = messages[copy_of if copy_of in messages else own_id]
        step = PathStep(
            message_id=own_id,
            created_at=created_at,
            accepted_at=accepted.get(original_id),
            is_result=role == Role.TOOL,
            **corrected.get(original_id, {}),
        )
        path.append(step)
    return path


def _corrected(
    db: Session, session_id: str, counts: ColumnElement[bool] | None
) -> Mapping[str, Mapping[str, datetime]]:
    """Return the times of each message's corrections, by the field of `PathStep`. A deciding label hides the others."""
    query = select(LabelRow).where(
        col(LabelRow.session_id) == session_id, is_of_shown_project(col(LabelRow.project_id))
    )
    rows = db.exec(query if counts is None else query.where(counts)).all()
    deciding = slot_of("", is_deciding=True)
    decided = {_place(row) for row in rows if row.slot == deciding}
    moments: dict[str, dict[str, datetime]] = defaultdict(dict)
    for row in rows:
        if row.corrected_at is None or (_place(row) in decided and row.slot != deciding):
            continue
        field, own = _moment_of(row), moments[row.message_id]
        own[field] = max(row.corrected_at, own.get(field, row.corrected_at))
    return moments


def _moment_of(row: LabelRow) -> str:
    """Return the field of `PathStep` with the time of this label's correction."""
    correction = _correction_of(row)
    if not isinstance(correction, AddedCall):
        return "corrected_at"
    return "called_before_at" if correction.is_before else "called_beside_at"


def _place(row: LabelRow) -> tuple[str, str, int]:
    return row.project_id, row.message_id, row.call_index


def _accepted(db: Session, session_id: str, who: str | None) -> Mapping[str, datetime]:
    """Return when each message was last accepted."""
    query = select(AcceptedMessageRow).where(col(AcceptedMessageRow.session_id) == session_id)
    rows = db.exec(query if who is None else query.where(col(AcceptedMessageRow.who) == who))
    accepted: dict[str, datetime] = {}
    for row in rows:
        accepted[row.message_id] = max(row.accepted_at, accepted.get(row.message_id, row.accepted_at))
    return accepted
