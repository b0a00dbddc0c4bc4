"""Messages as chat APIs shape them, written."""

from typing import Literal, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.trajectory import Call, RowMessage


class Shape(NamedTuple):
    """How one target differs from another."""

    arguments: Literal["object", "text"]
    """How arguments are written."""
    names_results: bool
    """Whether a result says which tool gave it."""


def spell_messages(messages: tuple[RowMessage, ...], shape: Shape) -> list[JsonValue]:
    """Each message as an object; its text is `content`, its one thought `reasoning_content`.

    *Source:* OpenAI's chat messages; `reasoning_content` chat template of Qwen3; `weight` OpenAI's fine-tuning.
    """
    return [_spelled(message, shape) for message in messages]


def spell_tools(tools: OfferedTools) -> list[JsonValue]:
    """The specs as a list."""
    return [spec.document for spec in tools.specs]


def _spelled(message: RowMessage, shape: Shape) -> JsonObject:
    fields: dict[str, JsonValue] = {"role": str(message.role)}
    if message.role is Role.TOOL:
        fields |= _result_fields(message, shape)
    else:
        text = "".join(prose.text for prose in message.prose)
        fields["content"] = text if text or not message.calls else None
    if message.thoughts:
        fields["reasoning_content"] = message.thoughts[0].text
    if message.calls:
        fields["tool_calls"] = [_call_fields(call, shape) for call in message.calls]
    if message.is_trained is not None:
        fields["weight"] = int(message.is_trained)
    return fields


def _result_fields(message: RowMessage, shape: Shape) -> JsonObject:
    result = message.result
    if result is None:
        return {"content": ""}
    fields: dict[str, JsonValue] = {}
    if result.id is not None:
        fields["tool_call_id"] = result.id
    if shape.names_results and result.name is not None:
        fields["name"] = result.name
    return {**fields, "content": result.text}


def _call_fields(call: Call, shape: Shape) -> JsonObject:
    arguments: JsonValue = call.arguments
    if shape.arguments == "text":
        arguments = spelled_json(call.arguments) if call.arguments_text is None else call.arguments_text
    function: JsonObject = {"name": call.name, "arguments": arguments}
    if call.id is None:
        return {"type": "function", "function": function}
    return {"id": call.id, "type": "function", "function": function}
