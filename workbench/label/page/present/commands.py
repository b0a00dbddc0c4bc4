"""Parse the commands that the script of the Label tab sends as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.errors import BadInput
from workbench.label.app.labelling import LabellingRole
from workbench.label.records.action import (
    ActionId,
    FieldChange,
    LabelAction,
    correction_json,
    correction_value,
)
from workbench.label.records.project import Member, Project, Question, QueueFilter, QueueOrder, QueueSort
from workbench.records.label import AddedCall, LabelTarget
from workbench.records.label_words import ActionKind, ProjectRole, QueueState
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.call_form import read_form

PAGE: Final = 50
"""Number of sessions of the queue that are sent at a time."""
MOST_ROWS: Final = 10**9
"""No queue has a row beyond this index."""
MOST_DIGITS: Final = 9
"""The longest number in a form, in digits."""
MOST_ACTIONS: Final = 100
"""Maximum number of actions of one command. The page sends the others with the next one."""
ACCEPT: Final = "accept"
"""Accepts a call or message, and its stale results, as they are."""
ACCEPT_REST: Final = "accept-rest"
"""Accepts everything in the session that has no verdict yet, and all stale messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAction:
    """An action as the page sends it. Corrections in it are filled forms, and `accept` names no changes yet."""

    id: ActionId
    role: LabellingRole
    session: str
    kind: str
    """An `ActionKind`, `accept` or `accept-rest`."""
    message: str
    """For `accept`: the message, or that of the call."""
    call: int | None
    """For `accept`: the call, or None."""
    changes: Sequence[JsonObject]
    """For `label`: the changed fields."""
    undoes: ActionId | None
    is_confirmed: bool
    """Whether the annotator was warned before."""

    @property
    def target(self) -> LabelTarget | None:
        """The call or message to accept. None for the rest of the session."""
        if self.kind == ACCEPT_REST:
            return None
        return LabelTarget(session_id=self.session, message_id=self.message, call_index=self.call)

    @property
    def has_form(self) -> bool:
        """Whether a change is a filled form, which is read with the tools of the session."""
        values = (change.get("value") for change in self.changes)
        return any(isinstance(value, Mapping) and "form" in value for value in values)

    def with_changes(self, changes: Sequence[FieldChange]) -> LabelAction:
        """Return the action with its changes, to be applied."""
        kind = ActionKind.LABEL if self.kind in (ACCEPT, ACCEPT_REST) else ActionKind(self.kind)
        return LabelAction(
            id=self.id,
            session_id=self.session,
            kind=kind,
            annotator=self.role.annotator,
            project=self.role.project,
            is_deciding=self.role.is_deciding,
            changes=tuple(changes),
            undoes=self.undoes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCommand:
    """A command of the Label tab: actions to apply, and what to show."""

    serial: int
    """Number of the command, which the answer repeats."""
    seat: LabellingRole
    session: str
    """The session to show. Empty for the next one of the queue."""
    after: str
    """The session after which the next one is looked for. Empty for the first of the queue."""
    known: tuple[str, ...]
    """Sessions that the page has loaded already."""
    filter: QueueFilter
    sort: QueueSort
    first: int | None
    """Index of the first session of the queue to list. None lists those around the shown session."""
    step: int
    """1 or -1 shows the session below or above `after` in the queue, done or not. 0 the next one with work to do."""
    trial: JsonObject
    """The form of an added call whose result the mock of its tool is to give. Empty for most commands."""
    manage: JsonObject
    """A change of a project, or an assignment of rows. Empty for most commands."""
    actions: tuple[PageAction, ...]
    """In the order in which they were made."""
    message: str
    """Id of the message to regenerate."""


def parse_command(text: str) -> LabelCommand:
    """Parse a command from JSON.

    Raises:
        BadInput: The text is not a valid command.
    """
    try:
        command = as_object(cast(JsonValue, json.loads(text)))
        return LabelCommand(
            serial=_whole(command.get("serial")),
            seat=_role(command),
            session=str(command.get("session") or ""),
            after=str(command.get("after") or ""),
            known=tuple(map(str, _list(command.get("known")))),
            filter=_filter(as_object(command.get("filter"))),
            sort=_sort(as_object(command.get("filter"))),
            first=None
            if command.get("first") is None
            else min(max(_whole(command.get("first")), 0), MOST_ROWS),
            step=max(-1, min(1, _whole(command.get("step")))),
            trial=as_object(command.get("trial")),
            manage=as_object(command.get("manage")),
            actions=tuple(
                _action(as_object(action)) for action in _list(command.get("actions"))[:MOST_ACTIONS]
            ),
            message=str(command.get("message") or ""),
        )
    except (ValueError, RecursionError) as error:
        raise BadInput("Label tab", f"the command cannot be parsed: {error}", "reload the page") from error


def signed_by(command: LabelCommand, name: str) -> LabelCommand:
    """Return the command in the name of an account, whatever name the page has sent.

    Args:
        name: Name of the account. Empty if nobody logs in, so that people type their names.
    """
    if not name:
        return command
    return replace(
        command,
        seat=replace(command.seat, annotator=name),
        actions=tuple(
            replace(action, role=replace(action.role, annotator=name)) for action in command.actions
        ),
    )


def read_changes(action: PageAction, tools: OfferedTools) -> tuple[FieldChange, ...]:
    """Return the changes of an action, with filled forms read as calls.

    Raises:
        BadInput: A form or a change cannot be read.
    """
    return tuple(_change(change, tools) for change in action.changes)


def _change(change: JsonObject, tools: OfferedTools) -> FieldChange:
    value = change.get("value")
    form = value.get("form") if isinstance(value, Mapping) else None
    if isinstance(form, Mapping):
        texts = {name: str(text) for name, text in as_object(form.get("texts")).items()}
        call, result = read_form(str(form.get("name")), texts, tools), form.get("result")
        value = correction_json(AddedCall(call=call, result=result) if isinstance(result, str) else call)
    elif isinstance(value, Mapping):
        value = correction_json(correction_value(value))
    call = change.get("call")
    return FieldChange(
        message_id=str(change.get("message") or ""),
        call_index=call if isinstance(call, int) else None,
        field=str(change.get("field") or ""),
        value=value,
    )


def _action(action: JsonObject) -> PageAction:
    kind, call, undoes = str(action.get("kind")), action.get("call"), action.get("undoes")
    if kind not in (ACCEPT, ACCEPT_REST):
        ActionKind(kind)
    return PageAction(
        id=ActionId(str(action.get("client") or ""), _whole(action.get("number"))),
        role=_role(action),
        session=str(action.get("session") or ""),
        kind=kind,
        message=str(action.get("message") or ""),
        call=call if isinstance(call, int) else None,
        changes=tuple(as_object(change) for change in _list(action.get("changes"))[:MOST_ACTIONS]),
        undoes=_id(undoes) if isinstance(undoes, Mapping) else None,
        is_confirmed=action.get("is_confirmed") is True,
    )


def _id(value: JsonObject) -> ActionId:
    return ActionId(str(value.get("client") or ""), _whole(value.get("number")))


def _role(fields: JsonObject) -> LabellingRole:
    return LabellingRole(
        annotator=str(fields.get("labeller") or "").strip(),
        project=str(fields.get("project") or ""),
        is_deciding=fields.get("is_deciding") is True,
    )


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else []


def _filter(fields: JsonObject) -> QueueFilter:
    state, has_fix = str(fields.get("state") or ""), str(fields.get("has_fix") or "")
    return QueueFilter(
        state=QueueState(state) if state else None,
        assignee=_text(fields.get("assignee")),
        tag=_text(fields.get("tag")),
        verdict=_text(fields.get("verdict")),
        contract_version=_text(fields.get("contract")),
        model=_text(fields.get("model")),
        has_fix={"yes": True, "no": False}.get(has_fix),
        since=_day(fields.get("since")),
        until=_day(fields.get("until")),
        format=_text(fields.get("format")),
        source=_text(fields.get("source")),
        tool=_text(fields.get("tool")),
        finding=_text(fields.get("finding")),
        row=_text(fields.get("row")),
    )


def _sort(fields: JsonObject) -> QueueSort:
    order, seed = str(fields.get("order") or ""), str(fields.get("seed") or "0")
    return QueueSort(
        order=QueueOrder(order) if order else None,
        seed=int(seed) if seed.lstrip("-").isdecimal() and len(seed) <= MOST_DIGITS else 0,
    )


def read_project(fields: JsonObject, stored: Project) -> Project:
    """Return a project with the fields that the page's form has sent.

    Questions are lines `NAME=TEXT|CHOICE|…`, and a `*` after the name makes an answer required.

    Raises:
        BadInput: A question cannot be read, or the overlap is not a number.
    """
    overlap = str(fields.get("overlap") or "1").strip()
    if not overlap.isdecimal() or len(overlap) > MOST_DIGITS:
        raise BadInput("overlap", f"{overlap[:40]!r} is not a number", "use 1 or more")
    return replace(
        stored,
        guidelines=str(fields.get("guidelines") or ""),
        overlap=int(overlap),
        questions=tuple(map(_question, _lines(fields.get("questions")))),
        requires_verdicts=fields.get("requires_verdicts") is True,
        members=tuple(
            Member(name, role)
            for role, key in ((ProjectRole.ANNOTATOR, "annotators"), (ProjectRole.REVIEWER, "reviewers"))
            for name in dict.fromkeys(split_names(fields.get(key)))
        ),
    )


def split_names(value: JsonValue) -> Sequence[str]:
    """Return the names of a text that separates them with commas or line ends."""
    return [name.strip() for name in str(value or "").replace("\n", ",").split(",") if name.strip()]


def _lines(value: JsonValue) -> Sequence[str]:
    return [line.strip() for line in str(value or "").splitlines() if line.strip()]


def _question(line: str) -> Question:
    name, equals, rest = line.partition("=")
    text, *choices = (part.strip() for part in rest.split("|"))
    is_required = name.strip().endswith("*")
    name = name.strip().removesuffix("*").strip()
    if not equals or not name:
        raise BadInput("questions", f"{line[:60]!r} has no name", "write NAME=TEXT, or NAME=TEXT|yes|no")
    return Question(name=name, text=text, choices=tuple(filter(None, choices)), is_required=is_required)


def _text(value: JsonValue) -> str | None:
    return str(value).strip() or None if value else None


def _day(value: JsonValue) -> datetime | None:
    """Return the start of a day in UTC, or None for an empty value."""
    return datetime.fromisoformat(str(value)).replace(tzinfo=UTC) if value else None


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
