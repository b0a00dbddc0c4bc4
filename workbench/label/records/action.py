"""What an annotator did, as a log: each action is addressed to a session, is applied once, and can be undone.

The idea: a page numbers its actions and sends them until they are acknowledged. It may send one twice, for example
after a reload. The pair of client and number identifies it, so that the second time changes nothing.

Undoing an action leaves what the labels would be without it, whatever was done since. Example: the verdict of a call
is set to `right`, then to `needless`. Undoing the first leaves `needless`; undoing the second as well leaves nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.records.label import AddedCall, Correction, LabelTarget, call_json
from workbench.records.label_words import ActionKind, QueueState

MAX_ID_LENGTH: Final = 64
"""The longest name of a client, in characters."""


STATE_OF: Final[Mapping[ActionKind, QueueState]] = {
    ActionKind.SUBMIT: QueueState.DONE,
    ActionKind.REJECT: QueueState.DISCARDED,
}
"""The state to which an action moves the session."""


class ActionId(NamedTuple):
    """Identifies an action of an annotator in a project."""

    client: str
    """Random name of the opened page."""
    number: int
    """Number of the action in that page, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A new value of one field of a label, or the acceptance of a stale message."""

    message_id: str
    call_index: int | None = None
    """Index of the call, or None for the message itself."""
    field: str
    """`verdict`, `rating`, `comment`, `correction`, `tag:NAME`, `answer:QUESTION` or `accepted`."""
    value: JsonValue
    """The new value, or None to clear the field. True for a tag and an acceptance. A correction is
    `{"text": …}` or `{"name": …, "arguments": …}`, and for an added call also `"result": …, "before": …`."""
    is_only_if_empty: bool = False
    """True leaves a field that has a value as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAction:
    """An action of an annotator in one session."""

    id: ActionId
    session_id: str
    kind: ActionKind
    annotator: str = ""
    """Empty for the only user of a local installation."""
    project: str = ""
    """Name of the labelling project; empty for the default project."""
    is_deciding: bool = False
    """True changes the deciding labels instead of the annotator's own."""
    changes: tuple[FieldChange, ...] = ()
    """For `LABEL`: in the order in which they are made."""
    undoes: ActionId | None = None
    """For `UNDO`: the action to undo."""
    must_judge: tuple[LabelTarget, ...] = ()
    """Calls and answers that need a verdict before the session can be done. Empty if the project does not require
    verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedAction:
    """The result of an action."""

    is_new: bool
    """False if it had been applied before, so that nothing was changed."""
    state: QueueState
    """The labelling state of the session afterwards."""


class ActionRefused(BadInput):
    """An action was not applied, and changed nothing.

    Args:
        code: `unjudged`, `unanswered`, `stale`, `no-row` or `schema`.
        message_id: The message to look at. Empty if the reason is not about a message.
        call_index: The call to look at, or None.
        can_confirm: Whether the same action is applied if it is confirmed.
    """

    def __init__(
        self,
        code: str,
        problem: str,
        *,
        remedy: str = "",
        message_id: str = "",
        call_index: int | None = None,
        can_confirm: bool = False,
    ) -> None:
        super().__init__(code, problem, remedy)
        self.code = code
        self.message_id = message_id
        self.call_index = call_index
        self.can_confirm = can_confirm
        self.args = (f"{problem}{f' ({remedy})' if remedy else ''}",)


def correction_json(correction: Correction | None) -> JsonObject | None:
    """Return a correction as the value of a field change."""
    if correction is None:
        return None
    return {"text": correction} if isinstance(correction, str) else call_json(correction)


def correction_value(value: JsonValue) -> Correction | None:
    """Return the correction of a field change.

    Raises:
        BadInput: The value is not a correction.
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        fields = cast(JsonObject, value)
        text, name, arguments = fields.get("text"), fields.get("name"), fields.get("arguments")
        if isinstance(text, str):
            return text
        if isinstance(name, str) and name and isinstance(arguments, Mapping):
            call, result = ToolCall(name=name, arguments=arguments), fields.get("result")
            is_before = fields.get("before") is True
            return (
                AddedCall(call=call, result=result, is_before=is_before) if isinstance(result, str) else call
            )
    raise BadInput("correction", "it is neither a text nor a call", "enter it again")
