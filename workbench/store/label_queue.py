"""The labelling queue, filtered and paged in the database, and the projects it belongs to."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from workbench.errors import StoreError
from workbench.records.facts import FactKind
from workbench.records.labels.project import (
    Assignment,
    Project,
    QueueFilter,
    QueueItem,
    QueuePage,
    QueueState,
    plan_assignments,
)
from workbench.records.labels.rules import check_project
from workbench.records.owner import Owner
from workbench.store.audit import AuditWriter
from workbench.store.database import Database, insert_if_absent
from workbench.store.label_rows import project_value, put_project
from workbench.store.message_writer import new_id
from workbench.store.owner_scope import OwnerScope, scope_of
from workbench.store.sessions import is_rollout
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import FactRow, GenerationRow, SessionRow
from workbench.store.tables.labels import LabelProjectRow, LabelRow, LabelTagRow, LabelTaskRow

_STATE: Final[ColumnElement[str]] = func.coalesce(col(LabelTaskRow.state), QueueState.PENDING.value)
_ASSIGNEE: Final[ColumnElement[str]] = func.coalesce(col(LabelTaskRow.assignee), "")


def read_queue(
    db: Session,
    project_id: str,
    allowed: ColumnElement[bool],
    wanted: QueueFilter,
    *,
    includes_unassigned: bool,
    limit: int,
    offset: int,
) -> QueuePage:
    """A page of a project's queue, the sessions that were used last first.

    Args:
        project_id: The project; empty where it was never written to.
        allowed: True of the sessions that the owner may see.
        wanted: Which items.
        includes_unassigned: True takes also sessions that were given to nobody.
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
    chosen = (
        select(*_columns(project_id))
        .join(LabelTaskRow, its_task, isouter=includes_unassigned)
        .where(*conditions)
    )
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


class LabelProjectStore(OwnerScope):
    """One owner's labelling projects; one transaction a method, safe to use from several threads."""

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        super().__init__(database, owner, now)
        self._scope = scope_of(owner)
        self._audit = AuditWriter(owner, now)

    def save_project(self, project: Project, *, who: str = "") -> Project:
        """Makes a project, or changes it.

        Raises:
            BadInput: It cannot be worked with, or holds text that cannot be stored.
        """
        check_project(project)
        refuse_unstorable(project, "project")
        refuse_unstorable(who, "who")
        with self._database.writing() as db:
            row = self._made_project(db, project.name)
            before = project_value(row)
            if before != project:
                put_project(row, project)
                self._audit.note(
                    db, "project.save", f"project:{project.name}", who=who, overlap=project.overlap
                )
            return project

    def find_project(self, name: str) -> Project | None:
        """The project of that name; None where there is none."""
        with self._database.reading() as db:
            row = self._find_project(db, name)
            if row is None:
                return None if name else Project(name="")
            return project_value(row)

    def list_projects(self) -> Sequence[Project]:
        """All projects, sorted by name."""
        mine = select_rows(LabelProjectRow).where(col(LabelProjectRow.owner) == self._scope)
        with self._database.reading() as db:
            found = [project_value(row) for row in db.exec(mine.order_by(col(LabelProjectRow.name)))]
        return tuple(found) if found and not found[0].name else (Project(name=""), *found)

    def assign(
        self, session_ids: Sequence[str], labellers: Sequence[str], *, project: str, who: str = ""
    ) -> Sequence[Assignment]:
        """Gives sessions out, each to as many labellers as the project wants; those that have it count.

        Raises:
            BadInput: There are fewer labellers than a session needs.
            StoreError: There is no such project or session.
        """
        refuse_unstorable([*labellers, who], "labeller")
        with self._database.writing() as db:
            row = self._project(db, project)
            for session_id in session_ids:
                self._own(db, session_id)
            given = select_rows(LabelTaskRow).where(col(LabelTaskRow.project_id) == row.id)
            planned = plan_assignments(
                session_ids,
                labellers,
                overlap=row.overlap,
                given=[Assignment(task.session_id, task.assignee) for task in db.exec(given)],
            )
            for assignment in planned:
                db.add(self._task(row, assignment.session_id, assignment.labeller, QueueState.PENDING))
                subject = f"session:{assignment.session_id}"
                self._audit.note(db, "task.assign", subject, who=who, project=project, to=assignment.labeller)
            return planned

    def _is_listed(self) -> ColumnElement[bool]:
        """True of the sessions that the owner may label."""
        return and_(self._is_own(), col(SessionRow.deleted_at).is_(None))

    def _find_project(self, db: Session, name: str, *, is_writing: bool = False) -> LabelProjectRow | None:
        if problem_of(name):
            return None
        its = select_rows(LabelProjectRow).where(
            col(LabelProjectRow.owner) == self._scope, col(LabelProjectRow.name) == name
        )
        return db.exec(its.with_for_update() if is_writing else its).first()

    def _project(self, db: Session, name: str) -> LabelProjectRow:
        """A project to write in; the one that is always there is made where it is not.

        Raises:
            StoreError: There is none of that name.
        """
        row = self._find_project(db, name, is_writing=True) if name else self._made_project(db, "")
        if row is None:
            raise self._no_project(name)
        return row

    def _no_project(self, name: str) -> StoreError:
        return StoreError(f"there is no labelling project {name!r}; `workbench labels project` makes one")

    def _made_project(self, db: Session, name: str) -> LabelProjectRow:
        made = {
            "id": new_id(),
            "owner": self._scope,
            "name": name,
            "created_at": self._now(),
        }
        insert_if_absent(db, LabelProjectRow, **made, guidelines="", questions=[], overlap=1)
        row = self._find_project(db, name, is_writing=True)
        if row is None:
            raise StoreError(f"labelling project {name!r} could not be made; try again")
        return row

    def _task(
        self, project: LabelProjectRow, session_id: str, assignee: str, state: QueueState
    ) -> LabelTaskRow:
        return LabelTaskRow(
            project_id=project.id,
            session_id=session_id,
            assignee=assignee,
            state=state.value,
            revision=1,
            updated_at=self._now(),
        )
