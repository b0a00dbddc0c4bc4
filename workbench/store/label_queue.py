"""The queue: which sessions are to be labelled, filtered and paged in the database."""

from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col

from workbench.records.facts import FactKind
from workbench.records.labels.project import QueueFilter, QueueItem, QueuePage, QueueState
from workbench.store.listing import is_rollout
from workbench.store.storable import problem_of
from workbench.store.tables import FactRow, GenerationRow, SessionRow
from workbench.store.tables.labels import LabelRow, LabelTagRow, LabelTaskRow

_STATE: Final[ColumnElement[str]] = func.coalesce(col(LabelTaskRow.state), QueueState.PENDING.value)
_ASSIGNEE: Final[ColumnElement[str]] = func.coalesce(col(LabelTaskRow.assignee), "")


def read_queue(
    db: Session,
    project_id: str,
    allowed: ColumnElement[bool],
    wanted: QueueFilter,
    *,
    is_of_all: bool,
    limit: int,
    offset: int,
) -> QueuePage:
    """A page of a project's queue, the sessions that were used last first.

    Args:
        db: A transaction.
        project_id: The project; empty where it was never written to.
        allowed: True of the sessions that the owner may see.
        wanted: Which items.
        is_of_all: True takes also sessions that were given to nobody.
        limit: At most so many.
        offset: So many left out before them.
    """
    if any(isinstance(value, str) and problem_of(value) for value in _values(wanted)):
        return QueuePage(items=(), total=0)
    its_task = and_(
        col(LabelTaskRow.session_id) == col(SessionRow.id), col(LabelTaskRow.project_id) == project_id
    )
    # Rollouts of suites are many, and are labelled where somebody asked for it.
    is_asked_for = or_(~is_rollout(), col(LabelTaskRow.state).is_not(None))
    conditions = (
        allowed,
        is_asked_for,
        col(SessionRow.leaf_id).is_not(None),
        *_conditions(project_id, wanted),
    )
    chosen = select(*_columns(project_id)).join(LabelTaskRow, its_task, isouter=is_of_all).where(*conditions)
    total = db.connection().execute(select(func.count()).select_from(chosen.subquery())).scalar_one()
    order = (col(SessionRow.updated_at).desc(), col(SessionRow.id), _ASSIGNEE)
    page = chosen.order_by(*order).limit(limit).offset(offset)
    items = tuple(_item(*row) for row in db.connection().execute(page))
    return QueuePage(items=items, total=total)


def read_item(db: Session, project_id: str, session_id: str, assignee: str) -> QueueItem:
    """One item that was given to somebody, or moved."""
    its = (
        col(LabelTaskRow.project_id) == project_id,
        col(LabelTaskRow.session_id) == session_id,
        col(LabelTaskRow.assignee) == assignee,
    )
    found = select(*_columns(project_id)).join(
        LabelTaskRow, col(LabelTaskRow.session_id) == col(SessionRow.id)
    )
    return _item(*db.connection().execute(found.where(*its)).one())


def _columns(project_id: str) -> tuple[Any, ...]:
    """In the order of `_item`."""
    return (
        col(SessionRow.id), col(SessionRow.title), col(SessionRow.updated_at), _STATE, _ASSIGNEE,
        func.coalesce(col(LabelTaskRow.revision), 0), _label_count(project_id),
    )  # fmt: skip


def _values(wanted: QueueFilter) -> tuple[object, ...]:
    return wanted.assignee, wanted.tag, wanted.verdict, wanted.contract_version, wanted.model


def _conditions(project_id: str, wanted: QueueFilter) -> list[ColumnElement[bool]]:
    """One for each thing that is wanted."""
    found: list[ColumnElement[bool] | bool | None] = [
        None if wanted.state is None else wanted.state.value == _STATE,
        None if wanted.assignee is None else wanted.assignee == _ASSIGNEE,
        None if wanted.tag is None else _has_tag(project_id, wanted.tag),
        None if wanted.verdict is None else _has_label(project_id, col(LabelRow.verdict) == wanted.verdict),
        None
        if wanted.contract_version is None
        else _begins(col(SessionRow.contract_version), wanted.contract_version),
        None if wanted.model is None else _has_model(wanted.model),
        None if wanted.has_fix is None else _has_fix() == wanted.has_fix,
        None if wanted.since is None else col(SessionRow.updated_at) >= wanted.since,
        None if wanted.until is None else col(SessionRow.updated_at) < wanted.until,
    ]
    return [condition for condition in found if isinstance(condition, ColumnElement)]


def _begins(column: Mapped[str | None], start: str) -> ColumnElement[bool]:
    return column.startswith(start.lower(), autoescape=True)


def _has_label(project_id: str, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    its = (col(LabelRow.session_id) == col(SessionRow.id), col(LabelRow.project_id) == project_id)
    return select(col(LabelRow.id)).where(*its, condition).correlate(SessionRow).exists()


def _has_tag(project_id: str, tag: str) -> ColumnElement[bool]:
    tagged = select(col(LabelTagRow.label_id)).where(
        col(LabelTagRow.label_id) == col(LabelRow.id), col(LabelTagRow.tag) == tag
    )
    return _has_label(project_id, tagged.correlate(LabelRow).exists())


def _has_model(name: str) -> ColumnElement[bool]:
    its = (col(GenerationRow.session_id) == col(SessionRow.id), col(GenerationRow.engine_name) == name)
    return select(col(GenerationRow.id)).where(*its).correlate(SessionRow).exists()


def _has_fix() -> ColumnElement[bool]:
    its = (col(FactRow.session_id) == col(SessionRow.id), col(FactRow.kind) == FactKind.FIX.value)
    return select(col(FactRow.id)).where(*its).correlate(SessionRow).exists()


def _label_count(project_id: str) -> Any:
    its = (col(LabelRow.session_id) == col(SessionRow.id), col(LabelRow.project_id) == project_id)
    return select(func.count()).select_from(LabelRow).where(*its).correlate(SessionRow).scalar_subquery()


def _item(
    session_id: str, title: str, updated_at: Any, state: str, assignee: str, revision: int, label_count: int
) -> QueueItem:
    return QueueItem(
        session_id=session_id,
        title=title,
        state=QueueState(state),
        assignee=assignee,
        revision=revision,
        label_count=label_count,
        updated_at=updated_at,
    )
