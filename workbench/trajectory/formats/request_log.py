"""Read logged requests with their responses: the conversation is the request's messages and what the response adds.

*Source:* the types of the `openai` package for chat completions, stored completions and responses; LiteLLM's
`StandardLoggingPayload`; the `Message` of the `anthropic` package.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.trajectory.formats.anthropic import ANTHROPIC
from workbench.trajectory.formats.langchain import LANGCHAIN
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.responses import RESPONSES
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.formats.shared.views import View, read_view
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_pointer import value_at, without

_REQUESTS: Final = ("/request/body", "/request", "/request_body", "")
"""Where a log has the request; it may also be the row itself."""
_RESPONSES: Final = ("/response/body", "/response", "/response_body", "")
_TOOLS: Final = ("/model_parameters", "/optional_params", "")
"""Where LiteLLM has the parameters of a request beside the messages."""
_ANSWERS: Final = (
    ("/choices/0/message", "messages"),
    ("/output", "output"),
    ("/content", "messages"),
)
"""What a response of chat completions, of OpenAI's Responses, or of Anthropic's API adds to which list."""


def _read(row: JsonObject) -> TrainingRow:
    decoded = {key: _decoded(value) for key, value in row.items()}
    request_at, request = _first(decoded, _REQUESTS, ("messages", "input"))
    response_at, response = _first(decoded, _RESPONSES, ("choices", "output", "content"))
    tools_at, _ = _first(decoded, (request_at, *_TOOLS), ("tools", "functions"))
    tools_at += "/functions" if "functions" in as_object(_at(decoded, tools_at)) else "/tools"
    below, key = next(
        (answer for answer in _ANSWERS if _at(response, answer[0]) is not None), ("", "messages")
    )
    asked = "input" if key == "output" and "input" in request else "messages"
    used = [f"{request_at}/{name}" for name in (asked, "system", "instructions")] + [tools_at]
    fields: dict[str, JsonValue] = {
        asked: request.get(asked),
        "system": request.get("system"),
        "instructions": request.get("instructions"),
        "tools": _at(decoded, tools_at),
    }
    places = {f"/{name}": f"{request_at}/{name}" for name in fields} | {"/tools": tools_at}
    if below:
        used.append(response_at + below)
        answer = _at(response, below)
        if key == "output":
            fields[key], places[f"/{key}"] = answer, response_at + below
        elif isinstance(messages := fields[asked], list):
            place = f"/{asked}/{len(messages)}"
            if below == "/content":
                answer = {"role": "assistant", "content": answer}
                places |= {place: response_at, f"{place}/content": response_at + below}
            else:
                places[place] = response_at + below
            fields[asked] = [*messages, _without_gaps(answer)]
    view = View(
        fields={name: value for name, value in fields.items() if value is not None},
        places=places,
        columns=without(decoded, used),
        decoded=decoded,
    )
    inner = RESPONSES if key == "output" else _format_of(view.fields)
    return read_view(row, "request-log", view, inner.read)


def _format_of(fields: JsonObject) -> RowFormat:
    return next((form for form in (LANGCHAIN, ANTHROPIC) if form.fits(fields)), OPENAI)


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
        return value_at(value, pointer)
    except LookupError:
        return None


def _without_gaps(message: JsonValue) -> JsonValue:
    """Return a response's message without the lists that the API leaves empty, such as `annotations`."""
    fields = as_object(message)
    return {key: value for key, value in fields.items() if value != []} if fields else message


def _fits(row: JsonObject) -> bool:
    if "choices" in row:
        return "messages" in row or "request" in row
    if "response" not in row and "response_body" not in row:
        return False
    if "request" in row or "request_body" in row:
        return True
    response = as_object(_decoded(row.get("response")))
    return "messages" in row and ("choices" in response or "content" in response)


REQUEST_LOG: Final = RowFormat(
    name="request-log",
    title="logged requests and responses of OpenAI clients, LiteLLM and Anthropic clients",
    fits=_fits,
    read=_read,
)
