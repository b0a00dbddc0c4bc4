"""Members and items that need nothing: short valid scalars with a comma and another one behind.

The quick way through the sound stretches of a body that has a slip somewhere else. Whatever is not beyond
doubt is left to the careful reader, which finds the same in a sound stretch, only slower.
"""

import re
from collections.abc import Callable
from typing import Final

from workbench.hermes.body.source import Node, Source

_SPACE: Final = r"[ \t\n\r]*+"
_STRING: Final = r'"([^"\\\x00-\x1f\ud800-\udfff]{0,200}+)"'  # bounded: a long one is not looked at twice
_SCALAR: Final = (
    rf"(?:{_STRING}|(-?(?:0|[1-9][0-9]{{0,17}}))|(-?(?:0|[1-9][0-9]{{0,17}})\.[0-9]{{1,17}})|(true|false|null))"
)
_MEMBER: Final = re.compile(rf'{_STRING}{_SPACE}:{_SPACE}{_SCALAR}{_SPACE},{_SPACE}(?=")')
_ITEM: Final = re.compile(rf'{_SCALAR}{_SPACE},{_SPACE}(?=["0-9-])')
_WORDS: Final = {"true": True, "false": False, "null": None}


def read_plain_members(source: Source, position: int, add: Callable[[Node, Node], None]) -> int:
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
