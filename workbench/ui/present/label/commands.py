"""Commands of the Label tab's script, read from JSON."""

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
"""Sessions that the queue shows at first, and that are added at a time."""
MOST_LISTED: Final = 2000


class LabelAction(StrEnum):
    """What is to be done."""

    SHOW = "show"
    """Another session, filter, project or labeller; or more of the queue."""
    LABEL = "label"
    """Something is said of a message or a call."""
    ACCEPT = "accept"
    """A stale message holds all the same."""
    SUBMIT = "submit"
    """The session is done; the next one."""
    REJECT = "reject"
    """The session is not to be labelled; the next one."""
    REOPEN = "reopen"
    """Undoes either."""
    REGENERATE = "regenerate"
    """A message is written anew, with the corrections above it in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCommand:
    """One order."""

    act: LabelAction
    serial: int
    """Comes back with the answer."""
    seat: LabellingRole
    session: str
    """The session; empty takes the first of the queue."""
    wanted: QueueFilter
    """The filter that the queue is seen through."""
    listed: int
    """Sessions that the queue may show."""
    message: str = ""
    """Id of the message that it is about."""
    call: int | None = None
    """Place of the call that it is about; None for the message itself."""
    said: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    revision: int = 0
    """Of a label: the one that was seen."""

    @property
    def target(self) -> LabelTarget:
        """What a label is of."""
        return LabelTarget(session_id=self.session, message_id=self.message, call_index=self.call)


def read_order(text: str) -> LabelCommand:
    """An order from JSON.

    Raises:
        BadInput: It is none.
    """
    try:
        order = as_object(cast(JsonValue, json.loads(text)))
        call = order.get("call")
        return LabelCommand(
            act=LabelAction(str(order.get("act"))),
            serial=_whole(order.get("serial")),
            seat=LabellingRole(
                labeller=str(order.get("labeller") or "").strip(),
                project=str(order.get("project") or ""),
                is_deciding=order.get("is_deciding") is True,
            ),
            session=str(order.get("session") or ""),
            wanted=_filter(as_object(order.get("filter"))),
            listed=min(max(_whole(order.get("listed")), PAGE), MOST_LISTED),
            message=str(order.get("message") or ""),
            call=call if isinstance(call, int) else None,
            said=as_object(order.get("said")),
            revision=_whole(order.get("revision")),
        )
    except (ValueError, RecursionError) as error:
        raise BadInput("labelling desk", f"an order cannot be read: {error}", "reload the page") from error


def read_content(said: JsonObject, tools: OfferedTools) -> LabelContent:
    """What a label says.

    Raises:
        BadInput: A field of the form cannot be read.
    """
    try:
        return _content(said, tools)
    except (ValueError, RecursionError) as error:
        raise BadInput("label", f"it cannot be read: {error}"[:200], "choose it again") from error


def _content(said: JsonObject, tools: OfferedTools) -> LabelContent:
    verdict, rating, tags = said.get("verdict"), _whole(said.get("rating")), said.get("tags")
    answers = as_object(said.get("answers"))
    return LabelContent(
        verdict=Verdict(str(verdict)) if verdict else None,
        rating=rating or None,
        tags=tuple(str(tag).strip() for tag in tags if str(tag).strip()) if isinstance(tags, list) else (),
        comment=str(said.get("comment") or ""),
        correction=_correction(said, tools),
        answers={name: str(answer) for name, answer in answers.items() if answer},
    )


def _correction(said: JsonObject, tools: OfferedTools) -> str | ToolCall | None:
    form = said.get("form")
    if isinstance(form, Mapping):
        texts = {name: str(text) for name, text in as_object(form.get("texts")).items()}
        return read_form(str(form.get("name")), texts, tools)
    if said.get("name"):
        arguments = as_object(cast(JsonValue, json.loads(str(said.get("arguments") or "{}"))))
        return ToolCall(name=str(said["name"]), arguments=arguments)
    text = said.get("text")
    return text if isinstance(text, str) else None


def _filter(asked: JsonObject) -> QueueFilter:
    state, has_fix = str(asked.get("state") or ""), str(asked.get("has_fix") or "")
    return QueueFilter(
        state=QueueState(state) if state else None,
        assignee=_text(asked.get("assignee")),
        tag=_text(asked.get("tag")),
        verdict=_text(asked.get("verdict")),
        contract_version=_text(asked.get("contract")),
        model=_text(asked.get("model")),
        has_fix={"yes": True, "no": False}.get(has_fix),
        since=_day(asked.get("since")),
        until=_day(asked.get("until")),
    )


def _text(value: JsonValue) -> str | None:
    return str(value).strip() or None if value else None


def _day(value: JsonValue) -> datetime | None:
    """The beginning of a day, UTC."""
    return datetime.fromisoformat(str(value)).replace(tzinfo=UTC) if value else None


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
