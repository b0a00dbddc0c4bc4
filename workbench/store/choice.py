"""Which sessions become rows, as conditions of a query."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlalchemy.orm import aliased
from sqlmodel import col

from workbench.records.corpus.material import SessionFilter
from workbench.records.labels.project import QueueState
from workbench.records.session_tree import SearchFilter
from workbench.store.label_rows import slot_of
from workbench.store.search import conditions_of
from workbench.store.storable import problem_of
from workbench.store.tables import LabelProjectRow, LabelRow, LabelTaskRow, SessionRow


def is_impossible(wanted: SessionFilter) -> bool:
    """Whether something is asked for that cannot be stored, and so is nowhere."""
    named = (wanted.tag, wanted.verdict, wanted.project, wanted.contract, wanted.model)
    return any(problem_of(name) for name in named if name is not None)


def conditions_of_choice(wanted: SessionFilter) -> Iterator[ColumnElement[bool]]:
    """Conditions on `SessionRow`; all must hold."""
    yield from conditions_of(
        SearchFilter(
            tag=wanted.tag,
            contract=wanted.contract,
            model=wanted.model,
            since=wanted.since,
            until=wanted.until,
        )
    )
    if wanted.session_ids is not None:
        yield col(SessionRow.id).in_([one for one in wanted.session_ids if not problem_of(one)])
    if wanted.verdict is not None:
        yield _has_label(wanted.project, col(LabelRow.verdict) == wanted.verdict)
    yield from _rated(wanted)
    if wanted.state is not None:
        yield _is_in_state(wanted.state, wanted.project)
    if not wanted.is_discarded_taken and wanted.state is not QueueState.DISCARDED:
        yield sa.not_(is_discarded(wanted.project))


def is_discarded(project: str | None = None) -> ColumnElement[bool]:
    """True of sessions that a labeller put aside."""
    return _has_task(project, col(LabelTaskRow.state) == QueueState.DISCARDED.value)


def _rated(wanted: SessionFilter) -> Iterator[ColumnElement[bool]]:
    rating = col(LabelRow.rating)
    if wanted.min_rating is None and wanted.max_rating is None:
        return
    yield _has_label(wanted.project, rating.is_not(None))
    if wanted.min_rating is not None:
        yield sa.not_(_has_label(wanted.project, rating < wanted.min_rating))
    if wanted.max_rating is not None:
        yield sa.not_(_has_label(wanted.project, rating > wanted.max_rating))


def _has_label(project: str | None, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """True of sessions with such a label that counts: where one decides, the others at its place do not."""
    deciding = aliased(LabelRow)
    slot = slot_of("", is_deciding=True)
    is_decided = (
        sa.select(sa.literal(1))
        .select_from(deciding)
        .where(
            col(deciding.project_id) == col(LabelRow.project_id),
            col(deciding.message_id) == col(LabelRow.message_id),
            col(deciding.call_index) == col(LabelRow.call_index),
            col(deciding.slot) == slot,
        )
        .correlate(LabelRow)
        .exists()
    )
    counts = sa.or_(col(LabelRow.slot) == slot, sa.not_(is_decided))
    found = sa.select(sa.literal(1)).select_from(LabelRow)
    found = found.where(col(LabelRow.session_id) == col(SessionRow.id), condition, counts)
    return _of_project(found, project, LabelRow).correlate(SessionRow).exists()


def _is_in_state(state: QueueState, project: str | None) -> ColumnElement[bool]:
    given = _has_task(project, col(LabelTaskRow.state) == state.value)
    if state is not QueueState.PENDING:
        return given
    return sa.or_(given, sa.not_(_has_task(project, sa.true())))


def _has_task(project: str | None, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    found = sa.select(sa.literal(1)).select_from(LabelTaskRow)
    found = found.where(col(LabelTaskRow.session_id) == col(SessionRow.id), condition)
    return _of_project(found, project, LabelTaskRow).correlate(SessionRow).exists()


def _of_project(
    found: sa.Select[Any], project: str | None, table: type[LabelRow] | type[LabelTaskRow]
) -> sa.Select[Any]:
    if project is None:
        return found
    joined = found.join(LabelProjectRow, col(LabelProjectRow.id) == col(table.project_id))
    return joined.where(col(LabelProjectRow.name) == project)
