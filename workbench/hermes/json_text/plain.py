"""Members and items that need nothing: short valid scalars with a comma and another one behind.

The quick way through the sound stretches of a body that has a slip somewhere else. Whatever is not beyond
doubt is left to the careful reader, which finds the same in a sound stretch, only slower.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.hermes.json_text.fast import decode
from workbench.hermes.text.source import Node, Source

_SPACE: Final = r"[ \t\n\r]*+"
_TEXT: Final = r'[^"\\\x00-\x1f\ud800-\udfff]{0,200}+'  # bounded: a long one is not looked at twice
_WHOLE: Final = r"-?(?:0|[1-9][0-9]{0,17})"
_FRACTION: Final = rf"{_WHOLE}\.[0-9]{{1,17}}"
_WORD: Final = "true|false|null"
_SCALAR: Final = rf'(?:"({_TEXT})"|({_WHOLE})|({_FRACTION})|({_WORD}))'
_BEHIND: Final = rf"{_SPACE},{_SPACE}"
_MEMBER: Final = re.compile(rf'"({_TEXT})"{_SPACE}:{_SPACE}{_SCALAR}{_BEHIND}(?=")')
_ITEM: Final = re.compile(rf'{_SCALAR}{_BEHIND}(?=["0-9-])')
# Without groups: in a possessive repeat they may raise SystemError ("span of capturing group is wrong").
_RUN: Final = re.compile(
    rf'(?:"{_TEXT}"{_SPACE}:{_SPACE}(?:"{_TEXT}"|{_FRACTION}|{_WHOLE}|{_WORD}){_BEHIND}(?=")){{16,4096}}+'
)
_WORDS: Final = {"true": True, "false": False, "null": None}


class Run(NamedTuple):
    """Many plain members of one object, read by the scanner of the standard library."""

    values: dict[str, JsonValue]
    """Name and value of each; no name stands twice."""
    end: int
    """Where the next member begins."""
    find: Callable[[str], tuple[Node, Node] | None]
    """Key and value of the member of a name, with their places: worked out only when asked."""


def read_run(source: Source, position: int, known: Mapping[str, JsonValue]) -> Run | None:
    """The run that begins at `position`; None where there is none, or a name is repeated or `known`."""
    match = _RUN.match(source.text, position, source.end)
    if not match:
        return None
    decoded = decode("{" + match.group().rstrip().removesuffix(",") + "}")
    if decoded is None or not isinstance(decoded[0], dict) or not known.keys().isdisjoint(decoded[0]):
        return None
    return Run(decoded[0], match.end(), partial(_find, source, position))


def _find(source: Source, position: int, name: str) -> tuple[Node, Node] | None:
    found: dict[str, tuple[Node, Node]] = {}
    read_plain_members(source, position, lambda key, value: found.setdefault(str(key.value), (key, value)))
    return found.get(name)


def read_plain_members(source: Source, position: int, add: Callable[[Node, Node], object]) -> int:
    """Give `add` the plain members that begin at `position`, key and value; the position behind them."""
    while match := _MEMBER.match(source.text, position, source.end):
        add(Node(match[1], position, match.end(1) + 1), _scalar(match, 2))
        position = match.end()
    return position


def read_plain_items(source: Source, position: int, add: Callable[[Node], None]) -> int:
    """Give `add` the plain items that begin at `position`; the position behind them."""
    while match := _ITEM.match(source.text, position, source.end):
        add(_scalar(match, 1))
        position = match.end()
    return position


def _scalar(match: "re.Match[str]", first: int) -> Node:
    """The value of a match whose group `first` is a string's inside; integer, fraction and word follow it."""
    group = match.lastindex or first
    start, end = match.span(group)
    written = match[group]
    if group == first:
        return Node(written, start - 1, end + 1)
    if group == first + 1:
        return Node(int(written), start, end)
    return Node(_WORDS[written] if group == first + 3 else float(written), start, end)
