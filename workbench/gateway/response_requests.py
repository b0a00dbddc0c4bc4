"""The requests of OpenAI's Responses API, and their translation into chat requests.

*Source:* https://platform.openai.com/docs/api-reference/responses and the types of the `openai` package.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.gateway.faults import RequestFault
from workbench.gateway.requests import GenerationFields, NamedFunction
from workbench.gateway.translated import (
    ClientNames,
    TranslatedRequest,
    chat_messages,
    chat_tools,
    place_of,
    translated,
    without_effect,
)
from workbench.trajectory.formats.responses import ItemReader

_REFUSED: Final = ("background", "conversation", "prompt")
"""Parameters without which the answer would be another one."""
_ONLY_HERE: Final = (*_REFUSED, "include", "truncation", "max_tool_calls", "context_management", "moderation")
_LOGPROBS: Final = "message.output_text.logprobs"


class TextFormat(BaseModel):
    """The format of the answer, with the schema beside its type."""

    model_config = ConfigDict(extra="allow")

    type: Literal["text", "json_object", "json_schema"]

    @property
    def chat_format(self) -> JsonObject:
        """The format as chat requests have it."""
        if self.type != "json_schema":
            return {"type": self.type}
        return {"type": self.type, "json_schema": dict(self.model_extra or {})}


class TextOptions(BaseModel):
    """How the text of an answer is written."""

    format: TextFormat | None = None
    verbosity: str | None = None


class ReasoningOptions(BaseModel):
    """How a model thinks."""

    model_config = ConfigDict(extra="allow")

    effort: str | None = None


class FunctionChoice(NamedFunction):
    """The tool choice that names one function."""

    type: Literal["function"]


class AllowedFunctions(BaseModel):
    """The tool choice that allows only some of the tools."""

    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"] = "auto"
    tools: list[FunctionChoice]


_ListedChoice = Annotated[FunctionChoice | AllowedFunctions, Field(discriminator="type")]


class ResponsesRequest(GenerationFields):
    """The body of `/v1/responses`."""

    input: str | list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    instructions: str | None = None
    previous_response_id: str | None = None
    store: bool | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: Literal["none", "auto", "required"] | _ListedChoice | None = None
    parallel_tool_calls: bool | None = None
    max_output_tokens: int | None = Field(default=None, ge=1, le=1_048_576)
    text: TextOptions | None = None
    reasoning: ReasoningOptions | None = None
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
    passed, unused = without_effect(extra, _ONLY_HERE)
    unused -= {"truncation"} if extra.get("truncation") == "disabled" else set()
    ignored |= unused | _ignored_options(form)
    tools, hosted = chat_tools(form.tools)
    start = ["instructions"] if form.instructions else []
    system: list[JsonObject] = [{"role": "system", "content": form.instructions}] if form.instructions else []
    fields: dict[str, JsonValue] = {
        **passed,
        **form.model_dump(include=_SHARED, exclude_none=True),
        "messages": [*system, *previous, *messages],
        "tools": tools,
        "tool_choice": _chat_choice(form),
        "parallel_tool_calls": form.parallel_tool_calls,
        "max_completion_tokens": form.max_output_tokens,
        "response_format": form.text.format.chat_format if form.text and form.text.format else None,
        "metadata": form.metadata,
    }
    if form.wants_logprobs:
        fields |= {"logprobs": True, "top_logprobs": form.top_logprobs}
    if form.reasoning and form.reasoning.effort:
        fields["reasoning_effort"] = form.reasoning.effort
    if form.text and form.text.verbosity:
        fields["verbosity"] = form.text.verbosity
    names = ClientNames(
        places=(*start, *["previous_response_id"] * len(previous), *places), fields=_CLIENT_NAMES
    )
    return translated(fields, names, ignored | hosted)


_CLIENT_NAMES: Final = {
    "messages": "input",
    "response_format.json_schema": "text.format",
    "response_format": "text.format",
    "max_completion_tokens": "max_output_tokens",
}
_SHARED: Final = set(GenerationFields.model_fields) - {"n", "max_tokens", "stream_options"}


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


def _ignored_options(form: ResponsesRequest) -> set[str]:
    others = set(form.reasoning.model_extra or ()) if form.reasoning else set[str]()
    names = {f"reasoning.{name}" for name in others}
    names |= {f"include.{name}" for name in form.include or () if name != _LOGPROBS}
    return names | {name for name in ("n", "max_tokens") if getattr(form, name) is not None}


def _chat_choice(form: ResponsesRequest) -> JsonValue:
    match form.tool_choice:
        case FunctionChoice(name=name):
            return {"type": "function", "function": {"name": name}}
        case AllowedFunctions(mode=mode, tools=tools):
            listed: list[JsonValue] = [
                {"type": "function", "function": {"name": tool.name}} for tool in tools
            ]
            return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": listed}}
        case choice:
            return choice
