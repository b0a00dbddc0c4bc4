"""The requests that clients send, as pydantic models, and how their faults are reported."""

import gc
from typing import Any, Final, Literal, TypeVar, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.chat.json_value import MAX_JSON_DEPTH, JsonObject, is_too_deep
from workbench.gateway.faults import RequestFault
from workbench.hermes.reading import Dialect, Level
from workbench.toolspec.form_faults import form_faults

MOST_CHOICES: Final = 8
"""The most answers to one request."""
_MOST_VALUES: Final = 1_000_000
"""Most signs in a body that begin or separate values. All other threads wait while it is parsed: about 0.1 seconds."""
_SAMPLING_ALIASES: Final = {"repetition_penalty": "repeat_penalty"}
OWN_SAMPLING: Final = frozenset({"top_k", "min_p", "typical_p", "repeat_penalty", *_SAMPLING_ALIASES})
"""Sampling that the protocol does not have. Only some kinds of servers are known to take it."""


class StreamOptions(BaseModel):
    """Options of a streamed answer."""

    include_usage: bool = False
    """True sends a last chunk with the number of tokens."""


class GenerationFields(BaseModel):
    """Fields that chat and raw completions share. Unknown fields are for the server."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, ge=1, le=MOST_CHOICES)
    seed: int | None = None
    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=-1, le=1000)
    min_p: float | None = Field(default=None, ge=0, le=1)
    typical_p: float | None = Field(default=None, ge=0, le=1)
    repeat_penalty: float | None = Field(default=None, ge=0.1, le=3)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    logit_bias: dict[str, float] | None = None
    stop: str | list[str] | None = None
    max_tokens: int | None = Field(default=None, ge=1, le=1_048_576)
    user: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_known_names(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        fields = cast(dict[str, Any], value)
        renamed = {ours: fields[name] for name, ours in _SAMPLING_ALIASES.items() if name in fields}
        return {**fields, **renamed}

    @property
    def others(self) -> dict[str, Any]:
        """The parameters for the server, as the client wrote them: those that the gateway does not use, and sampling.

        A request reaches its server with them even if the kind of the server is not known.
        """
        unknown = self.model_extra or {}
        renamed = {ours for name, ours in _SAMPLING_ALIASES.items() if name in unknown}
        names = (OWN_SAMPLING | {"user"}) & type(self).model_fields.keys() - renamed
        sent = {name: getattr(self, name) for name in sorted(names)}
        return {**unknown, **{name: value for name, value in sent.items() if value is not None}}

    @property
    def count(self) -> int:
        """Number of answers."""
        return self.n or 1

    @property
    def stops(self) -> tuple[str, ...]:
        """The stop texts."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return tuple(stop for stop in stops if stop)

    @property
    def sends_usage(self) -> bool:
        """Whether a stream ends with the number of tokens."""
        return bool(self.stream_options and self.stream_options.include_usage)


class JsonSchemaFormat(BaseModel):
    """A JSON Schema that the answer must match."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    name: str = "answer"
    schema_: dict[str, Any] | None = Field(default=None, alias="schema")


class ResponseFormat(BaseModel):
    """The format of the answer."""

    model_config = ConfigDict(extra="allow")

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchemaFormat | None = None

    @model_validator(mode="after")
    def _has_schema(self) -> "ResponseFormat":
        if self.type == "json_schema" and (self.json_schema is None or self.json_schema.schema_ is None):
            raise ValueError("json_schema needs a schema")
        return self

    @property
    def schema_of_answers(self) -> dict[str, Any] | None:
        """JSON Schema of the answer, or None for any text."""
        if self.type == "json_schema" and self.json_schema is not None:
            return self.json_schema.schema_
        return {"type": "object"} if self.type == "json_object" else None


class NamedFunction(BaseModel):
    """A function by its name."""

    name: str


class NamedChoice(BaseModel):
    """The tool choice that names one tool."""

    type: Literal["function"]
    function: NamedFunction


class AllowedTools(BaseModel):
    """Some of the tools, and whether one of them must be called."""

    mode: Literal["auto", "required"] = "auto"
    tools: list[NamedChoice]


class AllowedChoice(BaseModel):
    """The tool choice that allows only some of the tools."""

    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools

    @property
    def names(self) -> frozenset[str]:
        """Names of the allowed tools."""
        return frozenset(tool.function.name for tool in self.allowed_tools.tools)


class ChatRequest(GenerationFields):
    """The body of `/v1/chat/completions`."""

    messages: list[dict[str, Any]] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = None
    tool_choice: Literal["none", "auto", "required"] | NamedChoice | AllowedChoice | None = None
    functions: list[dict[str, Any]] | None = None
    """The older spelling of `tools`."""
    function_call: Literal["none", "auto"] | NamedFunction | None = None
    """The older spelling of `tool_choice`."""
    parallel_tool_calls: bool | None = None
    response_format: ResponseFormat | None = None
    max_completion_tokens: int | None = Field(default=None, ge=1, le=1_048_576)
    logprobs: bool | None = None
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    metadata: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _in_newer_spelling(self) -> "ChatRequest":
        if self.tools is not None:
            self.functions = None
        if self.is_older_spelling:
            self.tools = [{"type": "function", "function": function} for function in self.functions or ()]
            choice = self.function_call
            is_named = isinstance(choice, NamedFunction)
            self.tool_choice = NamedChoice(type="function", function=choice) if is_named else choice
            self.parallel_tool_calls = False
        return self

    @property
    def is_older_spelling(self) -> bool:
        """Whether the client offers `functions` and expects a `function_call`."""
        return self.functions is not None

    @property
    def token_limit(self) -> int | None:
        """The longest completion in tokens, or None if the client sets no limit."""
        return self.max_completion_tokens or self.max_tokens


class CompletionRequest(GenerationFields):
    """The body of `/v1/completions`: a prompt that is continued byte for byte."""

    prompt: str | list[str]
    echo: bool | None = None
    suffix: str | None = None
    best_of: int | None = None
    logprobs: int | None = Field(default=None, ge=0, le=20)

    @property
    def token_limit(self) -> int | None:
        """The longest completion in tokens, or None if the client sets no limit."""
        return self.max_tokens


class ParseRequest(BaseModel):
    """The body of `/v1/parse`."""

    model_config = ConfigDict(extra="forbid")

    text: str
    tools: list[dict[str, Any]] | None = None
    dialect: Dialect = Dialect.AUTO
    level: Level = Level.TOLERANT
    finish_reason: Literal["stop", "length"] = "stop"
    starts_in_thought: bool = False


_Form = TypeVar("_Form", bound=BaseModel)


def parse_body(body: bytes, form: type[_Form]) -> _Form:
    """Parse the body of a request.

    Raises:
        RequestFault: The body is not JSON, too deep or has too many values, or a field is missing or has a wrong value.
    """
    if sum(map(body.count, (b"[", b"{", b","))) > _MOST_VALUES:
        raise RequestFault(413, f"The body has over {_MOST_VALUES:,} values.", "request_too_large")
    # Otherwise Python searches for garbage several times while the lists are created.
    gc.disable()
    try:
        value = orjson.loads(body)
    except ValueError as error:
        raise RequestFault(
            400, f"The body is not valid JSON: {error}. Send a JSON object.", "invalid_json"
        ) from None
    finally:
        gc.enable()
    if not isinstance(value, dict):
        raise RequestFault(400, "The body is not a JSON object.", "invalid_json")
    if is_too_deep(cast(JsonObject, value)):
        raise RequestFault(400, f"The body is nested over {MAX_JSON_DEPTH} levels deep.", "invalid_json")
    return parse_form(cast(JsonObject, value), form)


def parse_form(value: JsonObject, form: type[_Form]) -> _Form:
    """Parse a decoded body.

    Raises:
        RequestFault: A field is missing or has a wrong value.
    """
    try:
        return form.model_validate(value)
    except ValidationError as error:
        fault = form_faults(error, form)[0]
        place = _place(fault.place)
        code = "missing_required_parameter" if "is missing" in fault.problem else "invalid_value"
        raise RequestFault(400, f"{place or 'request'}: {fault.problem}.", code, place or None) from None


def _place(parts: tuple[str | int, ...]) -> str:
    """Return a place as OpenAI writes it.

    >>> _place(("messages", 2, "role"))
    'messages[2].role'
    """
    place = ""
    for part in parts:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place
