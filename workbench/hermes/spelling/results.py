"""What is written of a tool's result between `<tool_response>` and `</tool_response>`."""

import json
from collections.abc import Callable
from typing import NamedTuple, cast

from workbench.chat.json_value import JsonValue
from workbench.chat.message import Message
from workbench.hermes.spelling.chatml import PYTHON_ESCAPE, Escape
from workbench.hermes.spelling.tools import spelled_python


class SpelledResult(NamedTuple):
    """A result as the model sees it."""

    text: str
    """Byte for byte."""
    escape: Escape | None
    """How marks in it are neutralised; None to choose by the text."""


SpellResult = Callable[[Message], SpelledResult]
"""Writes a result."""


def verbatim(message: Message) -> SpelledResult:
    """The result's own text. *Source:* chat templates of Hermes-3 and Qwen."""
    return SpelledResult(message.text, None)


def python_record(message: Message) -> SpelledResult:
    """`{"name": …, "content": …}`, content as Python's `str` writes it: text as it stands, JSON as `repr`.

    *Source:* README of Hermes-Function-Calling.
    """
    content, escape = message.text, None
    try:
        value = cast(JsonValue, json.loads(message.text))
        if isinstance(value, dict | list):
            content, escape = spelled_python(value), PYTHON_ESCAPE
    except (ValueError, RecursionError):
        pass
    name = f'"name": "{message.name}", ' if message.name else ""
    return SpelledResult(f'{{{name}"content": {content}}}', escape)
