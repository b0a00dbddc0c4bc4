"""Apply actions of annotators in the caller's transaction, and undo them.

Each applied action is stored with the value before and after of every field that it changed. To undo an action, each
of its fields is looked at on its own:

- If a later action changed the same field, the field stays. The later action takes over the value from before, so
  that undoing it as well restores that value.
- Otherwise the value from before is restored, unless something else, such as a command, has changed the field.

So the labels are always what the actions that are not undone make them, in whatever order they are undone. Actions of
two tabs can be undone independently.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.label.records.action import MAX_ID_LENGTH, STATE_OF, ActionRefused, FieldChange
from workbench.label.store.fields import (
    ACCEPTED,
    CORRECTION,
    STATE,
    STATE_PLACE,
    FieldPlace,
    LabelFields,
)
from workbench.label.store.project_rows import project_value
from workbench.records.label_words import CLOSED_STATES, ActionKind, QueueState
from workbench.store.corpus.label_rows import OF_MESSAGE, column_of, original_of, slot_of
from workbench.store.tables.labels import LabelActionRow, LabelRow

MAX_ACTIONS: Final = 1000
"""How many actions of an annotator in a session are stored. Older ones can no longer be undone."""
_CREATED: Final = "task"
"""Name of the change of an action that created the annotator's task."""


class ActionWriter:
    """Applies one action.

    Args:
        fields: The fields that the action may change.
    """

    def __init__(self, fields: LabelFields) -> None:
        self._fields, self._action, self._now = fields, fields.action, fields.now
        self._db, self._project, self._session = fields.db, fields.project, fields.session
        self._slot = slot_of(self._action.annotator, is_deciding=self._action.is_deciding)
        self._changes: list[dict[str, Any]] = []
        self.is_new = False

    def apply(self) -> QueueState:
        """Apply the action unless it was applied before; return the state of the session.

        Raises:
            ActionRefused: The session lacks a verdict or an answer that the project requires.
            BadInput: A change is not valid.
            StoreError: A message does not exist.
        """
        action = self._action
        if not 0 < len(action.id.client) <= MAX_ID_LENGTH or not 0 < action.id.number < 2**31:
            raise BadInput("label", "the action has no valid id", "reload the page")
        if self._find(action.id.client, action.id.number) is None:
            self.is_new = True
            match action.kind:
                case ActionKind.LABEL:
                    for change in action.changes:
                        self._change(change)
                case ActionKind.SUBMIT | ActionKind.REJECT:
                    self._move(STATE_OF[action.kind])
                case ActionKind.UNDO:
                    self._undo()
            self._settle()
            self._store()
        task = self._fields.task()
        return QueueState(task.state) if task else QueueState.PENDING

    def _find(self, client: str, number: int) -> LabelActionRow | None:
        query = select(LabelActionRow).where(
            col(LabelActionRow.project_id) == self._project.id,
            col(LabelActionRow.slot) == self._slot,
            col(LabelActionRow.client) == client,
            col(LabelActionRow.client_number) == number,
        )
        return self._db.exec(query).first()

    def _own_actions(self) -> SelectOfScalar[LabelActionRow]:
        return select(LabelActionRow).where(
            col(LabelActionRow.project_id) == self._project.id,
            col(LabelActionRow.session_id) == self._session.id,
            col(LabelActionRow.labeller) == self._action.annotator,
        )

    def _store(self) -> None:
        action = self._action
        if self._fields.has_created_task:
            self._changes.append({"message": "", "call": OF_MESSAGE, "field": _CREATED})
        row = LabelActionRow(
            project_id=self._project.id,
            session_id=self._session.id,
            slot=self._slot,
            labeller=action.annotator,
            client=action.id.client,
            client_number=action.id.number,
            kind=action.kind.value,
            changes=self._changes,
            is_undone=False,
            at=self._now,
        )
        self._db.add(row)
        self._db.flush()
        old = self._own_actions().order_by(col(LabelActionRow.number).desc()).offset(MAX_ACTIONS)
        for too_old in self._db.exec(old.limit(10)).all():
            self._db.delete(too_old)

    def _change(self, change: FieldChange) -> None:
        original = original_of(self._db, self._session, change.message_id)
        field = FieldPlace(original.id, column_of(change.call_index), change.field)
        if field.name == STATE:
            raise BadInput("label", "the state is not a field of a label", "reload the page")
        before = self._fields.value(field)
        if change.is_only_if_empty and before is not None:
            return
        value = change.value
        if field.name == ACCEPTED:
            value = {"who": self._action.annotator, "at": self._now.isoformat()}
        elif field.name == CORRECTION and isinstance(value, Mapping):
            is_same = isinstance(before, Mapping) and _without_time(before) == _without_time(value)
            value = before if is_same else {**value, "at": self._now.isoformat()}
        self._put(field, before, value, Role(original.role))

    def _put(self, field: FieldPlace, before: JsonValue, value: JsonValue, role: Role | None = None) -> None:
        after = self._fields.put(field, value, role)
        self._changes.append(
            {
                "message": field.message,
                "call": field.call,
                "field": field.name,
                "before": before,
                "after": after,
            }
        )

    def _move(self, state: QueueState) -> None:
        missing = self._missing() if state is QueueState.DONE else None
        if missing is not None:
            raise missing
        self._put(STATE_PLACE, self._fields.value(STATE_PLACE), state.value)

    def _undo(self) -> None:
        undone = self._action.undoes
        row = self._find(undone.client, undone.number) if undone else None
        # An action that is not stored was refused, or is too old.
        if row is None or row.session_id != self._session.id or row.kind == ActionKind.UNDO or row.is_undone:
            return
        row.is_undone = True
        self._db.add(row)
        later = self._later(row)
        for change in reversed(row.changes):
            field = _place_of(change)
            if field.name == _CREATED:
                continue
            successor = next(
                (other for other in later if _is_related(other, row, field) and _has_changed(other, field)),
                None,
            )
            if successor is not None:
                _take_over(successor, field, change["before"])
                self._db.add(successor)
            elif self._fields.value(field) == change["after"]:
                self._fields.put(field, change["before"])
        self._db.flush()

    def _later(self, row: LabelActionRow) -> Sequence[LabelActionRow]:
        query = select(LabelActionRow).where(
            col(LabelActionRow.session_id) == self._session.id,
            col(LabelActionRow.number) > (row.number or 0),
            col(LabelActionRow.is_undone).is_(False),
        )
        return self._db.exec(query.order_by(col(LabelActionRow.number))).all()

    def _settle(self) -> None:
        """Set the state after a change: a session with labels is started, and a done one has what it requires."""
        task = self._fields.task()
        if task is not None and task.state == QueueState.DONE and self._missing() is not None:
            self._put(STATE_PLACE, task.state, None)
            task = self._fields.task()
        if task is not None and task.state in CLOSED_STATES:
            return
        if self._fields.has_labels():
            self._fields.start_task()
        elif task is not None:
            is_created = self._fields.has_created_task or any(
                change["field"] == _CREATED
                for row in self._db.exec(self._own_actions())
                for change in row.changes
            )
            self._fields.reset_task(is_created=is_created)

    def _missing(self) -> ActionRefused | None:
        """Return what the session lacks to be done, or None."""
        must_judge = self._action.must_judge if self._project.requires_verdicts else ()
        required = [question for question in project_value(self._project).questions if question.is_required]
        if not required and not must_judge:
            return None
        query = select(LabelRow).where(
            col(LabelRow.project_id) == self._project.id,
            col(LabelRow.session_id) == self._session.id,
            col(LabelRow.slot) == self._slot,
        )
        rows = self._db.exec(query).all()
        judged = {(row.message_id, row.call_index) for row in rows if row.verdict}
        for target in must_judge:
            message_id = original_of(self._db, self._session, target.message_id).id
            if (message_id, column_of(target.call_index)) not in judged:
                what = "An answer" if target.call_index is None else "A call"
                return ActionRefused(
                    "unjudged",
                    f"{what} has no verdict.",
                    message_id=target.message_id,
                    call_index=target.call_index,
                )
        for question in required:
            if not any(row.answers.get(question.name) for row in rows):
                return ActionRefused(
                    "unanswered", f"The question “{question.text or question.name}” has no answer."
                )
        return None


def _without_time(value: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return {name: inner for name, inner in value.items() if name != "at"}


def _place_of(change: Mapping[str, Any]) -> FieldPlace:
    return FieldPlace(change["message"], change["call"], change["field"])


def _has_changed(row: LabelActionRow, field: FieldPlace) -> bool:
    return any(_place_of(change) == field for change in row.changes)


def _is_related(other: LabelActionRow, row: LabelActionRow, field: FieldPlace) -> bool:
    """Whether two actions on this field change the same stored value."""
    if field.name == ACCEPTED:
        return other.labeller == row.labeller
    is_of_same = other.labeller == row.labeller if field.name == STATE else other.slot == row.slot
    return other.project_id == row.project_id and is_of_same


def _take_over(row: LabelActionRow, field: FieldPlace, before: JsonValue) -> None:
    """Replace the value from before in the first change of the field."""
    changes = [dict(change) for change in row.changes]
    first = next(change for change in changes if _place_of(change) == field)
    first["before"] = before
    row.changes = changes
