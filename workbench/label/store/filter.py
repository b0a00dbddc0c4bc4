"""The conditions of the labelling queue's filter."""

from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, or_, select
from sqlalchemy.orm import Mapped
from sqlmodel import col

from workbench.label.records.project import QueueFilter
from workbench.records.facts import FactKind
from workbench.store.storable import problem_of
from workbench.store.tables import (
    FactRow,
    GenerationRow,
    ImportRow,
    LabelReviewRow,
    LabelRow,
    LabelTagRow,
    SessionRow,
    SessionTagRow,
    SessionToolRow,
)


def names_unstorable_text(chosen: QueueFilter) -> bool:
    """Whether the filter contains a text that cannot be stored, so that no session can match."""
    texts = (
        chosen.assignee, chosen.tag, chosen.verdict, chosen.contract_version, chosen.model,
        chosen.format, chosen.source, chosen.tool, chosen.finding, chosen.row,
    )  # fmt: skip
    return any(problem_of(text) for text in texts if text is not None)


def filter_conditions(
    chosen: QueueFilter, state: ColumnElement[Any], assignee: ColumnElement[Any] | None, labels: Select[Any]
) -> list[ColumnElement[bool]]:
    """Return one condition for each part of the filter that is set.

    Args:
        state: The state of an item.
        assignee: The assignee of an item. None if items are not assigned to anybody, as in a review.
        labels: A query for the ids of the session's labels that the person may see.
    """
    has_fix = _has(FactRow, col(FactRow.kind) == FactKind.FIX.value)
    undecided = func.coalesce(col(LabelReviewRow.undecided_count), 0)
    conditions: list[ColumnElement[bool] | bool | None] = [
        None if chosen.state is None else state == chosen.state.value,
        None if chosen.assignee is None or assignee is None else assignee == chosen.assignee,
        None if chosen.tag is None else _has_tag(labels, chosen.tag),
        None if chosen.verdict is None else _has_label(labels, col(LabelRow.verdict) == chosen.verdict),
        None
        if chosen.contract_version is None
        else _starts_with(col(SessionRow.contract_version), chosen.contract_version),
        None if chosen.model is None else _has(GenerationRow, col(GenerationRow.engine_name) == chosen.model),
        None if chosen.has_fix is None else has_fix == chosen.has_fix,
        None if chosen.since is None else col(SessionRow.updated_at) >= chosen.since,
        None if chosen.until is None else col(SessionRow.updated_at) < chosen.until,
        None if chosen.format is None else _has(ImportRow, col(ImportRow.format) == chosen.format),
        None if chosen.source is None else _has(ImportRow, col(ImportRow.file) == chosen.source),
        None if chosen.tool is None else _has(SessionToolRow, col(SessionToolRow.tool) == chosen.tool),
        None if chosen.finding is None else _has(FactRow, col(FactRow.code) == chosen.finding),
        None if chosen.row is None else _is_row(chosen.row),
        None if chosen.is_disputed is None else (undecided > 0 if chosen.is_disputed else undecided == 0),
    ]
    return [condition for condition in conditions if isinstance(condition, ColumnElement)]


def _starts_with(column: Mapped[str | None], start: str) -> ColumnElement[bool]:
    return column.startswith(start.lower(), autoescape=True)


def _has_label(labels: Select[Any], condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return labels.where(condition).correlate(SessionRow).exists()


def _has_tag(labels: Select[Any], tag: str) -> ColumnElement[bool]:
    """Return a condition that is true if the session, or one of its labels, has this tag."""
    tagged = select(col(LabelTagRow.label_id)).where(
        col(LabelTagRow.label_id) == col(LabelRow.id), col(LabelTagRow.tag) == tag
    )
    of_label = _has_label(labels, tagged.correlate(LabelRow).exists())
    return or_(_has(SessionTagRow, col(SessionTagRow.tag) == tag), of_label)


def _has(
    table: type[FactRow | GenerationRow | ImportRow | SessionTagRow | SessionToolRow],
    condition: ColumnElement[bool],
) -> ColumnElement[bool]:
    """Return a condition that is true if the session of the outer query has such a row."""
    of_session = col(table.session_id) == col(SessionRow.id)
    return select(literal(1)).select_from(table).where(of_session, condition).correlate(SessionRow).exists()


def _is_row(text: str) -> ColumnElement[bool]:
    """Return a condition that is true for the imported row with this id, or a session id that begins with it."""
    by_session = col(SessionRow.id).startswith(text, autoescape=True)
    return or_(_has(ImportRow, col(ImportRow.row_id) == text), by_session)
