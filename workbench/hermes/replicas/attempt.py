"""The result of one replica, and the helpers that several replicas share."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue

OPEN: Final = "<tool_call>"
CLOSE: Final = "</tool_call>"

# The close quote may be missing: a pattern that cannot fail is never tried again further on.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_WHOLE_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaCall:
    """A call as a foreign rule hands it on."""

    name: str
    """The tool's name; empty where the rule hands on an object without one."""
    arguments: JsonValue = field(hash=False)
    """What the rule would hand to the tool: any JSON value, for few rules look; None where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaReading:
    """What one rule made of a text."""

    calls: tuple[ReplicaCall, ...] = ()
    """In its order."""
    notes: tuple[str, ...] = ()
    """What it loses or mistakes in this text, and why: one clause each, none twice."""


class TaggedBlock(NamedTuple):
    """What stands between two tags."""

    start: int
    """Where the open tag begins."""
    body: str
    end: int
    """Behind the close tag, or the end of the text."""
    is_closed: bool
    """False for what follows the last open tag, where no close tag does."""


def tag_blocks(text: str) -> Iterator[TaggedBlock]:
    """What `<tool_call>(.*?)</tool_call>|<tool_call>(.*)` matches, in linear time."""
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
    """What `json.loads` gives.

    Raises:
        ValueError: It refuses the text, or finds it too deep.
    """
    try:
        return cast(JsonValue, json.loads(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def refusal(body: str) -> str:
    """Why `json.loads` refuses `body`, in a few words; empty where it does not.

    >>> refusal('{"a": "x ')
    'it is cut inside a string'
    >>> refusal('{"a": 1,}')
    'Expecting property name enclosed in double quotes at character 8'
    """
    try:
        load_json(body)
    except json.JSONDecodeError as error:
        if _is_cut_in_string(body):
            return "it is cut inside a string"
        return f"{error.msg} at character {error.pos}"
    except ValueError as error:
        return str(error)[:60]
    return ""


def unique(notes: list[str]) -> tuple[str, ...]:
    """Each note once, in order."""
    return tuple(dict.fromkeys(notes))


def _is_cut_in_string(body: str) -> bool:
    last = None
    for last in _STRING.finditer(body):  # noqa: B007 - the last one is wanted
        pass
    return last is not None and _WHOLE_STRING.fullmatch(last[0]) is None
