"""Parse the commands that the script of the Label tab sends as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, cast

from workbench.app.labelling import LabellingRole
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.records.labels.label import LabelContent, LabelTarget, Verdict
from workbench.records.labels.project import QueueFilter, QueueState
from workbench.toolspec.spec import OfferedTools
from workbench.ui.present.label.form import read_form

PAGE: Final = 50
"""Number of sessions that the queue shows at first, and that `Show more` adds."""
MOST_LISTED: Final = 2000
"""Maximum number of sessions that the queue shows."""


class LabelAction(StrEnum):
    """What a command does."""

    SHOW = "show"
    """Show another session, filter, project or labeller, or more of the queue."""
    LABEL = "label"
    """Save the label of a message or a call."""
    ACCEPT = "accept"
    """Accept a stale message as it is."""
    SUBMIT = "submit"
    """Mark the session as done and open the next one."""
    REJECT = "reject"
    """Reject the session for labelling and open the next one."""
    REOPEN = "reopen"
    """Undo `SUBMIT` or `REJECT`."""
    REGENERATE = "regenerate"
    """Generate a message again, with the corrections above it applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCommand:
    """A command of the Label tab."""

    act: LabelAction
    serial: int
    """Number of the command, which the answer repeats."""
    seat: LabellingRole
    session: str
    """The session. Empty for the first of the queue."""
    filter: QueueFilter
    """The filter of the queue."""
    listed: int
    """Maximum number of sessions to list."""
    message: str = ""
    """Id of the message to act on."""
    call: int | None = None
    """Index of the call to act on, or None for the message itself."""
    label: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """The label to save, as the page sends it."""
    revision: int = 0
    """Revision of the label that the page showed, to detect conflicting changes."""

    @property
    def target(self) -> LabelTarget:
        """The message or call to label."""
        return LabelTarget(session_id=self.session, message_id=self.message, call_index=self.call)


def parse_command(text: str) -> LabelCommand:
    """Parse a command from JSON.

    Raises:
        BadInput: The text is not a valid command.
    """
    try:
        command = as_object(cast(JsonValue, json.loads(text)))
        call = command.get("call")
        return LabelCommand(
            act=LabelAction(str(command.get("act"))),
            serial=_whole(command.get("serial")),
            seat=LabellingRole(
                labeller=str(command.get("labeller") or "").strip(),
                project=str(command.get("project") or ""),
                is_deciding=command.get("is_deciding") is True,
            ),
            session=str(command.get("session") or ""),
            filter=_filter(as_object(command.get("filter"))),
            listed=min(max(_whole(command.get("listed")), PAGE), MOST_LISTED),
            message=str(command.get("message") or ""),
            call=call if isinstance(call, int) else None,
            label=as_object(command.get("label")),
            revision=_whole(command.get("revision")),
        )
    except (ValueError, RecursionError) as error:
        raise BadInput("Label tab", f"the command cannot be parsed: {error}", "reload the page") from error


def parse_content(label: JsonObject, tools: OfferedTools) -> LabelContent:
    """Parse the content of a label.

    Raises:
        BadInput: A field of the label cannot be parsed.
    """
    try:
        return _content(label, tools)
    except (ValueError, RecursionError) as error:
        raise BadInput("label", f"it cannot be parsed: {error}"[:200], "enter it again") from error


def _content(label: JsonObject, tools: OfferedTools) -> LabelContent:
    verdict, rating, tags = label.get("verdict"), _whole(label.get("rating")), label.get("tags")
    answers = as_object(label.get("answers"))
    return LabelContent(
        verdict=Verdict(str(verdict)) if verdict else None,
        rating=rating or None,
        tags=tuple(str(tag).strip() for tag in tags if str(tag).strip()) if isinstance(tags, list) else (),
        comment=str(label.get("comment") or ""),
        correction=_correction(label, tools),
        answers={name: str(answer) for name, answer in answers.items() if answer},
    )


def _correction(label: JsonObject, tools: OfferedTools) -> str | ToolCall | None:
    form = label.get("form")
    if isinstance(form, Mapping):
        texts = {name: str(text) for name, text in as_object(form.get("texts")).items()}
        return read_form(str(form.get("name")), texts, tools)
    if label.get("name"):
        arguments = as_object(cast(JsonValue, json.loads(str(label.get("arguments") or "{}"))))
        return ToolCall(name=str(label["name"]), arguments=arguments)
    text = label.get("text")
    return text if isinstance(text, str) else None


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
    )


def _text(value: JsonValue) -> str | None:
    return str(value).strip() or None if value else None


def _day(value: JsonValue) -> datetime | None:
    """Return the start of a day in UTC, or None for an empty value."""
    return datetime.fromisoformat(str(value)).replace(tzinfo=UTC) if value else None


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
