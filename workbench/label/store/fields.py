"""Read and write single fields of labels, acceptances and the state of a session, in the caller's transaction.

Every value is JSON, so that the log of actions can store what a field was before and after. A label whose last field
is cleared is removed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple, cast

from sqlmodel import Session, col, select

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.label.records.action import LabelAction, correction_json, correction_value
from workbench.label.records.rules import check_label
from workbench.label.store.project_rows import project_value
from workbench.label.store.tasks import put_task
from workbench.label.store.writer import find_label, put_label
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict, content_json
from workbench.records.label_words import CLOSED_STATES, QueueState
from workbench.store.corpus.label_rows import OF_MESSAGE, content_of, slot_of, target_of
from workbench.store.tables import SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelProjectRow, LabelRow, LabelTaskRow

STATE: Final = "state"
ACCEPTED: Final = "accepted"
CORRECTION: Final = "correction"


class FieldPlace(NamedTuple):
    """Where a field is stored."""

    message: str
    """Id of the message. Empty for the state of the session."""
    call: int
    """Index of the call, or `OF_MESSAGE`."""
    name: str
    """Name of the field, as in `FieldChange.field`, or `state`."""


STATE_PLACE: Final = FieldPlace("", OF_MESSAGE, STATE)


@dataclass(slots=True, kw_only=True)
class LabelFields:
    """The fields that an action may change."""

    db: Session
    """A transaction that has locked the session."""
    project: LabelProjectRow
    session: SessionRow
    action: LabelAction
    now: datetime
    note: Callable[..., None]
    """Writes an entry of the audit log: the action, the subject, and details."""
    has_created_task: bool = False
    """Whether the session had no task before."""

    def value(self, field: FieldPlace) -> JsonValue:
        """Return the stored value of a field, or None if it has none.

        Raises:
            BadInput: There is no such field.
        """
        if field.name == STATE:
            task = self.task()
            return task.state if task and task.state in CLOSED_STATES else None
        if field.name == ACCEPTED:
            row = self.db.get(AcceptedMessageRow, (field.message, self.action.annotator))
            return {"who": row.who, "at": row.accepted_at.isoformat()} if row else None
        label = find_label(self.db, self.project.id, self._new(field, LabelContent()))
        content = content_of(label) if label else LabelContent()
        if field.name == CORRECTION:
            value = correction_json(content.correction)
            at = label.corrected_at if label else None
            return None if value is None else {**value, "at": at.isoformat() if at else None}
        return value_of(content, field.name)

    def put(self, field: FieldPlace, value: JsonValue, role: Role | None = None) -> JsonValue:
        """Set a field, and return its value as stored.

        Args:
            role: The role of the message, to check the label. None skips the check, for a value from before.

        Raises:
            BadInput: The value does not fit the field.
        """
        if field.name == STATE:
            self._put_state(None if value is None else QueueState(cast(str, value)))
        elif field.name == ACCEPTED:
            self._put_accepted(field.message, cast("Mapping[str, str] | None", value))
        else:
            self._put_label(field, value, role)
        return self.value(field)

    def task(self) -> LabelTaskRow | None:
        """Return the annotator's task for the session, or None."""
        return self.db.get(LabelTaskRow, (self.project.id, self.session.id, self.action.annotator))

    def reset_task(self, *, is_created: bool) -> None:
        """Make the session pending again.

        Args:
            is_created: Whether an action created the task, which is then removed.
        """
        task = self.task()
        if task is None or task.state == QueueState.PENDING:
            return
        if not is_created:
            self._write_task(QueueState.PENDING)
            return
        self._note_task(QueueState(task.state), QueueState.PENDING)
        self.db.delete(task)
        self.db.flush()

    def has_labels(self) -> bool:
        """Whether the session has labels of the annotator."""
        query = select(LabelRow.id).where(
            col(LabelRow.project_id) == self.project.id,
            col(LabelRow.session_id) == self.session.id,
            col(LabelRow.slot) == slot_of(self.action.annotator, is_deciding=False),
        )
        return self.db.exec(query.limit(1)).first() is not None

    def _new(self, field: FieldPlace, content: LabelContent) -> NewLabel:
        action = self.action
        return NewLabel(
            target=LabelTarget(
                session_id=self.session.id,
                message_id=field.message,
                call_index=None if field.call == OF_MESSAGE else field.call,
            ),
            content=content,
            annotator=action.annotator,
            project=action.project,
            is_deciding=action.is_deciding,
        )

    def _put_label(self, field: FieldPlace, value: JsonValue, role: Role | None) -> None:
        row = find_label(self.db, self.project.id, self._new(field, LabelContent()))
        content = with_field(content_of(row) if row else LabelContent(), field.name, value)
        new = self._new(field, content)
        if role is not None:
            check_label(new, role, project_value(self.project).questions)
        if content == LabelContent():
            self._remove_label(row)
            return
        corrected_at = None
        if field.name == CORRECTION and isinstance(value, Mapping) and isinstance(value.get("at"), str):
            corrected_at = datetime.fromisoformat(str(value["at"]))
        elif row is not None and content_of(row) == content:
            return
        written = put_label(self.db, self.project, new, self.now, row, corrected_at=corrected_at)
        self._note_label(written.row, written.before, content)

    def _remove_label(self, row: LabelRow | None) -> None:
        """Remove a label that says nothing any more."""
        if row is not None:
            before = content_of(row)
            self.db.delete(row)
            self.db.flush()
            self._note_label(row, before, None)

    def _note_label(self, row: LabelRow, before: LabelContent | None, after: LabelContent | None) -> None:
        self.note(
            "label.decide" if self.action.is_deciding else "label.save",
            f"message:{target_of(row)}",
            before=content_json(before) if before else None,
            after=content_json(after) if after else None,
        )

    def _put_accepted(self, message_id: str, value: Mapping[str, str] | None) -> None:
        row = self.db.get(AcceptedMessageRow, (message_id, self.action.annotator))
        if value is None:
            if row is not None:
                self.db.delete(row)
        else:
            at = datetime.fromisoformat(value["at"])
            row = row or AcceptedMessageRow(
                message_id=message_id,
                session_id=self.session.id,
                who=self.action.annotator,
                accepted_at=at,
            )
            row.accepted_at = at
            self.db.add(row)
        self.db.flush()
        self.note("message.accept", f"message:{message_id}", is_accepted=value is not None)

    def _put_state(self, closed: QueueState | None) -> None:
        """Set the state to done or discarded. None leaves it to `ActionWriter` to follow the labels."""
        if closed is not None:
            self._write_task(closed)
        elif (task := self.task()) is not None and task.state in CLOSED_STATES:
            self._write_task(QueueState.DRAFT)

    def start_task(self) -> None:
        """Mark the session as started."""
        self._write_task(QueueState.DRAFT)

    def _write_task(self, state: QueueState) -> None:
        self.has_created_task = self.has_created_task or self.task() is None
        before = put_task(self.db, self.project.id, self.session.id, self.action.annotator, state, self.now)
        if before is not None:
            self._note_task(before, state)

    def _note_task(self, before: QueueState, after: QueueState) -> None:
        subject = f"session:{self.session.id}"
        self.note(
            "task.move", subject, assignee=self.action.annotator, before=before.value, after=after.value
        )


def value_of(content: LabelContent, name: str) -> JsonValue:
    """Return a field of a label, or None if it has no value.

    Raises:
        BadInput: There is no such field.
    """
    kind, _, detail = name.partition(":")
    match kind:
        case "verdict":
            return content.verdict.value if content.verdict else None
        case "rating":
            return content.rating
        case "comment":
            return content.comment or None
        case "tag":
            return True if detail in content.tags else None
        case "answer":
            return content.answers.get(detail)
        case _:
            raise BadInput("label", f"there is no field {name[:40]!r}", "reload the page")


def with_field(content: LabelContent, name: str, value: JsonValue) -> LabelContent:
    """Return the content of a label with one field changed.

    Raises:
        BadInput: There is no such field, or the value does not fit it.
    """
    kind, _, detail = name.partition(":")
    try:
        match kind:
            case "verdict":
                return replace(content, verdict=Verdict(str(value)) if value else None)
            case "rating":
                return replace(content, rating=int(str(value)) if value else None)
            case "comment":
                return replace(content, comment=str(value or ""))
            case "tag":
                others = tuple(tag for tag in content.tags if tag != detail)
                has_it = len(others) < len(content.tags)
                tags = (content.tags if has_it else (*others, detail)) if value else others
                return replace(content, tags=tags)
            case "answer":
                answers = {question: text for question, text in content.answers.items() if question != detail}
                return replace(content, answers={**answers, detail: str(value)} if value else answers)
            case "correction":
                return replace(content, correction=correction_value(value))
            case _:
                raise BadInput("label", f"there is no field {name[:40]!r}", "reload the page")
    except ValueError as error:
        raise BadInput("label", f"{kind}: {error}"[:200], "enter it again") from error
