"""The requests of OpenAI's Responses API, and their translation into chat requests.

*Source:* https://platform.openai.com/docs/api-reference/responses and the types of the `openai` package.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

from pydantic import Field

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.gateway.faults import RequestFault
from workbench.gateway.requests import GenerationFields
from workbench.gateway.translated import (
    ClientNames,
    TranslatedRequest,
    chat_messages,
    chat_tools,
    place_of,
    shared_fields,
    translated,
)
from workbench.trajectory.formats.responses import ItemReader

_REFUSED: Final = ("background", "conversation", "prompt")
"""Parameters without which the answer would be another one."""
_ONLY_HERE: Final = (*_REFUSED, "include", "truncation", "max_tool_calls", "context_management", "moderation")
_LOGPROBS: Final = "message.output_text.logprobs"


class ResponsesRequest(GenerationFields):
    """The body of `/v1/responses`."""

    input: str | list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    max_output_tokens: int | None = Field(default=None, ge=1, le=1_048_576)
    text: dict[str, Any] | None = None
    reasoning: dict[str, Any] | None = None
    include: list[str] | None = None
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    metadata: dict[str, Any] | None = None

    @property
    def wants_logprobs(self) -> bool:
        """Whether the answer includes the log-probabilities of its tokens."""
        return _LOGPROBS in (self.include or ())


def translate_response(form: ResponsesRequest, previous: Sequence[JsonObject]) -> TranslatedRequest:
    """Return a request as a chat request.

    Args:
        previous: The messages of the previous response, its answer included, without its instructions.

    Raises:
        RequestFault: An item or a parameter cannot be used.
    """
    extra = form.model_extra or {}
    for name in _REFUSED:
        if extra.get(name):
            remedy = "Send the conversation as `input`, or name the previous response."
            raise RequestFault(400, f"{name}: it is not supported. {remedy}", "unsupported_value", name)
    messages, places, ignored = _messages(form)
    if not messages and not previous:
        raise RequestFault(
            400,
            "input: it is missing. Send a text or a list of items.",
            "missing_required_parameter",
            "input",
        )
    shared, unused = shared_fields(form, _ONLY_HERE, ["max_tokens"])
    unused -= {"truncation"} if extra.get("truncation") == "disabled" else set()
    tools, hosted = chat_tools(form.tools)
    start = ["instructions"] if form.instructions else []
    system: list[JsonObject] = [{"role": "system", "content": form.instructions}] if form.instructions else []
    reasoning, text = form.reasoning or {}, form.text or {}
    fields: JsonObject = {
        "messages": [*system, *previous, *messages],
        "tools": tools,
        "tool_choice": _chat_choice(form.tool_choice),
        "parallel_tool_calls": form.parallel_tool_calls,
        "max_completion_tokens": form.max_output_tokens,
        "response_format": _chat_format(text.get("format")),
        "metadata": form.metadata,
        "reasoning_effort": reasoning.get("effort"),
        "verbosity": text.get("verbosity"),
    }
    if form.wants_logprobs:
        fields |= {"logprobs": True, "top_logprobs": form.top_logprobs}
    elif form.top_logprobs:
        ignored.add("top_logprobs")
    ignored |= unused | hosted
    ignored |= {f"text.{name}" for name in text if name not in ("format", "verbosity") and text[name]}
    ignored |= {f"reasoning.{name}" for name in reasoning if name != "effort" and reasoning[name]}
    ignored |= {f"include.{name}" for name in form.include or () if name != _LOGPROBS}
    names = ClientNames(
        places=(*start, *["previous_response_id"] * len(previous), *places), fields=_CLIENT_NAMES
    )
    return translated(shared, fields, names, ignored)


_CLIENT_NAMES: Final = {
    "messages": "input",
    "response_format.json_schema": "text.format",
    "response_format": "text.format",
    "max_completion_tokens": "max_output_tokens",
}


def _messages(form: ResponsesRequest) -> tuple[list[JsonObject], list[str], set[str]]:
    """Return the messages of the input, their places, and the names of what they cannot say."""
    reader = ItemReader(between="")
    if isinstance(form.input, str):
        reader.add("user", form.input, "/input", "/input")
    else:
        reader.read(cast(list[JsonValue], form.input), "/input")
    if reader.findings:
        finding = reader.findings[0]
        place = f"input[{finding.pointer.rpartition('/')[2]}]"
        raise RequestFault(400, f"{place}: {finding.message}.", "unsupported_value", place)
    messages, ignored = chat_messages(reader.messages)
    return messages, [place_of(message) for message in reader.messages], ignored


def _chat_format(text_format: JsonValue) -> JsonValue:
    """Return a format as chat requests have it, with the schema in a member of its own."""
    fields = as_object(text_format)
    if fields.get("type") != "json_schema":
        return text_format
    schema = {key: value for key, value in fields.items() if key != "type"}
    return {"type": "json_schema", "json_schema": schema}


def _chat_choice(choice: JsonValue) -> JsonValue:
    """Return a tool choice as chat requests have it, with the name in a member of its own."""
    fields = as_object(choice)
    tools = fields.get("tools")
    if fields.get("type") == "allowed_tools" and isinstance(tools, list):
        allowed = {"mode": fields.get("mode", "auto"), "tools": [_chat_choice(tool) for tool in tools]}
        return {"type": "allowed_tools", "allowed_tools": allowed}
    if "name" in fields:
        return {"type": fields.get("type"), "function": {"name": fields["name"]}}
    return choice
