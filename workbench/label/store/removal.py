"""Remove assignments of labelling projects, and delete and restore projects.

A deleted project keeps its rows, so that it can be restored with all labels. Until then it is not found, and its
labels count nowhere: not in exports, in searches or for stale messages.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import tuple_
from sqlmodel import Session, col, delete, select

from workbench.errors import BadInput, StoreError
from workbench.label.records.project import Assignment, DeletedProject, QueueFilter, QueueSort
from workbench.label.store.access import ProjectAccess
from workbench.label.store.projects import LISTED_ASSIGNMENTS
from workbench.label.store.queue import Queue
from workbench.label.store.reviews import LabelReviewStore
from workbench.records.label_words import ProjectRole, QueueState
from workbench.store.database import Database
from workbench.store.deleting import restorable_since
from workbench.store.sessions.search_index import index_session_names
from workbench.store.storable import problem_of
from workbench.store.tables import LabelProjectRow, LabelRow, LabelTagRow, LabelTaskRow
from workbench.store.tables.labels import LabelActionRow

_BATCH: Final = 400
"""The number of tasks that are deleted at a time."""


class LabelRemovalStore(LabelReviewStore):
    """Removes what owners no longer need in their labelling projects. Each method is one transaction. Thread-safe."""

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

        Labels stay stored. They count as before, and a labeller finds them again if the session is assigned again.

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
            for start in range(0, len(removed), _BATCH):
                is_removed = task.in_(removed[start : start + _BATCH])
                db.exec(delete(LabelTaskRow).where(col(LabelTaskRow.project_id) == row.id, is_removed))
            db.flush()
            if includes_started:
                for session_id in dict.fromkeys(assignment.session_id for assignment in removed):
                    self._update_review(db, row, session_id)
            auditor = self._auditor(ProjectAccess(row, ProjectRole.OWNER))
            for assignment in removed[:LISTED_ASSIGNMENTS]:
                subject = f"session:{assignment.session_id}"
                auditor.note(db, "task.unassign", subject, who=who, project=row.name, of=assignment.labeller)
            if len(removed) > LISTED_ASSIGNMENTS:
                auditor.note(db, "task.unassign", f"project:{row.name}", who=who, count=len(removed))
            return tuple(removed)

    def delete_project(self, name: str, *, who: str = "") -> None:
        """Hide one of the owner's projects. It can be restored for 30 days and is then purged, with its labels.

        Args:
            who: Name of the person who deletes it. Empty stands for the owner.

        Raises:
            BadInput: It is the default project, or belongs to somebody else.
            StoreError: There is no such project.
        """
        self._accept(who, "who")
        with self._database.writing() as db:
            access = self._written(db, name) if name else None
            if access is None:
                raise BadInput(
                    "labels", "the project of all sessions cannot be deleted", "name another project"
                )
            if access.is_member:
                raise BadInput(f"labelling project {name!r}", "only its owner can delete it", "ask the owner")
            access.row.deleted_at = self._now()
            self._note_deletion(db, access, "project.delete", who)

    def restore_project(self, name: str, *, who: str = "") -> None:
        """Restore one of the owner's deleted projects with its assignments and labels.

        Raises:
            StoreError: There is no such deleted project.
        """
        self._accept(who, "who")
        with self._database.writing() as db:
            query = select(LabelProjectRow).where(
                col(LabelProjectRow.owner) == self._scope,
                col(LabelProjectRow.name) == name,
                col(LabelProjectRow.deleted_at) > restorable_since(self._now()),
            )
            row = None if problem_of(name) else db.exec(query.with_for_update()).first()
            if row is None:
                raise StoreError(
                    f"there is no deleted labelling project {name!r}; "
                    "`workbench labels projects --deleted` lists them"
                )
            row.deleted_at = None
            self._note_deletion(db, ProjectAccess(row, ProjectRole.OWNER), "project.restore", who)

    def deleted_projects(self) -> Sequence[DeletedProject]:
        """Return the owner's projects that can be restored. The last deleted comes first."""
        deleted_at = col(LabelProjectRow.deleted_at)
        query = select(LabelProjectRow).where(
            col(LabelProjectRow.owner) == self._scope, deleted_at > restorable_since(self._now())
        )
        with self._database.reading() as db:
            return tuple(
                DeletedProject(name=row.name, deleted_at=row.deleted_at)
                for row in db.exec(query.order_by(deleted_at.desc(), col(LabelProjectRow.name)))
                if row.deleted_at is not None
            )

    def _note_deletion(self, db: Session, access: ProjectAccess, action: str, who: str) -> None:
        db.add(access.row)
        db.flush()
        self._auditor(access).note(db, action, f"project:{access.row.name}", who=who)
        # Sessions are found by the tags of their labels.
        tagged = (
            select(LabelRow.session_id)
            .join(LabelTagRow, col(LabelTagRow.label_id) == col(LabelRow.id))
            .where(col(LabelRow.project_id) == access.row.id)
        )
        for session_id in db.exec(tagged.distinct()).all():
            index_session_names(db, session_id)


def purge_projects(database: Database, now: datetime) -> None:
    """Delete the projects that can no longer be restored, with their assignments and labels.

    Args:
        now: The current time, with a time zone.

    Raises:
        StoreError: The projects could not be read or deleted.
    """
    expired = select(LabelProjectRow.id).where(col(LabelProjectRow.deleted_at) <= restorable_since(now))
    # Most of the time there are none. Reading first saves the lock for writing.
    with database.reading() as db:
        if db.exec(expired.limit(1)).first() is None:
            return
    with database.writing() as db:
        ids = db.exec(expired).all()
        for table in (LabelActionRow, LabelTaskRow, LabelRow):
            db.exec(delete(table).where(col(table.project_id).in_(ids)))
        db.exec(delete(LabelProjectRow).where(col(LabelProjectRow.id).in_(ids)))
