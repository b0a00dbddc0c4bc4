"""Write labels in the caller's transaction, and detect that somebody else saved the same label meanwhile."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Protocol

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, delete, select

from workbench.errors import WriteConflict
from workbench.names import usable_name
from workbench.records.label import Label, LabelContent, NewLabel, content_text
from workbench.store.corpus.label_rows import column_of, content_of, put_content, slot_of
from workbench.store.rows import new_id
from workbench.store.tables.labels import LabelProjectRow, LabelRow, LabelTagRow


class LabelLog(Protocol):
    """An append-only log that gets the labels of a session when its labelling is done."""

    def write(self, labels: Sequence[Label]) -> None:
        """Append labels. Errors are written to the program's log and not raised."""
        ...


class WrittenLabel(NamedTuple):
    """The result of writing a label."""

    row: LabelRow
    before: LabelContent | None
    """The previous content. None if the label is new."""
    is_changed: bool
    """False if the stored label already had this content."""


def find_label(
    db: Session,
    project_id: str,
    new: NewLabel,
    *,
    is_writing: bool = False,
    visible: ColumnElement[bool] | None = None,
) -> LabelRow | None:
    """Return the stored label of the same target and annotator (or the deciding one), or None.

    Args:
        visible: True for the labels that may be found. None finds all.
    """
    query = select(LabelRow).where(
        col(LabelRow.project_id) == project_id,
        col(LabelRow.session_id) == new.target.session_id,
        col(LabelRow.message_id) == new.target.message_id,
        col(LabelRow.call_index) == column_of(new.target.call_index),
        col(LabelRow.slot) == slot_of(new.annotator, is_deciding=new.is_deciding, is_model=new.is_model),
    )
    if visible is not None:
        query = query.where(visible)
    return db.exec(query.with_for_update() if is_writing else query).first()


def write_label(db: Session, project: LabelProjectRow, new: NewLabel, now: datetime) -> WrittenLabel:
    """Write a label. If the stored label already has this content, nothing is written, so a save can be repeated.

    Raises:
        WriteConflict: The stored label is not the one with `base_revision`: somebody saved another meanwhile.
    """
    stored = find_label(db, project.id, new, is_writing=True)
    before = content_of(stored) if stored else None
    if stored and _is_same(stored, new):
        return WrittenLabel(stored, before, is_changed=False)
    revision = stored.revision if stored else 0
    if revision != new.base_revision:
        raise WriteConflict(
            f"label of {new.target}",
            theirs=content_text(before) if before else "removed",
            yours=content_text(new.content),
            revision=revision,
        )
    return put_label(db, project, new, now, stored)


def put_label(
    db: Session,
    project: LabelProjectRow,
    new: NewLabel,
    now: datetime,
    stored: LabelRow | None,
    *,
    corrected_at: datetime | None = None,
) -> WrittenLabel:
    """Write a label over the stored one, whatever its revision.

    Args:
        stored: The stored label, or None.
        corrected_at: When the correction was made. None takes the current time if the correction changes.
    """
    before = content_of(stored) if stored else None
    row = stored or _new_row(project, new, now)
    put_content(row, new, now)
    if corrected_at is not None:
        row.corrected_at = corrected_at
    db.add(row)
    db.flush()
    db.exec(delete(LabelTagRow).where(col(LabelTagRow.label_id) == row.id))
    db.add_all(LabelTagRow(label_id=row.id, tag=tag) for tag in new.content.tags)
    db.flush()
    return WrittenLabel(row, before, is_changed=True)


def with_tags_once(new: NewLabel) -> NewLabel:
    """Return the label without repeated tags.

    Raises:
        BadInput: A tag has an invisible character.
    """
    tags = dict.fromkeys(usable_name(tag, f"tag {tag!r}") for tag in new.content.tags)
    return replace(new, content=replace(new.content, tags=tuple(tags)))


def _is_same(row: LabelRow, new: NewLabel) -> bool:
    return (content_of(row), row.labeller) == (new.content, new.annotator)


def _new_row(project: LabelProjectRow, new: NewLabel, now: datetime) -> LabelRow:
    return LabelRow(
        id=new_id(),
        project_id=project.id,
        session_id=new.target.session_id,
        message_id=new.target.message_id,
        call_index=column_of(new.target.call_index),
        slot=slot_of(new.annotator, is_deciding=new.is_deciding, is_model=new.is_model),
        labeller=new.annotator,
        tags=[],
        comment="",
        answers={},
        revision=0,
        created_at=now,
        updated_at=now,
    )
