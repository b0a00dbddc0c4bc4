"""Calls as Python writes them: `[Get Weather(city="Paris"), f(n=[1, 2])]`."""

import re
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.text.completion import Source, Unreadable
from workbench.hermes.text.notes import Notes

_NAME: Final = re.compile(r"\s*+([^()\[\]{}\"'\n=]{1,200}?)\s*+\(")
"""A name may hold blanks. *Source:* rows of Team-ACE/ToolACE."""
_KEY: Final = re.compile(r"\s*+([\w$][\w$.-]*+)\s*+=\s*+")
_COMMA: Final = re.compile(r"\s*+,")
_CLOSE: Final = re.compile(r"\s*+\)")
_END: Final = re.compile(r"\s*+\]\s*+")


class PythonicCall(NamedTuple):
    """One call."""

    name: str
    arguments: JsonObject


def looks_pythonic(text: str) -> bool:
    """Whether a text begins like a list of calls."""
    stripped = text.lstrip()
    return stripped.startswith("[") and _NAME.match(stripped, 1) is not None


def read_pythonic(text: str) -> tuple[PythonicCall, ...] | None:
    """The calls of a text that is nothing but a list of them; None where it is something else.

    >>> read_pythonic('[Get Weather(city="Paris", days=[1, None])]')
    (PythonicCall(name='Get Weather', arguments={'city': 'Paris', 'days': [1, None]}),)
    """
    source = Source(text, len(text), Notes(text))
    position = len(text) - len(text.lstrip())
    if not text.startswith("[", position):
        return None
    position += 1
    calls: list[PythonicCall] = []
    try:
        while match := _NAME.match(text, position):
            arguments, position = _arguments(source, match.end())
            calls.append(PythonicCall(match[1], arguments))
            comma = _COMMA.match(text, position)
            if not comma:
                break
            position = comma.end()
    except Unreadable:
        return None
    return tuple(calls) if calls and _END.fullmatch(text, position) else None


def _arguments(source: Source, position: int) -> tuple[JsonObject, int]:
    """The arguments from behind the opening bracket on, and the position behind the closing one."""
    arguments: dict[str, JsonValue] = {}
    while key := _KEY.match(source.text, position):
        node = read_value(source, key.end(), "])")
        arguments[key[1]] = node.value
        position = node.end
        comma = _COMMA.match(source.text, position)
        if not comma:
            break
        position = comma.end()
    close = _CLOSE.match(source.text, position)
    if not close:
        raise Unreadable(position)
    return arguments, close.end()
