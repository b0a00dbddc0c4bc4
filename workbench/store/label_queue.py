"""The labelling queue, filtered and paged in the database, and the projects it belongs to.

An item of the queue is a session that is to be labelled in a project.

Idea: a row of `label_task` is written only when somebody assigns the session or changes its state. The queue
is a join of sessions and tasks, and a session without a task reads as pending and unassigned. So a new
session is in the queue of the default project at once, without any write when the session is created.

Invariants:

- A project's tasks are keyed by session and assignee, so each labeller has their own state for a session.
- In the default project (`includes_unassigned`) the join is an outer join: every session of the owner is an
  item. In a named project it is an inner join: only assigned sessions are items.
- Rollouts of suites are left out unless they have a task, because a single run can create thousands of them.
- Each change of a task's state raises its revision. A writer names the revision that it has seen, so two
  labellers cannot overwrite each other's state without noticing.

Example: sessions A, B and C, overlap 2, and a task (A, ann, draft). The default project lists
(A, ann, draft), (B, "", pending) and (C, "", pending). After `assign([A, B], [ann, bob])`, a named project
lists (A, ann), (A, bob), (B, ann) and (B, bob).
"""

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
from workbench.store.owner_scope import OwnerScope, scope_of
from workbench.store.rows import new_id
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
    chosen: QueueFilter,
    *,
    includes_unassigned: bool,
    limit: int,
    offset: int,
) -> QueuePage:
    """Return a page of a project's queue, most recently used sessions first.

    Args:
        project_id: The project's id. Empty if the project has never been written to.
        allowed: A condition that is true for the sessions that the owner may see.
        chosen: Which items to return.
        includes_unassigned: True also returns sessions that have no task.
        limit: The maximum number of items.
        offset: The number of items to skip.
    """
    if any(isinstance(value, str) and problem_of(value) for value in _values(chosen)):
        return QueuePage(items=(), total=0)
    is_task = and_(
        col(LabelTaskRow.session_id) == col(SessionRow.id), col(LabelTaskRow.project_id) == project_id
    )
    # There are many rollouts of suites. They are labelled only on request.
    is_requested = or_(~is_rollout(), col(LabelTaskRow.state).is_not(None))
    conditions = (
        allowed,
        is_requested,
        col(SessionRow.leaf_id).is_not(None),
        *_conditions(project_id, chosen),
    )
    query = (
        select(*_columns(project_id))
        .join(LabelTaskRow, is_task, isouter=includes_unassigned)
        .where(*conditions)
    )
    total = db.connection().execute(select(func.count()).select_from(query.subquery())).scalar_one()
    order = (col(SessionRow.updated_at).desc(), col(SessionRow.id), _ASSIGNEE)
    page = query.order_by(*order).limit(limit).offset(offset)
    items = tuple(_item(*row) for row in db.connection().execute(page))
    return QueuePage(items=items, total=total)


def read_item(db: Session, project_id: str, session_id: str, assignee: str) -> QueueItem:
    """Return the item of an existing task."""
    is_task = (
        col(LabelTaskRow.project_id) == project_id,
        col(LabelTaskRow.session_id) == session_id,
        col(LabelTaskRow.assignee) == assignee,
    )
    query = select(*_columns(project_id)).join(
        LabelTaskRow, col(LabelTaskRow.session_id) == col(SessionRow.id)
    )
    return _item(*db.connection().execute(query.where(*is_task)).one())


def _columns(project_id: str) -> tuple[Any, ...]:
    """Return the selected columns, in the order of the parameters of `_item`."""
    return (
        col(SessionRow.id), col(SessionRow.title), col(SessionRow.updated_at), _STATE, _ASSIGNEE,
        func.coalesce(col(LabelTaskRow.revision), 0), _label_count(project_id),
    )  # fmt: skip


def _values(chosen: QueueFilter) -> tuple[object, ...]:
    return chosen.assignee, chosen.tag, chosen.verdict, chosen.contract_version, chosen.model


def _conditions(project_id: str, chosen: QueueFilter) -> list[ColumnElement[bool]]:
    """Return one condition for each part of the filter that is set."""
    conditions: list[ColumnElement[bool] | bool | None] = [
        None if chosen.state is None else chosen.state.value == _STATE,
        None if chosen.assignee is None else chosen.assignee == _ASSIGNEE,
        None if chosen.tag is None else _has_tag(project_id, chosen.tag),
        None if chosen.verdict is None else _has_label(project_id, col(LabelRow.verdict) == chosen.verdict),
        None
        if chosen.contract_version is None
        else _starts_with(col(SessionRow.contract_version), chosen.contract_version),
        None if chosen.model is None else _has_model(chosen.model),
        None if chosen.has_fix is None else _has_fix() == chosen.has_fix,
        None if chosen.since is None else col(SessionRow.updated_at) >= chosen.since,
        None if chosen.until is None else col(SessionRow.updated_at) < chosen.until,
    ]
    return [condition for condition in conditions if isinstance(condition, ColumnElement)]


def _starts_with(column: Mapped[str | None], start: str) -> ColumnElement[bool]:
    return column.startswith(start.lower(), autoescape=True)


def _has_label(project_id: str, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    is_label = (col(LabelRow.session_id) == col(SessionRow.id), col(LabelRow.project_id) == project_id)
    return select(col(LabelRow.id)).where(*is_label, condition).correlate(SessionRow).exists()


def _has_tag(project_id: str, tag: str) -> ColumnElement[bool]:
    tagged = select(col(LabelTagRow.label_id)).where(
        col(LabelTagRow.label_id) == col(LabelRow.id), col(LabelTagRow.tag) == tag
    )
    return _has_label(project_id, tagged.correlate(LabelRow).exists())


def _has_model(name: str) -> ColumnElement[bool]:
    is_by_model = (
        col(GenerationRow.session_id) == col(SessionRow.id),
        col(GenerationRow.engine_name) == name,
    )
    return select(col(GenerationRow.id)).where(*is_by_model).correlate(SessionRow).exists()


def _has_fix() -> ColumnElement[bool]:
    is_fix = (col(FactRow.session_id) == col(SessionRow.id), col(FactRow.kind) == FactKind.FIX.value)
    return select(col(FactRow.id)).where(*is_fix).correlate(SessionRow).exists()


def _label_count(project_id: str) -> Any:
    is_label = (col(LabelRow.session_id) == col(SessionRow.id), col(LabelRow.project_id) == project_id)
    return select(func.count()).select_from(LabelRow).where(*is_label).correlate(SessionRow).scalar_subquery()


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
    """One owner's labelling projects. Each method is one transaction. Thread-safe."""

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        super().__init__(database, owner, now)
        self._scope = scope_of(owner)
        self._audit = AuditWriter(owner, now)

    def save_project(self, project: Project, *, who: str = "") -> Project:
        """Create or change a project.

        Args:
            who: Name of the person who saves it. Empty stands for the owner.

        Raises:
            BadInput: The project is invalid, or contains text that cannot be stored.
        """
        check_project(project)
        refuse_unstorable(project, "project")
        refuse_unstorable(who, "who")
        with self._database.writing() as db:
            row = self._ensure_project(db, project.name)
            before = project_value(row)
            if before != project:
                put_project(row, project)
                self._audit.note(
                    db, "project.save", f"project:{project.name}", who=who, overlap=project.overlap
                )
            return project

    def find_project(self, name: str) -> Project | None:
        """Return the project with this name, or None. The default project, named "", always exists."""
        with self._database.reading() as db:
            row = self._find_project(db, name)
            if row is None:
                return None if name else Project(name="")
            return project_value(row)

    def list_projects(self) -> Sequence[Project]:
        """Return all projects, sorted by name. The first one is the default project."""
        own = select_rows(LabelProjectRow).where(col(LabelProjectRow.owner) == self._scope)
        with self._database.reading() as db:
            projects = [project_value(row) for row in db.exec(own.order_by(col(LabelProjectRow.name)))]
        return tuple(projects) if projects and not projects[0].name else (Project(name=""), *projects)

    def assign(
        self, session_ids: Sequence[str], labellers: Sequence[str], *, project: str, who: str = ""
    ) -> Sequence[Assignment]:
        """Assign sessions, each to as many labellers as the project's overlap. Earlier assignments count.

        Args:
            who: Name of the person who assigns. Empty stands for the owner.

        Returns:
            The new assignments.

        Raises:
            BadInput: There are fewer labellers than the overlap requires.
            StoreError: The project or a session does not exist.
        """
        refuse_unstorable([*labellers, who], "labeller")
        with self._database.writing() as db:
            row = self._project(db, project)
            for session_id in session_ids:
                self._own_session(db, session_id)
            tasks = select_rows(LabelTaskRow).where(col(LabelTaskRow.project_id) == row.id)
            planned = plan_assignments(
                session_ids,
                labellers,
                overlap=row.overlap,
                existing=[Assignment(task.session_id, task.assignee) for task in db.exec(tasks)],
            )
            for assignment in planned:
                db.add(self._task(row, assignment.session_id, assignment.labeller, QueueState.PENDING))
                subject = f"session:{assignment.session_id}"
                self._audit.note(db, "task.assign", subject, who=who, project=project, to=assignment.labeller)
            return planned

    def _is_listed(self) -> ColumnElement[bool]:
        """Return a condition that is true for the sessions that the owner may label."""
        return and_(self._is_own(), col(SessionRow.deleted_at).is_(None))

    def _find_project(self, db: Session, name: str, *, is_writing: bool = False) -> LabelProjectRow | None:
        if problem_of(name):
            return None
        query = select_rows(LabelProjectRow).where(
            col(LabelProjectRow.owner) == self._scope, col(LabelProjectRow.name) == name
        )
        return db.exec(query.with_for_update() if is_writing else query).first()

    def _project(self, db: Session, name: str) -> LabelProjectRow:
        """Return a project's row for writing. The row of the default project is created if it is missing.

        Raises:
            StoreError: There is no project with this name.
        """
        row = self._find_project(db, name, is_writing=True) if name else self._ensure_project(db, "")
        if row is None:
            raise self._no_project(name)
        return row

    def _no_project(self, name: str) -> StoreError:
        return StoreError(f"there is no labelling project {name!r}; `workbench labels project` creates one")

    def _ensure_project(self, db: Session, name: str) -> LabelProjectRow:
        values = {
            "id": new_id(),
            "owner": self._scope,
            "name": name,
            "created_at": self._now(),
        }
        insert_if_absent(db, LabelProjectRow, **values, guidelines="", questions=[], overlap=1)
        row = self._find_project(db, name, is_writing=True)
        if row is None:
            raise StoreError(f"labelling project {name!r} could not be created; try again")
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
