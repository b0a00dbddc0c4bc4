"""Assign sessions to annotators, and remove assignments."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import insert, tuple_
from sqlmodel import Session, col, delete, select

from workbench.errors import BadInput
from workbench.label.records.project import (
    Assignment,
    QueueFilter,
    QueueOrder,
    QueueSort,
    plan_assignments,
)
from workbench.label.store.access import LabelScope, ProjectAccess
from workbench.label.store.queue import Queue
from workbench.label.store.review_rows import update_review
from workbench.records.label_words import ProjectRole, QueueState
from workbench.store.audit import AuditWriter
from workbench.store.tables import (
    LabelMemberRow,
    LabelProjectRow,
    LabelRow,
    LabelTaskRow,
    SessionRow,
)

LISTED_ASSIGNMENTS: Final = 20
"""The maximum number of assignments of one call that get an entry of their own in the audit log."""
_BATCH: Final = 5_000
"""The number of tasks that are written at a time."""
_REMOVED: Final = 400
"""The number of tasks that are deleted at a time."""


class LabelAssignmentStore(LabelScope):
    """Who labels which session in an owner's projects. Each method is one transaction. Thread-safe."""

    def assign(
        self, session_ids: Sequence[str], annotators: Sequence[str], *, project: str, who: str = ""
    ) -> Sequence[Assignment]:
        """Assign sessions, each to as many annotators as the project's overlap. Earlier assignments count.

        Args:
            annotators: Names. Empty takes the annotators of the project.
            who: Name of the person who assigns. Empty stands for the owner.

        Returns:
            The new assignments.

        Raises:
            BadInput: There are fewer annotators than the overlap requires, or the project belongs to somebody else.
            StoreError: The project or a session does not exist.
        """
        self._accept([*annotators, who], "annotator")
        with self._database.writing() as db:
            row = self._assignable(db, project)
            for session_id in session_ids:
                self._own_session(db, session_id)
            return self._added(db, row, session_ids, annotators, who)

    def assign_matching(
        self,
        chosen: QueueFilter,
        annotators: Sequence[str],
        *,
        project: str,
        sort: QueueSort | None = None,
        limit: int | None = None,
        who: str = "",
    ) -> Sequence[Assignment]:
        """Assign all of the owner's sessions that match a filter, like `assign`. Rollouts of suites are left out.

        Args:
            chosen: The filter, as for the queue of all sessions, whose states and labels count.
            sort: The order in which sessions are taken. None takes the oldest first.
            limit: Maximum number of sessions that are new in the project. None takes all.

        Raises:
            BadInput: There are fewer annotators than the overlap requires, or the project belongs to somebody else.
            StoreError: The project does not exist.
        """
        self._accept([*annotators, who], "annotator")
        with self._database.writing() as db:
            row = self._assignable(db, project)
            is_new = ~(
                select(LabelTaskRow.state)
                .where(
                    col(LabelTaskRow.project_id) == row.id, col(LabelTaskRow.session_id) == col(SessionRow.id)
                )
                .correlate(SessionRow)
                .exists()
            )
            queue = Queue(
                # Sessions are chosen as in the default project, of which every session is an item.
                project_id=self._default_id(db),
                allowed=self._is_listed() if limit is None else self._is_listed() & is_new,
                visible=col(LabelRow.project_id).is_not(None),
                chosen=chosen,
                sort=sort if sort and sort.order else QueueSort(order=QueueOrder.OLDEST),
                includes_unassigned=True,
            )
            session_ids = tuple(dict.fromkeys(queue.session_ids(db, limit=limit)))
            return self._added(db, row, session_ids, annotators, who)

    def _added(
        self,
        db: Session,
        row: LabelProjectRow,
        session_ids: Sequence[str],
        annotators: Sequence[str],
        who: str,
    ) -> Sequence[Assignment]:
        auditor = self._auditor(ProjectAccess(row, ProjectRole.OWNER))
        return add_assignments(db, row, session_ids, annotators, who, auditor=auditor, now=self._now())

    def unassign(
        self,
        chosen: QueueFilter,
        *,
        project: str,
        session_ids: Sequence[str] | None = None,
        includes_started: bool = False,
        who: str = "",
    ) -> Sequence[Assignment]:
        """Remove the assignments that match a filter of the project's queue.

        Labels stay stored. They count as before, and an annotator finds them again if the session is assigned again.

        Args:
            session_ids: Only assignments of these sessions. None stands for all.
            includes_started: False leaves what somebody has started, submitted or rejected.
            who: Name of the person who removes them. Empty stands for the owner.

        Returns:
            The removed assignments, in the order of the queue.

        Raises:
            BadInput: The project is the default project, or belongs to somebody else.
            StoreError: The project or a session does not exist.
        """
        self._accept(who, "who")
        if not project:
            raise BadInput("labels", "no project is chosen", "choose the project whose assignments to remove")
        with self._database.writing() as db:
            row = self._assignable(db, project)
            for session_id in session_ids or ():
                self._own_session(db, session_id)
            queue = Queue(
                project_id=row.id,
                allowed=self._is_listed(),
                visible=col(LabelRow.id).is_not(None),
                chosen=chosen,
                sort=QueueSort(),
                includes_unassigned=False,
            )
            removed = [
                Assignment(session_id, assignee)
                for session_id, assignee, state in queue.assignments(db)
                if (session_ids is None or session_id in session_ids)
                and (includes_started or state == QueueState.PENDING)
            ]
            task = tuple_(col(LabelTaskRow.session_id), col(LabelTaskRow.assignee))
            for start in range(0, len(removed), _REMOVED):
                is_removed = task.in_(removed[start : start + _REMOVED])
                db.exec(delete(LabelTaskRow).where(col(LabelTaskRow.project_id) == row.id, is_removed))
            db.flush()
            if includes_started:
                for session_id in dict.fromkeys(assignment.session_id for assignment in removed):
                    update_review(db, row, session_id)
            auditor = self._auditor(ProjectAccess(row, ProjectRole.OWNER))
            for assignment in removed[:LISTED_ASSIGNMENTS]:
                subject = f"session:{assignment.session_id}"
                auditor.note(db, "task.unassign", subject, who=who, project=row.name, of=assignment.annotator)
            if len(removed) > LISTED_ASSIGNMENTS:
                auditor.note(db, "task.unassign", f"project:{row.name}", who=who, count=len(removed))
            return tuple(removed)


def add_assignments(
    db: Session,
    row: LabelProjectRow,
    session_ids: Sequence[str],
    annotators: Sequence[str],
    who: str,
    *,
    auditor: AuditWriter,
    now: datetime,
) -> Sequence[Assignment]:
    """Assign sessions in the caller's transaction, each to as many annotators as the project's overlap.

    Args:
        annotators: Names. Empty takes the annotators of the project.

    Raises:
        BadInput: There are fewer annotators than the overlap requires.
    """
    if not annotators:
        members = select(LabelMemberRow.name).where(
            col(LabelMemberRow.project_id) == row.id,
            col(LabelMemberRow.role) == ProjectRole.ANNOTATOR.value,
        )
        annotators = db.exec(members.order_by(col(LabelMemberRow.name))).all()
    tasks = select(LabelTaskRow.session_id, LabelTaskRow.assignee)
    tasks = tasks.where(col(LabelTaskRow.project_id) == row.id)
    planned = plan_assignments(
        session_ids,
        annotators,
        overlap=row.overlap,
        existing=(Assignment(*task) for task in db.exec(tasks)),
    )
    values = [
        {
            "project_id": row.id, "session_id": assignment.session_id, "assignee": assignment.annotator,
            "state": QueueState.PENDING.value, "revision": 1, "updated_at": now,
        }
        for assignment in planned
    ]  # fmt: skip
    for start in range(0, len(values), _BATCH):
        db.connection().execute(insert(LabelTaskRow), values[start : start + _BATCH])
    for assignment in planned[:LISTED_ASSIGNMENTS]:
        subject = f"session:{assignment.session_id}"
        auditor.note(db, "task.assign", subject, who=who, project=row.name, to=assignment.annotator)
    if len(planned) > LISTED_ASSIGNMENTS:
        subject = f"project:{row.name}"
        auditor.note(db, "task.assign", subject, who=who, count=len(planned), to=list(annotators))
    return planned
