"""The requests of Anthropic's Messages API, and their translation into chat requests.

*Source:* https://docs.anthropic.com/en/api/messages and the types of the `anthropic` package.
"""

from typing import Any, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.chat.json_value import JsonObject, JsonValue, as_object
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
from workbench.trajectory.formats.anthropic import block_messages
from workbench.trajectory.formats.shared.message_builder import BuiltMessage, add_content

_ONLY_HERE: Final = ("thinking", "container", "context_management", "mcp_servers", "inference_geo", "betas")
_CLIENT_NAMES: Final = {
    "response_format.json_schema": "output_config.format",
    "response_format": "output_config.format",
    "stop": "stop_sequences",
}


class MessageFields(BaseModel):
    """A message of a user or a model."""

    model_config = ConfigDict(extra="allow")

    role: Literal["user", "assistant"]
    content: str | list[dict[str, Any]]


class AnthropicChoice(BaseModel):
    """The tool choice."""

    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool = False

    @model_validator(mode="after")
    def _has_name(self) -> "AnthropicChoice":
        if self.type == "tool" and not self.name:
            raise ValueError("a tool choice of type 'tool' needs the tool's name")
        return self

    @property
    def chat_choice(self) -> JsonValue:
        """The tool choice as chat requests have it."""
        if self.type == "tool":
            return {"type": "function", "function": {"name": self.name}}
        return "required" if self.type == "any" else self.type


class TokenCountRequest(GenerationFields):
    """The body of `/v1/messages/count_tokens`, and what it shares with `/v1/messages`."""

    messages: list[MessageFields] = Field(min_length=1)
    system: str | list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: AnthropicChoice | None = None
    stop_sequences: list[str] | None = None
    metadata: dict[str, Any] | None = None
    output_config: dict[str, Any] | None = None


class MessagesRequest(TokenCountRequest):
    """The body of `/v1/messages`."""

    max_tokens: int = Field(ge=1, le=1_048_576)  # pyright: ignore[reportIncompatibleVariableOverride]


def translate_messages(form: TokenCountRequest) -> TranslatedRequest:
    """Return a request as a chat request.

    Raises:
        RequestFault: A parameter cannot be used.
    """
    built: list[BuiltMessage] = []
    if form.system:
        built.append(BuiltMessage("system", "/system"))
        add_content(built[0], cast(JsonValue, form.system), "/system")
    for index, message in enumerate(form.messages):
        built.extend(block_messages(cast(JsonValue, message.model_dump()), f"/messages/{index}"))
    messages, ignored = chat_messages(built)
    shared, unused = shared_fields(form, _ONLY_HERE, ["stop"])
    tools, hosted = chat_tools(form.tools)
    config, choice = form.output_config or {}, form.tool_choice
    fields: JsonObject = {
        "messages": messages,
        "tools": tools,
        "stop": cast(JsonValue, form.stop_sequences),
        "metadata": form.metadata,
        "tool_choice": choice and choice.chat_choice,
        "parallel_tool_calls": False if choice and choice.disable_parallel_tool_use else None,
        "reasoning_effort": config.get("effort"),
    }
    if answer_format := as_object(config.get("format")):
        schema: JsonObject = {"schema": answer_format.get("schema")}
        unused |= {f"output_config.format.{name}" for name in answer_format if name not in ("type", "schema")}
        fields["response_format"] = {"type": answer_format.get("type"), "json_schema": schema}
    unused |= {f"output_config.{name}" for name in config if name not in ("effort", "format")}
    names = ClientNames(places=tuple(map(place_of, built)), fields=_CLIENT_NAMES)
    return translated(shared, fields, names, ignored | unused | hosted)
