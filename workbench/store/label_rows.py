"""Rows of labels and projects to values and back."""

from dataclasses import asdict
from datetime import datetime
from typing import Final

from workbench.chat.message import ToolCall
from workbench.records.labels.label import Label, LabelContent, NewLabel, Target, Verdict
from workbench.records.labels.project import Project, Question
from workbench.store.damage import damage_of
from workbench.store.row_json import call_value
from workbench.store.tables.labels import LabelProjectRow, LabelRow

OF_MESSAGE: Final = -1
"""The call's place where the label is of the message itself: a unique key cannot hold NULL."""


def slot_of(labeller: str, *, is_deciding: bool) -> str:
    """Whose place a label takes: each labeller has one at a target, and the deciding label another."""
    return "decision" if is_deciding else f"labeller:{labeller}"


def put_content(row: LabelRow, new: NewLabel, now: datetime) -> None:
    """Writes what a label says into its row, as a further revision."""
    content = new.content
    had = (row.correction_text, row.correction_call)
    row.labeller = new.labeller
    row.verdict = content.verdict.value if content.verdict else None
    row.rating = content.rating
    row.tags = list(content.tags)
    row.comment = content.comment
    row.answers = dict(content.answers)
    row.correction_text, row.correction_call = _correction_columns(content.correction)
    if content.correction is None:
        row.corrected_at = None
    elif (row.correction_text, row.correction_call) != had:
        row.corrected_at = now
    row.revision += 1
    row.updated_at = now


def content_of(row: LabelRow) -> LabelContent:
    """What a label says.

    Raises:
        StoreError: Its row is damaged.
    """
    call = row.correction_call
    with damage_of(f"label {row.id!r} of message {row.message_id!r}"):
        return LabelContent(
            verdict=Verdict(row.verdict) if row.verdict else None,
            rating=row.rating,
            tags=tuple(row.tags),
            comment=row.comment,
            correction=row.correction_text if call is None else call_value(call),
            answers=row.answers,
        )


def label_value(row: LabelRow, project: str) -> Label:
    """The label as the other floors know it."""
    return Label(
        id=row.id,
        target=Target(
            session_id=row.session_id,
            message_id=row.message_id,
            call_index=None if row.call_index == OF_MESSAGE else row.call_index,
        ),
        content=content_of(row),
        labeller=row.labeller,
        project=project,
        is_deciding=row.slot == slot_of("", is_deciding=True),
        revision=row.revision,
        created_at=row.created_at,
        updated_at=row.updated_at,
        corrected_at=row.corrected_at,
    )


def put_project(row: LabelProjectRow, project: Project) -> None:
    """Writes a project into its row."""
    row.guidelines = project.guidelines
    row.questions = [asdict(question) for question in project.questions]
    row.overlap = project.overlap


def project_value(row: LabelProjectRow) -> Project:
    """The project as the other floors know it.

    Raises:
        StoreError: Its row is damaged.
    """
    with damage_of(f"label project {row.name!r}"):
        return Project(
            name=row.name,
            guidelines=row.guidelines,
            questions=tuple(
                Question(name=one["name"], text=one["text"], choices=tuple(one["choices"]))
                for one in row.questions
            ),
            overlap=row.overlap,
        )


def _correction_columns(correction: str | ToolCall | None) -> tuple[str | None, dict[str, object] | None]:
    if isinstance(correction, ToolCall):
        return None, {"name": correction.name, "arguments": correction.arguments}
    return correction, None
