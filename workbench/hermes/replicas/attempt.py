"""The result of a replica, and helpers that several replicas share."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue, json_fault

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"

# The closing quote is optional. A pattern that cannot fail is not retried from each later character.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_WHOLE_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaCall:
    """A call as another parser returns it."""

    name: str
    """The tool's name, or empty if the parser returns an object without one."""
    arguments: JsonValue = field(hash=False)
    """What the parser would pass to the tool. Any JSON value, because few parsers check it; None if missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaReading:
    """What another parser makes of a text."""

    calls: tuple[ReplicaCall, ...] = ()
    """In the parser's order."""
    notes: tuple[str, ...] = ()
    """What it loses or gets wrong in this text, and why. One clause each, without duplicates."""


class TaggedBlock(NamedTuple):
    """The text between two tags."""

    start: int
    """Position of the opening tag."""
    body: str
    end: int
    """Position after the closing tag, or the end of the text."""
    is_closed: bool
    """False for the text after the last opening tag if no closing tag follows."""


def tag_blocks(text: str) -> Iterator[TaggedBlock]:
    """Yield what `<tool_call>(.*?)</tool_call>|<tool_call>(.*)` matches, in linear time."""
    start = text.find(OPEN)
    while start >= 0:
        close = text.find(CLOSE, start + len(OPEN))
        if close < 0:
            yield TaggedBlock(start, text[start + len(OPEN) :], len(text), is_closed=False)
            return
        end = close + len(CLOSE)
        yield TaggedBlock(start, text[start + len(OPEN) : close], end, is_closed=True)
        start = text.find(OPEN, end)


def load_json(text: str) -> JsonValue:
    """Parse JSON with `json.loads`.

    Raises:
        ValueError: The text is not JSON, or is nested too deeply.
    """
    try:
        return cast(JsonValue, json.loads(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def explain_refusal(body: str) -> str:
    """Say why `json.loads` rejects `body`, in a few words. Empty if it does not.

    >>> explain_refusal('{"a": "x ')
    'it ends inside a string'
    >>> explain_refusal('{"a": 1,}')
    'Expecting property name enclosed in double quotes at character 8'
    """
    try:
        load_json(body)
    except json.JSONDecodeError as error:
        if _is_cut_in_string(body):
            return "it ends inside a string"
        return f"{json_fault(error)} at character {error.pos}"
    except ValueError as error:
        return str(error)[:60]
    return ""


def unique(notes: list[str]) -> tuple[str, ...]:
    """Return the notes in order, without duplicates."""
    return tuple(dict.fromkeys(notes))


def _is_cut_in_string(body: str) -> bool:
    last = None
    for last in _STRING.finditer(body):  # noqa: B007 - only the last one is used
        pass
    return last is not None and _WHOLE_STRING.fullmatch(last[0]) is None
