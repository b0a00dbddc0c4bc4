"""Store labels, move sessions through the labelling queue, and find stale messages."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from sqlalchemy import select as select_many
from sqlmodel import Session, col

from workbench.chat.message import Role
from workbench.errors import StoreError, WriteConflict
from workbench.label.records.action import STATE_OF, AppliedAction, LabelAction
from workbench.label.records.project import QueueItem
from workbench.label.records.rules import check_label
from workbench.label.store.access import LabelScope, ProjectAccess
from workbench.label.store.actions import ActionWriter
from workbench.label.store.fields import LabelFields
from workbench.label.store.project_rows import project_value
from workbench.label.store.queue import read_item
from workbench.label.store.review_rows import review_state, update_review
from workbench.label.store.tasks import put_task
from workbench.label.store.writer import LabelLog, find_label, with_tags_once, write_label
from workbench.records.label import (
    Label,
    LabelContent,
    LabelTarget,
    NewLabel,
    RowReference,
    content_json,
)
from workbench.records.label_words import ActionKind, QueueState
from workbench.records.staleness import find_stale
from workbench.store.corpus.label_rows import label_value, original_of, read_steps
from workbench.store.owner_scope import OwnerView
from workbench.store.sessions.search_index import index_session_names
from workbench.store.storable import problem_of
from workbench.store.tables import ImportRow, SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelProjectRow, LabelRow, LabelTaskRow

MOST_LOGGED: Final = 10_000
"""The maximum number of labels of a session that are written to the log."""


class LabelStore(LabelScope):
    """The labels of one owner's sessions, and in projects they are a member of. Each method is one transaction.

    `project` is always a reference: the name of an own project, or `OWNER/NAME`. Thread-safe.
    """

    def __init__(self, view: OwnerView, log: LabelLog | None = None) -> None:
        super().__init__(view)
        self._log = log

    def save(self, new: NewLabel) -> Label:
        """Save a label or a new revision of it. Saving the stored content again changes nothing.

        Raises:
            BadInput: The label does not fit its target, contains text that cannot be stored, or the owner is a
                member who may not save it.
            WriteConflict: Somebody saved another revision since `base_revision`.
            StoreError: The session, message or project does not exist, or the label could not be written.
        """
        self._accept(new, "label")
        new = with_tags_once(new)
        with self._database.writing() as db:
            access = self._written(db, new.project)
            project, session = access.row, self._labelled_session(db, access, new)
            original = original_of(db, session, new.target.message_id)
            new = replace(new, target=replace(new.target, message_id=original.id))
            check_label(new, Role(original.role), project_value(project).questions)
            written = write_label(db, project, new, self._now())
            if written.is_changed:
                self._start_draft(db, access, new)
                self._note_label(db, access, new, written.before)
                index_session_names(db, session.id)
                update_review(db, project, session.id)
            return label_value(written.row, project.name)

    def apply(self, action: LabelAction) -> AppliedAction:
        """Apply an action of an annotator, unless it was applied before.

        Raises:
            ActionRefused: The project requires something before the session can be done.
            BadInput: A change is not valid, contains text that cannot be stored, or the owner is a member who may
                not make it.
            StoreError: The session, a message or the project does not exist, or the change could not be written.
        """
        self._accept(action, "label")
        with self._database.writing() as db:
            access = self._written(db, action.project)
            project, session = access.row, self._labelled_session(db, access, action)
            if action.is_deciding and project.name and action.kind in STATE_OF:
                # Whether a row is decided follows from its labels. A reviewer has no task that could be done.
                return AppliedAction(is_new=False, state=review_state(db, project, session.id))
            note = partial(self._auditor(access).note, db, who=action.annotator, project=project.name)
            writer = ActionWriter(
                LabelFields(
                    db=db, project=project, session=session, action=action, now=self._now(), note=note
                )
            )
            state = writer.apply()
            if writer.is_new:
                index_session_names(db, session.id)
                update_review(db, project, session.id)
        if writer.is_new and action.kind is ActionKind.SUBMIT:
            self._log_labels(action.session_id, action.project)
        return AppliedAction(is_new=writer.is_new, state=state)

    def find(
        self, target: LabelTarget, *, annotator: str = "", project: str = "", is_deciding: bool = False
    ) -> Label | None:
        """Return an annotator's label of a target, or the deciding label, or None."""
        texts = (target.session_id, target.message_id, annotator)
        if any(problem_of(text) for text in texts):
            return None
        key = NewLabel(target=target, content=LabelContent(), annotator=annotator, is_deciding=is_deciding)
        with self._database.reading() as db:
            access = self._find_access(db, project)
            if access is None:
                return None
            try:
                session = self._reached_session(db, access, target.session_id)
            except StoreError:
                return None
            original = original_of(db, session, target.message_id)
            key = replace(key, target=replace(target, message_id=original.id))
            row = find_label(db, access.row.id, key, visible=self._is_visible_label(access))
            return None if row is None else label_value(row, access.row.name)

    def list_labels(
        self, *, session_id: str | None = None, project: str | None = None, limit: int = 100, offset: int = 0
    ) -> Sequence[Label]:
        """Return labels, oldest first.

        Args:
            session_id: Only labels of this session. None returns those of all sessions.
            project: Only labels of this project. None returns those of all projects.
        """
        with self._database.reading() as db:
            access = self._find_access(db, project) if project else None
            if access is None or not access.is_member:
                allowed = (
                    self._is_listed(), col(LabelProjectRow.owner) == self._scope,
                    col(LabelProjectRow.deleted_at).is_(None),
                )  # fmt: skip
                names = {} if project is None else {"name": project}
            else:
                allowed = (
                    self._is_labelled_in(access), self._is_visible_label(access),
                    col(LabelRow.project_id) == access.row.id,
                )  # fmt: skip
                names = {}
            if any(problem_of(text) for text in (session_id or "", *names.values())):
                return ()
            query = (
                select_many(
                    LabelRow,
                    col(LabelProjectRow.name),
                    *(
                        col(column)
                        for column in (ImportRow.row_id, ImportRow.number, ImportRow.file, ImportRow.format)
                    ),
                )
                .join(LabelProjectRow, col(LabelProjectRow.id) == col(LabelRow.project_id))
                .outerjoin(ImportRow, col(ImportRow.session_id) == col(LabelRow.session_id))
                .join(SessionRow, col(SessionRow.id) == col(LabelRow.session_id))
                .where(*allowed, *(col(LabelProjectRow.name) == name for name in names.values()))
            )
            if session_id is not None:
                query = query.where(col(LabelRow.session_id) == session_id)
            page = query.order_by(col(LabelRow.created_at), col(LabelRow.id)).limit(limit).offset(offset)
            found: Sequence[Any] = cast(Any, db).exec(page).all()
            return tuple(replace(label_value(row[0], row[1]), row=_row_reference(*row[2:])) for row in found)

    def accept(self, session_id: str, message_id: str, *, project: str = "", who: str = "") -> None:
        """Accept a message although a message above it was corrected, so that it is no longer stale.

        Args:
            project: The project in which it is labelled.
            who: Name of the person who accepts it. Empty stands for the owner.

        Raises:
            StoreError: The session or message does not exist, or the change could not be written.
        """
        self._accept(who, "who")
        with self._database.writing() as db:
            access = self._written(db, project)
            access.require_name(who)
            session = self._reached_session(db, access, session_id, is_writing=True)
            message_id = original_of(db, session, message_id).id
            row = db.get(AcceptedMessageRow, (message_id, who))
            if row is None:
                row = AcceptedMessageRow(
                    message_id=message_id, session_id=session.id, who=who, accepted_at=self._now()
                )
                db.add(row)
            row.accepted_at = self._now()
            self._auditor(access).note(db, "message.accept", f"message:{message_id}", who=who)

    def stale(self, session_id: str, *, leaf_id: str | None = None) -> Collection[str]:
        """Return the ids of the stale messages on a path, root first.

        Args:
            leaf_id: The last message of the path. None takes the open leaf.

        Raises:
            StoreError: The session or leaf does not exist, or could not be read.
        """
        with self._database.reading() as db:
            return find_stale(read_steps(db, self._readable_session(db, session_id), leaf_id))

    def move(
        self,
        session_id: str,
        state: QueueState,
        *,
        project: str = "",
        assignee: str = "",
        base_revision: int | None = None,
        who: str = "",
    ) -> QueueItem:
        """Set the labelling state of a session.

        Args:
            assignee: The annotator whose task is moved. Empty is the task of no particular annotator.
            base_revision: The revision of the task that the caller has seen. None skips the check.
            who: Name of the person who moves it. Empty stands for the owner.

        Raises:
            WriteConflict: Somebody moved the task since `base_revision`.
            StoreError: The session or project does not exist, or the change could not be written.
        """
        self._accept([assignee, who], "annotator")
        with self._database.writing() as db:
            access = self._written(db, project)
            access.require_name(assignee)
            access.require_name(who)
            row, session = access.row, self._reached_session(db, access, session_id, is_writing=True)
            task = db.get(LabelTaskRow, (row.id, session.id, assignee))
            if base_revision is not None and base_revision != (task.revision if task else 0):
                state_now = QueueState(task.state) if task else QueueState.PENDING
                raise WriteConflict(
                    f"queue item of session {session_id!r}",
                    theirs=state_now.value,
                    yours=state.value,
                    revision=task.revision if task else 0,
                )
            if access.is_member and task is None:
                raise self._not_assigned()
            self._put_state(db, access, session.id, assignee, state, who=who)
            update_review(db, row, session.id)
            item = read_item(db, row.id, session.id, assignee, self._is_visible_label(access))
        if state is QueueState.DONE:
            self._log_labels(session_id, project)
        return item

    def _log_labels(self, session_id: str, project: str) -> None:
        """Send the labels of a session to the log. After the commit, so that it gets only stored labels."""
        if self._log is not None:
            self._log.write(self.list_labels(session_id=session_id, project=project, limit=MOST_LOGGED))

    def _labelled_session(
        self, db: Session, access: ProjectAccess, new: NewLabel | LabelAction
    ) -> SessionRow:
        """Return the session of a label or action that is to be stored, and lock it.

        Raises:
            BadInput: A member saves a label in the name of somebody else, or an annotator a deciding one.
            StoreError: There is no such session, or it is not assigned to the member.
        """
        access.require_name(new.annotator)
        if new.is_deciding:
            access.require_decider("decide disagreements")
        session_id = new.session_id if isinstance(new, LabelAction) else new.target.session_id
        session = self._reached_session(db, access, session_id, is_writing=True)
        if access.is_member and not new.is_deciding:
            task = db.get(LabelTaskRow, (access.row.id, session.id, access.member))
            if task is None:
                raise self._not_assigned()
        return session

    def _not_assigned(self) -> StoreError:
        return StoreError("this session is not assigned to you; ask the owner of the project")

    def _start_draft(self, db: Session, access: ProjectAccess, new: NewLabel) -> None:
        """Move the annotator's task to draft when they save their first label. A missing task is created."""
        if new.is_deciding or new.is_model:
            return
        task = db.get(LabelTaskRow, (access.row.id, new.target.session_id, new.annotator))
        if task is None or task.state == QueueState.PENDING:
            self._put_state(
                db, access, new.target.session_id, new.annotator, QueueState.DRAFT, who=new.annotator
            )

    def _put_state(
        self,
        db: Session,
        access: ProjectAccess,
        session_id: str,
        assignee: str,
        state: QueueState,
        *,
        who: str,
    ) -> None:
        before = put_task(db, access.row.id, session_id, assignee, state, self._now())
        if before is not None:
            self._auditor(access).note(
                db, "task.move", f"session:{session_id}", who=who,
                project=access.row.name, assignee=assignee, before=before.value, after=state.value,
            )  # fmt: skip

    def _note_label(
        self, db: Session, access: ProjectAccess, new: NewLabel, before: LabelContent | None
    ) -> None:
        self._auditor(access).note(
            db,
            "label.decide" if new.is_deciding else "label.save",
            f"message:{new.target}",
            who=new.annotator,
            project=access.row.name,
            before=content_json(before) if before else None,
            after=content_json(new.content),
        )


def _row_reference(row_id: str | None, number: int | None, file: str, row_format: str) -> RowReference | None:
    return None if number is None else RowReference(row_id or "", number, file, row_format)
