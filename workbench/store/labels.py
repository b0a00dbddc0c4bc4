"""Labels in the database."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlmodel import Session, col, select

from workbench.chat.message import Role
from workbench.errors import WriteConflict
from workbench.records.labels.agreement import AnnotatorVerdict
from workbench.records.labels.label import Label, LabelContent, LabelTarget, NewLabel, content_json
from workbench.records.labels.project import QueueFilter, QueueItem, QueuePage, QueueState
from workbench.records.labels.rules import check_label, find_stale
from workbench.records.owner import Owner
from workbench.store.database import Database
from workbench.store.label_queue import LabelProjectStore, read_item, read_queue
from workbench.store.label_rows import (
    OF_MESSAGE,
    label_value,
    original_of,
    project_value,
    read_steps,
    slot_of,
)
from workbench.store.label_writer import LabelLog, find_label, with_tags_once, write_label
from workbench.store.search_index import index_session_names
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelProjectRow, LabelRow, LabelTaskRow

MOST_LOGGED: Final = 10_000
"""Labels of one session that go to the log at once."""


class LabelStore(LabelProjectStore):
    """The labels of one owner's sessions; one transaction a method, safe to use from several threads."""

    def __init__(
        self,
        database: Database,
        owner: Owner,
        now: Callable[[], datetime],
        log: LabelLog | None = None,
    ) -> None:
        super().__init__(database, owner, now)
        self._log = log

    def save(self, new: NewLabel) -> Label:
        """A label, or a new revision of it; what it says already is no change.

        Raises:
            BadInput: It says what cannot be said of its target, or holds text that cannot be stored.
            WriteConflict: Somebody saved another one since `base_revision`.
            StoreError: There is no such session, message or project, or it could not be written.
        """
        refuse_unstorable(new, "label")
        new = with_tags_once(new)
        with self._database.writing() as db:
            session = self._own(db, new.target.session_id)
            project = self._project(db, new.project)
            original = original_of(db, session, new.target.message_id)
            new = replace(new, target=replace(new.target, message_id=original.id))
            check_label(new, Role(original.role), project_value(project).questions)
            written = write_label(db, project, new, self._now())
            if written.is_changed:
                self._begun(db, project, new)
                self._note_label(db, new, written.before)
                index_session_names(db, session.id)
            return label_value(written.row, project.name)

    def find(
        self, target: LabelTarget, *, labeller: str = "", project: str = "", is_deciding: bool = False
    ) -> Label | None:
        """The label of that labeller, or the deciding one whoever wrote it; None where there is none."""
        texts = (target.session_id, target.message_id, labeller)
        if any(problem_of(text) for text in texts):
            return None
        asked = NewLabel(target=target, content=LabelContent(), labeller=labeller, is_deciding=is_deciding)
        with self._database.reading() as db:
            found = self._find_project(db, project)
            session = self._find_seen(db, target.session_id)
            if found is None or session is None:
                return None
            original = original_of(db, session, target.message_id)
            row = find_label(db, found.id, replace(asked, target=replace(target, message_id=original.id)))
            return None if row is None else label_value(row, found.name)

    def list_labels(
        self, *, session_id: str | None = None, project: str | None = None, limit: int = 100, offset: int = 0
    ) -> Sequence[Label]:
        """Labels in the order in which they were made; None takes those of all sessions, or projects."""
        found = (
            select(LabelRow, LabelProjectRow.name)
            .join(LabelProjectRow, col(LabelProjectRow.id) == col(LabelRow.project_id))
            .join(SessionRow, col(SessionRow.id) == col(LabelRow.session_id))
            .where(self._is_listed(), col(LabelProjectRow.owner) == self._scope)
        )
        for column, value in ((col(LabelRow.session_id), session_id), (col(LabelProjectRow.name), project)):
            if value is not None:
                if problem_of(value):
                    return ()
                found = found.where(column == value)
        page = found.order_by(col(LabelRow.created_at), col(LabelRow.id)).limit(limit).offset(offset)
        with self._database.reading() as db:
            return tuple(label_value(row, name) for row, name in db.exec(page))

    def accept(self, session_id: str, message_id: str, *, who: str = "") -> None:
        """A message that comes after a correction holds all the same.

        Raises:
            StoreError: There is no such session or message, or it could not be written.
        """
        refuse_unstorable(who, "who")
        with self._database.writing() as db:
            session = self._own(db, session_id)
            message_id = original_of(db, session, message_id).id
            row = db.get(AcceptedMessageRow, message_id)
            if row is None:
                row = AcceptedMessageRow(
                    message_id=message_id, session_id=session.id, who=who, accepted_at=self._now()
                )
                db.add(row)
            row.who, row.accepted_at = who, self._now()
            self._audit.note(db, "message.accept", f"message:{message_id}", who=who)

    def stale(self, session_id: str, *, leaf_id: str | None = None) -> Collection[str]:
        """Ids of the stale messages on the path to `leaf_id` (None: to the open leaf), in order.

        Raises:
            StoreError: There is no such session or leaf, or it could not be read.
        """
        with self._database.reading() as db:
            return find_stale(read_steps(db, self._seen(db, session_id), leaf_id))

    def queue(self, wanted: QueueFilter, *, project: str = "", limit: int = 50, offset: int = 0) -> QueuePage:
        """What is to be labelled, or was; sessions that were used last come first.

        Raises:
            StoreError: There is no such project, or it could not be read.
        """
        with self._database.reading() as db:
            found = self._find_project(db, project)
            if found is None and project:
                raise self._no_project(project)
            project_id = found.id if found else ""
            return read_queue(
                db,
                project_id,
                self._is_listed(),
                wanted,
                includes_unassigned=not project,
                limit=limit,
                offset=offset,
            )

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
        """Says how far a session's labelling is.

        Raises:
            WriteConflict: Somebody moved it since `base_revision`; None does not care.
            StoreError: There is no such session or project, or it could not be written.
        """
        refuse_unstorable([assignee, who], "labeller")
        with self._database.writing() as db:
            session = self._own(db, session_id)
            row = self._project(db, project)
            task = db.get(LabelTaskRow, (row.id, session.id, assignee))
            if base_revision is not None and base_revision != (task.revision if task else 0):
                there = QueueState(task.state) if task else QueueState.PENDING
                raise WriteConflict(
                    f"queue item of session {session_id!r}",
                    theirs=there.value,
                    yours=state.value,
                    revision=task.revision if task else 0,
                )
            self._put_state(db, row, session.id, assignee, state, who=who)
            item = read_item(db, row.id, session.id, assignee)
        if self._log is not None and state is QueueState.DONE:
            # Behind the commit: what is sent away is kept here.
            self._log.write(self.list_labels(session_id=session_id, project=project, limit=MOST_LOGGED))
        return item

    def judgements(self, *, project: str = "") -> Sequence[AnnotatorVerdict]:
        """Every verdict that a labeller gave, the deciding ones left out; an item is a message or a call.

        Raises:
            StoreError: There is no such project, or it could not be read.
        """
        with self._database.reading() as db:
            found = self._find_project(db, project)
            if found is None:
                if project:
                    raise self._no_project(project)
                return ()
            rows = db.exec(
                select(LabelRow)
                .join(SessionRow, col(SessionRow.id) == col(LabelRow.session_id))
                .where(
                    col(LabelRow.project_id) == found.id,
                    col(LabelRow.verdict).is_not(None),
                    col(LabelRow.slot) != slot_of("", is_deciding=True),
                    self._is_listed(),
                )
                .order_by(col(LabelRow.created_at), col(LabelRow.id))
            )
            return tuple(_judgement(row) for row in rows)

    def _begun(self, db: Session, project: LabelProjectRow, new: NewLabel) -> None:
        """A first label makes a draft of what is pending, or was given to nobody."""
        if new.is_deciding:
            return
        task = db.get(LabelTaskRow, (project.id, new.target.session_id, new.labeller))
        if task is None or task.state == QueueState.PENDING:
            self._put_state(
                db, project, new.target.session_id, new.labeller, QueueState.DRAFT, who=new.labeller
            )

    def _put_state(
        self,
        db: Session,
        project: LabelProjectRow,
        session_id: str,
        assignee: str,
        state: QueueState,
        *,
        who: str,
    ) -> None:
        task = db.get(LabelTaskRow, (project.id, session_id, assignee))
        before = task.state if task else QueueState.PENDING.value
        if task is None:
            task = self._task(project, session_id, assignee, state)
            db.add(task)
        elif before == state.value:
            return
        else:
            task.state, task.revision, task.updated_at = state.value, task.revision + 1, self._now()
        self._audit.note(
            db, "task.move", f"session:{session_id}", who=who,
            project=project.name, assignee=assignee, before=before, after=state.value,
        )  # fmt: skip
        db.flush()

    def _note_label(self, db: Session, new: NewLabel, before: LabelContent | None) -> None:
        self._audit.note(
            db,
            "label.decide" if new.is_deciding else "label.save",
            f"message:{new.target}",
            who=new.labeller,
            project=new.project,
            before=content_json(before) if before else None,
            after=content_json(new.content),
        )


def _judgement(row: LabelRow) -> AnnotatorVerdict:
    of_call = "" if row.call_index == OF_MESSAGE else f"#{row.call_index}"
    return AnnotatorVerdict(item=row.message_id + of_call, labeller=row.labeller, verdict=row.verdict or "")
