"""Read conversations of Anthropic's Messages API: blocks for thoughts, calls and results, and `system` beside them.

*Source:* the types of the `anthropic` package: `MessageParam`, `ContentBlockParam`, `ToolParam`.
"""

from collections.abc import Iterator
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.trajectory.formats.openai import OPENAI
from workbench.trajectory.formats.shared.entry_keys import MASK_KEYS
from workbench.trajectory.formats.shared.message_builder import (
    BuiltMessage,
    add_content,
    add_part,
    chat_call,
    function_tools,
    mask_of,
    texts_of,
    view_of,
)
from workbench.trajectory.formats.shared.views import View, view_format

BLOCKS: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")
"""Types of blocks that only this API has."""
_CALL_KEYS: Final = ("cache_control", "caller", "toolset_name")
"""Members of a `tool_use` that are not part of the call. They stay with the message."""


def block_messages(message: JsonValue, place: str) -> Iterator[BuiltMessage]:
    """Yield the chat messages of one message: a result of its own for each `tool_result`, and the rest together.

    Args:
        message: The message, whose content may also be a text.
        place: Pointer to it.
    """
    fields = as_object(message)
    content = fields.get("content")
    others = {key: value for key, value in fields.items() if key not in ("role", "content")}
    current: BuiltMessage | None = None
    for index, block in enumerate(content if isinstance(content, list) else []):
        members, here = as_object(block), f"{place}/content/{index}"
        if members.get("type") == "tool_result" and fields.get("role") == "user":
            if current is not None:
                yield current
            result = BuiltMessage("tool", here, {**others, "tool_call_id": members.get("tool_use_id")})
            add_content(result, members.get("content"), f"{here}/content")
            result.keep(members, ("type", "tool_use_id", "content"), "tool_result")
            yield result
            current, others = None, {}
        else:
            if current is None:
                current, others = BuiltMessage(fields.get("role"), place, others), {}
            add_block(current, block, here)
    if current is not None:
        yield current
    elif not isinstance(content, list) or not content:
        whole = BuiltMessage(fields.get("role"), place, others)
        add_content(whole, content, f"{place}/content")
        yield whole


def add_block(message: BuiltMessage, block: JsonValue, place: str) -> None:
    """Add a block of a model or user to a message. One of an unknown type is added as it is."""
    fields = as_object(block)
    kind = fields.get("type")
    if kind == "tool_use":
        message.add_call(chat_call(fields, "id", "input", _CALL_KEYS), (place, f"{place}/input"))
        message.keep({key: fields.get(key) for key in _CALL_KEYS}, (), "tool_use")
    elif kind == "thinking" and (thought := texts_of(fields.get("thinking"))) is not None:
        message.add_thought(thought, mask_of(fields, place))
        message.keep(fields, ("type", "thinking", *MASK_KEYS), "thinking")
    elif kind == "redacted_thinking":
        message.keep({"redacted_thinking": fields.get("data")}, (), "redacted")
    else:
        add_part(message, block, place)


def _view(row: JsonObject) -> View:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return View(fields=row)
    built: list[BuiltMessage] = []
    system = row.get("system")
    if system:
        built.append(BuiltMessage("system", "/system"))
        add_content(built[0], system, "/system")
    for index, message in enumerate(messages):
        built.extend(block_messages(message, f"/messages/{index}"))
    tools, hosted = function_tools(row.get("tools"))
    rest = {key: value for key, value in row.items() if key not in ("system", "messages", "tools")}
    return view_of(
        {**rest, "tools": tools},
        {"messages": built},
        has_system_column=bool(system),
        columns={"tools": hosted} if hosted else None,
    )


def _fits(row: JsonObject) -> bool:
    messages = row.get("messages")
    if not isinstance(messages, list):
        return False
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list) and any(as_object(block).get("type") in BLOCKS for block in content):
            return True
    tools = row.get("tools")
    if isinstance(tools, list) and any("input_schema" in as_object(tool) for tool in tools):
        return True
    if not isinstance(row.get("system"), str | list) or not row.get("system") or not messages:
        return False
    return all(as_object(message).get("role") in ("user", "assistant") for message in messages)


ANTHROPIC: Final = view_format(
    "anthropic-messages",
    "conversations of Anthropic's API: blocks of text, thinking, tool_use and tool_result",
    _fits,
    _view,
    OPENAI.read,
)
