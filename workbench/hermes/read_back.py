"""Find the arguments of a call in XML that the reader does not read back.

The form has no escapes and no quotes, so it cannot say everything: the string "null" of a parameter that may be null
is written like null, and a text with a closing tag of its own may end its value. The check writes the call and parses
it, with the reader itself, so that it cannot say anything else than what the reader does.
"""

import json
from collections.abc import Iterable

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.hermes.parse import parse
from workbench.hermes.reading import Dialect
from workbench.hermes.spelling.family import RenderCall
from workbench.toolspec.spec import OfferedTools


def not_read_back(call: ToolCall, render_call: RenderCall, tools: OfferedTools | None) -> tuple[str, ...]:
    """Return the names of the arguments of which the reader gets another value, in the order written.

    Args:
        call: The call that was rendered.
        render_call: Writes its body in XML.
        tools: The offered tools. A value other than a string is only checked if its tool is one of them: without a
            schema, every value is read as a string.
    """
    checked = tools if tools is not None and call.name in tools.by_name else None
    arguments = {
        name: value for name, value in call.arguments.items() if checked is not None or isinstance(value, str)
    }
    if not arguments:
        return ()
    read = _read(call, arguments, render_call, checked)
    if read is not None and list(read) == list(arguments):
        return tuple(name for name, value in arguments.items() if not _is_same(value, read[name]))
    if _read(call, {}, render_call, checked) is None:
        return ()  # the name of the tool cannot be read, whatever the arguments are
    return tuple(_faulty(call, arguments, render_call, checked)) or tuple(arguments)


def _faulty(
    call: ToolCall, arguments: JsonObject, render_call: RenderCall, tools: OfferedTools | None
) -> Iterable[str]:
    """Yield the arguments that cannot be read even alone."""
    for name, value in arguments.items():
        read = _read(call, {name: value}, render_call, tools)
        if read is None or list(read) != [name] or not _is_same(value, read[name]):
            yield name


def _read(
    call: ToolCall, arguments: JsonObject, render_call: RenderCall, tools: OfferedTools | None
) -> JsonObject | None:
    """Write a call with these arguments and parse it. Return None if it is not one call of the same tool."""
    body = "".join(piece.text for piece in render_call(ToolCall(name=call.name, arguments=arguments)))
    reading = parse(f"<tool_call>\n{body}\n</tool_call>", tools=tools, dialect=Dialect.XML)
    is_one = len(reading.calls) == 1 and reading.calls[0].name == call.name
    return reading.calls[0].arguments if is_one else None


def _is_same(left: JsonValue, right: JsonValue) -> bool:
    """Return whether two values are the same, with their types: 1 and 1.0 are not."""
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    return json.dumps(left) == json.dumps(right)
