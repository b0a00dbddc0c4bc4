"""Apply the actions of an annotator: check what only the conversation shows, then leave the rest to the store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from workbench.app.services import Services
from workbench.chat.finding import Severity
from workbench.chat.message import Role, ToolCall
from workbench.errors import NoSession
from workbench.hermes.reading import ReadCall
from workbench.hermes.written_out import read_message, written_out
from workbench.label.app.labelling import (
    LabellingRole,
    LabellingView,
    check_call,
    labelled_message,
    open_for_labelling,
)
from workbench.label.records.action import (
    ActionRefused,
    AppliedAction,
    FieldChange,
    LabelAction,
    correction_json,
    correction_value,
)
from workbench.records.label import AddedCall, LabelTarget, Verdict
from workbench.records.label_words import ActionKind
from workbench.records.sessions import StoredMessage
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import OfferedTools, canonical_json

SAME_AS_ORIGINAL: Final = "This equals the original, so there is no correction."


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOutcome:
    """The result of an action, for the annotator."""

    applied: AppliedAction
    note: str = ""
    """A remark for the annotator. Empty if there is nothing to say."""


def apply_action(services: Services, action: LabelAction, *, is_confirmed: bool = False) -> ActionOutcome:
    """Apply an action, unless it was applied before.

    A correction that equals the original becomes no correction.

    Args:
        is_confirmed: Whether the annotator has seen the warning. It allows a correction that breaks the schema, and
            submitting a session with stale messages or without a training row.

    Raises:
        ActionRefused: The annotator has to confirm the action, or something required is missing.
        BadInput: The action is not valid.
        StoreError: The session or a message does not exist, or the change could not be written.
    """
    note = ""
    if action.kind is ActionKind.LABEL:
        changes: list[FieldChange] = []
        for change in action.changes:
            checked = _checked(services, action, change, is_confirmed=is_confirmed)
            note = note or (SAME_AS_ORIGINAL if change.value is not None and checked.value is None else "")
            changes.append(checked)
        action = replace(action, changes=tuple(changes))
    elif action.kind is ActionKind.SUBMIT and not is_confirmed:
        _check_submit(services, action)
    project = services.label_projects.find_project(action.project)
    if project is not None and project.requires_verdicts:
        action = replace(action, must_judge=_must_judge(services, action))
    return ActionOutcome(applied=services.labels.apply(action), note=note)


def accept_changes(
    services: Services, session_id: str, role: LabellingRole, target: LabelTarget | None
) -> Sequence[FieldChange]:
    """Return the changes that accept a call or message, or everything that has no verdict yet.

    Stale messages are accepted as they are. A verdict that was given stays as it is. An invalid call is skipped.

    Args:
        target: The call or message. A message is accepted with its results. None accepts the rest of the session.

    Raises:
        StoreError: The session does not exist, or cannot be read.
    """
    view = opened_for(services, session_id, role)
    own = None if target is None else _with_results(view.path, target.message_id)
    return (
        *(
            FieldChange(message_id=message_id, field="accepted", value=True)
            for message_id in view.stale
            if own is None or message_id in own
        ),
        *(
            FieldChange(
                message_id=stop.target.message_id,
                call_index=stop.target.call_index,
                field="verdict",
                value=stop.accepting.value,
                is_only_if_empty=True,
            )
            for stop in view.stops
            if stop.is_valid and (target is None or stop.target == target)
        ),
    )


def _with_results(path: Sequence[StoredMessage], message_id: str) -> frozenset[str]:
    """Return the ids of a message and, unless it is a result itself, of the results that follow it."""
    start = next((place for place, stored in enumerate(path) if stored.id == message_id), len(path))
    if start == len(path) or path[start].message.role is Role.TOOL:
        return frozenset({message_id})
    results = takewhile(lambda stored: stored.message.role is Role.TOOL, path[start + 1 :])
    return frozenset({message_id, *(stored.id for stored in results)})


def _role_of(action: LabelAction) -> LabellingRole:
    return LabellingRole(annotator=action.annotator, project=action.project, is_deciding=action.is_deciding)


def opened_for(services: Services, session_id: str, role: LabellingRole) -> LabellingView:
    """Return a session as an annotator sees it.

    Raises:
        BadInput: The annotator may not act in this role.
        StoreError: There is no such session, or the annotator may not see it.
    """
    view = open_for_labelling(services, session_id, role)
    if view is None:
        raise NoSession(session_id)
    return view


def _opened(services: Services, action: LabelAction) -> LabellingView:
    return opened_for(services, action.session_id, _role_of(action))


def _must_judge(services: Services, action: LabelAction) -> tuple[LabelTarget, ...]:
    return tuple(stop.target for stop in _opened(services, action).stops)


def _checked(
    services: Services, action: LabelAction, change: FieldChange, *, is_confirmed: bool
) -> FieldChange:
    """Return the change; without a correction if it equals the original. An added call gets its place."""
    role = _role_of(action)
    target = LabelTarget(
        session_id=action.session_id, message_id=change.message_id, call_index=change.call_index
    )
    correction = correction_value(change.value) if change.field == "correction" else None
    if correction is None:
        # The correction of a call that was added can be removed, and a reviewer can find the call needless.
        is_of_added = (
            change.field == "verdict" and role.is_review and change.value in (None, Verdict.NEEDLESS)
        )
        if change.field != "correction" and not is_of_added:
            check_call(services, target, role)
        return change
    if isinstance(correction, AddedCall):
        message = labelled_message(services, target, role, is_added=True).message
        tools = _opened(services, action).tools
        if not is_confirmed:
            _check_schema(correction.call, tools, change)
        is_before = not read_message(message, tools=tools).calls
        return replace(change, value=correction_json(replace(correction, is_before=is_before)))
    message = labelled_message(services, target, role).message
    if isinstance(correction, str):
        return replace(change, value=None) if correction == written_out(message) else change
    if change.call_index is None:
        # The store refuses a call as the correction of a message.
        return change
    tools = _opened(services, action).tools
    original = read_message(message, tools=tools).calls[change.call_index]
    if _is_same_call(correction, original):
        return replace(change, value=None)
    if not is_confirmed:
        _check_schema(correction, tools, change)
    return change


def _is_same_call(call: ToolCall, original: ReadCall) -> bool:
    is_same_tool = call.name == original.name
    return is_same_tool and canonical_json(call.arguments) == canonical_json(original.arguments)


def _check_schema(call: ToolCall, tools: OfferedTools, change: FieldChange) -> None:
    spec = tools.by_name.get(call.name)
    if spec is None:
        problem = f"The tool {call.name!r} is not offered."
    else:
        errors = [
            finding for finding in check_arguments(spec, call.arguments) if finding.severity is Severity.ERROR
        ]
        if not errors:
            return
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        problem = f"The correction does not fit the schema: {errors[0].message}{more}."
    raise ActionRefused(
        "schema", problem, message_id=change.message_id, call_index=change.call_index, can_confirm=True
    )


def _check_submit(services: Services, action: LabelAction) -> None:
    """Raise if the annotator should confirm that the session is submitted as it is."""
    view = _opened(services, action)
    stale = tuple(view.stale)
    if stale:
        follow = "1 message follows" if len(stale) == 1 else f"{len(stale)} messages follow"
        raise ActionRefused(
            "stale", f"{follow} a correction. Accept or regenerate.", message_id=stale[0], can_confirm=True
        )
    if view.outcome.obstacles:
        obstacle = view.outcome.obstacles[0]
        raise ActionRefused(
            "no-row",
            f"There is no training row: {obstacle.message}.",
            message_id=obstacle.message_id or "",
            can_confirm=True,
        )
