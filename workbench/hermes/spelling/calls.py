"""How calls that are given as structure are written between `<tool_call>` and `</tool_call>`."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.chat.message import ToolCall
from workbench.hermes.spelling.chatml import HTML_ESCAPE, JSON_ESCAPE, PYTHON_ESCAPE, Escape
from workbench.hermes.spelling.tools import spelled_json, spelled_python


class CallPiece(NamedTuple):
    """A stretch of a spelled call."""

    text: str
    """Byte for byte."""
    escape: Escape | None
    """How marks in it are neutralised; None where the family itself wrote it."""


SpellCall = Callable[[ToolCall], Iterator[CallPiece]]
"""Writes a call's body."""


def json_call(call: ToolCall) -> Iterator[CallPiece]:
    """`{"name": …, "arguments": …}`; arguments that came as text are pasted as they came.

    *Source:* chat templates of Hermes-3 (tool_use) and Qwen3.
    """
    arguments = call.arguments_text
    spelled = spelled_json(call.arguments) if arguments is None else arguments
    yield CallPiece(f'{{"name": "{call.name}", "arguments": {spelled}}}', JSON_ESCAPE)


def encoding_json_call(call: ToolCall) -> Iterator[CallPiece]:
    """As `json_call`, but arguments given as text are encoded again. *Source:* template of Qwen2.5."""
    arguments = call.arguments if call.arguments_text is None else call.arguments_text
    yield CallPiece(f'{{"name": "{call.name}", "arguments": {spelled_json(arguments)}}}', JSON_ESCAPE)


def sane_json_call(call: ToolCall) -> Iterator[CallPiece]:
    """As `json_call`, and always valid JSON with an object of arguments."""
    yield CallPiece(spelled_json({"name": call.name, "arguments": call.arguments}), JSON_ESCAPE)


def python_call(call: ToolCall) -> Iterator[CallPiece]:
    """A Python dict, arguments first. *Source:* README of Hermes-Function-Calling."""
    yield CallPiece(spelled_python({"arguments": call.arguments, "name": call.name}), PYTHON_ESCAPE)


def xml_call_python_values(call: ToolCall) -> Iterator[CallPiece]:
    """`<function=…>`; objects are JSON, else Python's spelling. *Source:* template of Qwen3-Coder."""
    return _xml_call(call, _json_for_objects)


def xml_call_json_values(call: ToolCall) -> Iterator[CallPiece]:
    """`<function=…>`; all values but text are JSON. *Source:* chat template of Qwen3.6."""
    return _xml_call(call, spelled_json)


def _xml_call(call: ToolCall, spell: Callable[[JsonValue], str]) -> Iterator[CallPiece]:
    yield CallPiece("<function=", None)
    # With the tag's end, so that a name cannot borrow it to make a mark.
    yield CallPiece(f"{call.name}>\n", HTML_ESCAPE)
    for name, value in call.arguments.items():
        yield CallPiece("<parameter=", None)
        yield CallPiece(f"{name}>\n", HTML_ESCAPE)
        if isinstance(value, str):
            yield CallPiece(value, HTML_ESCAPE)
        else:
            yield CallPiece(spell(value), JSON_ESCAPE)
        yield CallPiece("\n</parameter>\n", None)
    yield CallPiece("</function>", None)


def _json_for_objects(value: JsonValue) -> str:
    return spelled_json(value) if isinstance(value, Mapping) else spelled_python(value)
