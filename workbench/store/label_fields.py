"""Read and write single fields of labels, acceptances and the state of a session, in the caller's transaction.

Every value is JSON, so that the log of actions can store what a field was before and after. A label whose last field
is cleared is removed.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple, cast

from sqlmodel import Session, col, select

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.records.labels.action import LabelAction, correction_json, correction_value
from workbench.records.labels.label import LabelContent, LabelTarget, NewLabel, Verdict, content_json
from workbench.records.labels.project import QueueState
from workbench.records.labels.rules import check_label
from workbench.store.label_rows import OF_MESSAGE, content_of, project_value, slot_of
from workbench.store.label_writer import find_label, put_label
from workbench.store.tables import SessionRow
from workbench.store.tables.labels import AcceptedMessageRow, LabelProjectRow, LabelRow, LabelTaskRow

EXPLICIT_STATES: Final = frozenset({QueueState.DONE.value, QueueState.DISCARDED.value})
"""States that a labeller sets. Whether a session is pending or started follows from its labels."""
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


class LabelFields:
    """The fields that an action may change.

    Args:
        db: A transaction that has locked the session.
        note: Writes an entry of the audit log: the action, the subject, and details.
    """

    def __init__(
        self,
        db: Session,
        project: LabelProjectRow,
        session: SessionRow,
        action: LabelAction,
        now: datetime,
        note: Callable[..., None],
    ) -> None:
        self._db, self._project, self._session = db, project, session
        self._action, self._now, self._note = action, now, note
        self.has_created_task = False
        """Whether the session had no task before."""

    def value(self, field: FieldPlace) -> JsonValue:
        """Return the stored value of a field, or None if it has none.

        Raises:
            BadInput: There is no such field.
        """
        if field.name == STATE:
            task = self.task()
            return task.state if task and task.state in EXPLICIT_STATES else None
        if field.name == ACCEPTED:
            row = self._db.get(AcceptedMessageRow, (field.message, self._action.labeller))
            return {"who": row.who, "at": row.accepted_at.isoformat()} if row else None
        label = find_label(self._db, self._project.id, self._new(field, LabelContent()))
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
            self._put_state(cast("str | None", value))
        elif field.name == ACCEPTED:
            self._put_accepted(field.message, cast("Mapping[str, str] | None", value))
        else:
            self._put_label(field, value, role)
        return self.value(field)

    def task(self) -> LabelTaskRow | None:
        """Return the labeller's task for the session, or None."""
        return self._db.get(LabelTaskRow, (self._project.id, self._session.id, self._action.labeller))

    def reset_task(self, *, is_created: bool) -> None:
        """Make the session pending again.

        Args:
            is_created: Whether an action created the task, which is then removed.
        """
        task = self.task()
        if task is None or task.state == QueueState.PENDING:
            return
        if not is_created:
            self._write_task(QueueState.PENDING.value)
            return
        self._note_task(task.state, QueueState.PENDING.value)
        self._db.delete(task)
        self._db.flush()

    def has_labels(self) -> bool:
        """Whether the session has labels of the labeller."""
        query = select(LabelRow.id).where(
            col(LabelRow.project_id) == self._project.id,
            col(LabelRow.session_id) == self._session.id,
            col(LabelRow.slot) == slot_of(self._action.labeller, is_deciding=False),
        )
        return self._db.exec(query.limit(1)).first() is not None

    def _new(self, field: FieldPlace, content: LabelContent) -> NewLabel:
        action = self._action
        return NewLabel(
            target=LabelTarget(
                session_id=self._session.id,
                message_id=field.message,
                call_index=None if field.call == OF_MESSAGE else field.call,
            ),
            content=content,
            labeller=action.labeller,
            project=action.project,
            is_deciding=action.is_deciding,
        )

    def _put_label(self, field: FieldPlace, value: JsonValue, role: Role | None) -> None:
        row = find_label(self._db, self._project.id, self._new(field, LabelContent()))
        content = with_field(content_of(row) if row else LabelContent(), field.name, value)
        new = self._new(field, content)
        if role is not None:
            check_label(new, role, project_value(self._project).questions)
        if content == LabelContent():
            self._remove_label(row)
            return
        corrected_at = None
        if field.name == CORRECTION and isinstance(value, Mapping) and isinstance(value.get("at"), str):
            corrected_at = datetime.fromisoformat(str(value["at"]))
        elif row is not None and content_of(row) == content:
            return
        written = put_label(self._db, self._project, new, self._now, row, corrected_at=corrected_at)
        self._note_label(written.row, written.before, content)

    def _remove_label(self, row: LabelRow | None) -> None:
        """Remove a label that says nothing any more."""
        if row is not None:
            before = content_of(row)
            self._db.delete(row)
            self._db.flush()
            self._note_label(row, before, None)

    def _note_label(self, row: LabelRow, before: LabelContent | None, after: LabelContent | None) -> None:
        call = "" if row.call_index == OF_MESSAGE else f"#{row.call_index}"
        self._note(
            "label.decide" if self._action.is_deciding else "label.save",
            f"message:{row.message_id}{call}",
            before=content_json(before) if before else None,
            after=content_json(after) if after else None,
        )

    def _put_accepted(self, message_id: str, value: Mapping[str, str] | None) -> None:
        row = self._db.get(AcceptedMessageRow, (message_id, self._action.labeller))
        if value is None:
            if row is not None:
                self._db.delete(row)
        else:
            at = datetime.fromisoformat(value["at"])
            row = row or AcceptedMessageRow(
                message_id=message_id,
                session_id=self._session.id,
                who=self._action.labeller,
                accepted_at=at,
            )
            row.accepted_at = at
            self._db.add(row)
        self._db.flush()
        self._note("message.accept", f"message:{message_id}", is_accepted=value is not None)

    def _put_state(self, explicit: str | None) -> None:
        """Set the state to done or discarded. None leaves it to `ActionWriter` to follow the labels."""
        if explicit is not None:
            self._write_task(explicit)
        elif (task := self.task()) is not None and task.state in EXPLICIT_STATES:
            self._write_task(QueueState.DRAFT.value)

    def start_task(self) -> None:
        """Mark the session as started."""
        self._write_task(QueueState.DRAFT.value)

    def _write_task(self, state: str) -> None:
        task = self.task()
        before = task.state if task else QueueState.PENDING.value
        if task is None:
            task = LabelTaskRow(
                project_id=self._project.id,
                session_id=self._session.id,
                assignee=self._action.labeller,
                state=state,
                revision=1,
                updated_at=self._now,
            )
            self.has_created_task = True
        elif before == state:
            return
        else:
            task.state, task.revision, task.updated_at = state, task.revision + 1, self._now
        self._db.add(task)
        self._db.flush()
        self._note_task(before, state)

    def _note_task(self, before: str, after: str) -> None:
        subject = f"session:{self._session.id}"
        self._note("task.move", subject, assignee=self._action.labeller, before=before, after=after)


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
