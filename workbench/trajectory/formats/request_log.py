"""Read logged requests with their responses: the conversation is the request's messages and what the response adds.

*Source:* the types of the `openai` package for chat completions, stored completions and responses; LiteLLM's
`StandardLoggingPayload`; the `Message` of the `anthropic` package.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.trajectory.formats.anthropic import ANTHROPIC
from workbench.trajectory.formats.hermes_messages import HERMES_MESSAGES
from workbench.trajectory.formats.langchain import LANGCHAIN
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.responses import RESPONSES
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.views import View, read_view
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_pointer import value_in_row, without

_REQUESTS: Final = ("/request/body", "/request", "/request_body", "/proxy_server_request", "")
"""Where a log has the request; it may also be the row itself."""
_RESPONSES: Final = ("/response/body", "/response", "/response_body", "")
_TOOLS: Final = ("/model_parameters", "/optional_params", "")
"""Where LiteLLM has the parameters of a request beside the messages."""
_TEXTS: Final = (
    "request",
    "request_body",
    "proxy_server_request",
    "messages",
    "response",
    "response_body",
    "model_parameters",
    "optional_params",
)
"""Columns that loggers write as texts of JSON."""


def _read(row: JsonObject) -> TrainingRow:
    decoded = {key: _decoded(value) if key in _TEXTS else value for key, value in row.items()}
    request_at, request = _first(decoded, _REQUESTS, ("messages", "input"))
    tools_at, parameters = _first(decoded, (request_at, *_TOOLS), ("tools", "functions"))
    tools_at += "/functions" if "functions" in parameters else "/tools"
    answer_at, answer = _answer(decoded)
    asked = "input" if "input" in request and "messages" not in request else "messages"
    fields = {key: request.get(key) for key in (asked, "system", "instructions")}
    places = {f"/{key}": f"{request_at}/{key}" for key in fields} | {"/tools": tools_at}
    fields["tools"] = _at(decoded, tools_at)
    if asked == "input" and answer_at:
        fields["output"], places["/output"] = answer, answer_at
    elif isinstance(messages := fields[asked], list) and answer is not None:
        place = f"/messages/{len(messages)}"
        places |= {place: answer_at, f"{place}/content": f"{answer_at}/content"}
        if not isinstance(answer, dict):
            # The text, or the blocks, of the model's message. Its place is that of the content.
            answer = {"role": "assistant", "content": answer}
            places[f"{place}/content"] = answer_at
        fields[asked] = [*messages, {key: value for key, value in answer.items() if value != []}]
    view = View(
        fields={name: value for name, value in fields.items() if value is not None},
        places=places,
        columns=without(decoded, filter(None, places.values())),
        decoded=decoded,
    )
    inner = RESPONSES if asked == "input" else _format_of(view.fields)
    return read_view(row, "request-log", view, inner.read)


def _answer(row: JsonObject) -> tuple[str, JsonValue]:
    """Return what the model answered, and its place: a message, a text, or a list of blocks or items."""
    for place in _RESPONSES:
        response = _at(row, place)
        fields = as_object(response)
        for below in ("/choices/0/message", "/choices/0/text", *(["/output"] if place else [])):
            if (answer := _at(fields, below)) is not None:
                return place + below, answer
        if place and isinstance(response, str):
            return place, response
        if place and "role" in fields and ("content" in fields or "tool_calls" in fields):
            is_block_list = fields.get("type") == "message"
            return (f"{place}/content", fields.get("content")) if is_block_list else (place, response)
    return "", None


def _format_of(fields: JsonObject) -> RowFormat:
    return next((form for form in (LANGCHAIN, ANTHROPIC, HERMES_MESSAGES) if form.fits(fields)), OPENAI)


def _decoded(value: JsonValue) -> JsonValue:
    """Return the list or object that a text holds; loggers often write requests and responses as JSON."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return loads_fast(value)
        except (ValueError, RecursionError):
            pass
    return value


def _first(row: JsonObject, places: Iterable[str], keys: Sequence[str]) -> tuple[str, JsonObject]:
    """Return the first place with an object that has one of the keys, and the object."""
    for place in places:
        value = as_object(_at(row, place))
        if any(value.get(key) is not None for key in keys):
            return place, value
    return "", {}


def _at(value: JsonValue, pointer: str) -> JsonValue:
    try:
        return value_in_row(value, pointer)
    except LookupError:
        return None


def _fits(row: JsonObject) -> bool:
    if not any(key in row for key in ("choices", "response", "response_body")):
        return False
    # A row that was converted has the rest of its request and response in columns of these names.
    decoded = {key: _decoded(row[key]) for key in (*_TEXTS, "choices") if key in row}
    if _first(decoded, _REQUESTS[:-1], ("messages", "input"))[1]:
        return True
    response = _at(decoded, "/response")
    return "messages" in row and not isinstance(response, str) and bool(_answer(decoded)[0])


REQUEST_LOG: Final = RowFormat(
    name="request-log",
    title="logged requests and responses of OpenAI clients, LiteLLM and Anthropic clients",
    fits=_fits,
    read=_read,
)
