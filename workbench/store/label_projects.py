"""Labelling projects in a database, and which sessions they give to whom."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_
from sqlmodel import Session, col, select

from workbench.errors import StoreError
from workbench.records.labels.project import Assignment, Project, QueueState, plan_assignments
from workbench.records.labels.rules import check_project
from workbench.records.owner import Owner
from workbench.store.audit import AuditWriter
from workbench.store.database import Database, insert_if_absent
from workbench.store.label_rows import project_value, put_project
from workbench.store.message_writer import new_id
from workbench.store.owned import OwnerScope, scope_of
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import SessionRow
from workbench.store.tables.labels import LabelProjectRow, LabelTaskRow


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
        mine = select(LabelProjectRow).where(col(LabelProjectRow.owner) == self._scope)
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
            given = select(LabelTaskRow).where(col(LabelTaskRow.project_id) == row.id)
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
        its = select(LabelProjectRow).where(
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
