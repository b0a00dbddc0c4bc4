"""Write labels in the caller's transaction, without overwriting what somebody else saved in the meantime."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Protocol

from sqlmodel import Session, col, delete, select

from workbench.errors import WriteConflict
from workbench.records.labels.label import Label, LabelContent, NewLabel, content_text
from workbench.store.label_rows import OF_MESSAGE, content_of, put_content, slot_of
from workbench.store.message_writer import new_id
from workbench.store.tables.labels import LabelProjectRow, LabelRow, LabelTagRow


class LabelLog(Protocol):
    """Where labels go once their session is done; lines are added and never changed."""

    def write(self, labels: Sequence[Label]) -> None:
        """Adds them; what goes wrong is told in the program's log and stops nobody."""
        ...


class WrittenLabel(NamedTuple):
    """What became of a label."""

    row: LabelRow
    before: LabelContent | None
    """What it said before; None where there was none."""
    is_changed: bool
    """False where it said so already."""


def find_label(db: Session, project_id: str, new: NewLabel, *, is_writing: bool = False) -> LabelRow | None:
    """The label that takes the same place; None where there is none."""
    call_index = OF_MESSAGE if new.target.call_index is None else new.target.call_index
    its = select(LabelRow).where(
        col(LabelRow.project_id) == project_id,
        col(LabelRow.session_id) == new.target.session_id,
        col(LabelRow.message_id) == new.target.message_id,
        col(LabelRow.call_index) == call_index,
        col(LabelRow.slot) == slot_of(new.labeller, is_deciding=new.is_deciding),
    )
    return db.exec(its.with_for_update() if is_writing else its).first()


def write_label(db: Session, project: LabelProjectRow, new: NewLabel, now: datetime) -> WrittenLabel:
    """Writes a label.

    Where it says already what is to be said, nothing is written: a save that is tried again does no harm.

    Raises:
        WriteConflict: Somebody saved another one since `base_revision`.
    """
    there = find_label(db, project.id, new, is_writing=True)
    before = content_of(there) if there else None
    if there and _is_same(there, new):
        return WrittenLabel(there, before, is_changed=False)
    revision = there.revision if there else 0
    if revision != new.base_revision:
        raise WriteConflict(
            f"label of {new.target}",
            theirs=content_text(before) if before else "taken back",
            yours=content_text(new.content),
            revision=revision,
        )
    row = there or _new_row(project, new, now)
    put_content(row, new, now)
    db.add(row)
    db.flush()
    db.exec(delete(LabelTagRow).where(col(LabelTagRow.label_id) == row.id))
    db.add_all(LabelTagRow(label_id=row.id, tag=tag) for tag in new.content.tags)
    db.flush()
    return WrittenLabel(row, before, is_changed=True)


def with_tags_once(new: NewLabel) -> NewLabel:
    """The same with each tag once."""
    return replace(new, content=replace(new.content, tags=tuple(dict.fromkeys(new.content.tags))))


def _is_same(row: LabelRow, new: NewLabel) -> bool:
    return (content_of(row), row.labeller) == (new.content, new.labeller)


def _new_row(project: LabelProjectRow, new: NewLabel, now: datetime) -> LabelRow:
    return LabelRow(
        id=new_id(),
        project_id=project.id,
        session_id=new.target.session_id,
        message_id=new.target.message_id,
        call_index=OF_MESSAGE if new.target.call_index is None else new.target.call_index,
        slot=slot_of(new.labeller, is_deciding=new.is_deciding),
        labeller=new.labeller,
        tags=[],
        comment="",
        answers={},
        revision=0,
        created_at=now,
        updated_at=now,
    )
