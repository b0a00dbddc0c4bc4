"""Turn a message with a separate thought and structured calls into one completion text.

A chat server parses its model's text itself and returns the parts. As one text, they can be parsed, shown and exported
like any other completion. A message without structured parts is its own text.
"""

import json
from collections.abc import Mapping
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Message, ToolCall
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.hermes.spelling.thoughts import THINK_CLOSE, THINK_OPEN
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools

CALL_CLOSE: Final = "}\n</tool_call>"
"""The end of a call, after its arguments."""


def written_out(message: Message) -> str:
    """Return the message as one text: the thought, the text, then the calls.

    >>> from workbench.chat.message import Role
    >>> call = ToolCall(name="now", arguments={})
    >>> written_out(Message(role=Role.ASSISTANT, text="", calls=(call,)))
    '<tool_call>\\n{"name": "now", "arguments": {}}\\n</tool_call>'
    """
    text = f"{THINK_OPEN}{message.thought}{THINK_CLOSE}" if message.thought else ""
    text += message.text
    for call in message.calls:
        text += opened_call(call.name, before=text) + _arguments(call) + CALL_CLOSE
    return text


def opened_call(name: str, *, before: str) -> str:
    """Return the start of a call, up to its arguments, on its own line.

    Args:
        before: The text before the call.
    """
    gap = "\n" if before and not before.endswith("\n") else ""
    return f'{gap}<tool_call>\n{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": '


def read_message(
    message: Message,
    *,
    tools: OfferedTools | None,
    finish_reason: str = "stop",
    starts_in_thought: bool = False,
) -> Reading:
    """Parse a message, including its structured parts. The arguments are those of `workbench.hermes.parse.parse`."""
    return parse(
        written_out(message), tools=tools, finish_reason=finish_reason, starts_in_thought=starts_in_thought
    )


def _arguments(call: ToolCall) -> str:
    if call.arguments_text is None:
        return template_json(call.arguments)
    return call.arguments_text or "{}"


def decoded_arguments(text: str) -> JsonObject | None:
    """Parse arguments that were given as a JSON text. Return None if they are not an object.

    >>> decoded_arguments('{"a": 1}'), decoded_arguments(""), decoded_arguments('{"a": ')
    ({'a': 1}, {}, None)
    """
    try:
        value = cast(JsonValue, json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return None
    return cast(JsonObject, value) if isinstance(value, Mapping) else None
