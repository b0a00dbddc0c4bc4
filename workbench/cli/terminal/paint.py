"""Write to the terminal: colours, progress, JSON lines, and excerpts of a text with a marked span."""

import json
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject
from workbench.settings import uses_colour

_EVERY_S: Final = 0.5
_Item = TypeVar("_Item")


def with_progress(items: Iterable[_Item], what: str) -> Iterator[_Item]:
    """Yield the items, and count them on standard error if that is a terminal.

    Args:
        what: Plural name of the items, such as `rows`.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    printed_at = time.monotonic()
    count = 0
    for count, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - printed_at > _EVERY_S:
            printed_at = time.monotonic()
            print(f"\r{count:,} {what}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def write_json_line(value: JsonObject) -> None:
    """Write one line to standard output and flush it, so that another program can wait for it."""
    try:
        line = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 encoding, but JSON can escape it.
        line = json.dumps(value).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


class Tone(StrEnum):
    """A kind of output. The value is its ANSI colour code."""

    PROSE = "0"
    QUIET = "2"
    CALL = "32"
    THOUGHT = "2;3"
    FIX = "33"
    BAD = "31"
    TITLE = "1"


CONTROLS: Final = {
    **{code: 0x2400 + code for code in range(0x20) if code != ord("\n")},
    **dict.fromkeys(range(0x7F, 0xA0), 0xFFFD),
}
"""Control characters and their replacements: a model's text must not control the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Colours text, unless colours are off."""

    is_coloured: bool

    def __call__(self, text: str, tone: Tone) -> str:
        """Return `text` in the colour of `tone`."""
        return f"\x1b[{tone}m{text}\x1b[0m" if self.is_coloured and text else text


def terminal_paint() -> Paint:
    """Return a `Paint` with colours if standard output is a terminal and the environment does not forbid them."""
    return Paint(is_coloured=sys.stdout.isatty() and uses_colour())


def shown(text: str) -> str:
    """Return `text` with visible control characters. Line breaks stay as they are.

    >>> shown("a\\x1b[31m\\tb")
    'a␛[31m␉b'
    """
    return text.translate(CONTROLS)


WIDTH: Final = 96
"""Longest excerpt, in characters; longer lines are cut."""
BEFORE: Final = 40
"""Characters of a long line that are shown before the span."""
_ELLIPSIS: Final = "…"


class Excerpt(NamedTuple):
    """A line of a text, and a line that marks a span in it."""

    line: str
    """The line, cut at both ends if it is long."""
    carets: str
    """Spaces, then a caret under each column of the span; one caret if the span is empty."""


class LinePosition(NamedTuple):
    """Line and column, both from 1. Columns count code points."""

    line: int
    column: int


def place_of(text: str, position: int) -> LinePosition:
    """Return the line and column of `position`, an offset in code points.

    >>> place_of("ab\\ncd", 4)
    LinePosition(line=2, column=2)
    """
    return LinePosition(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def excerpt(text: str, span: Span) -> Excerpt:
    """Return the line in which `span` begins, with the part of the span on that line marked.

    >>> print("\\n".join(excerpt('{\\n "a": [1,]\\n}', Span(10, 11))))
     "a": [1,]
            ^
    """
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.start)
    end = len(text) if end < 0 else end
    is_cut = end - start > WIDTH and span.start - start > BEFORE
    first = span.start - BEFORE if is_cut else start
    last = min(end, first + WIDTH)
    head = (_ELLIPSIS if first > start else "") + shown(text[first : span.start])
    tail = shown(text[span.start : last]) + (_ELLIPSIS if last < end else "")
    marked = shown(text[span.start : min(span.end, last)])
    return Excerpt(head + tail, " " * _columns(head) + "^" * max(_columns(marked), 1))


def _columns(text: str) -> int:
    """Return how many columns `text` takes in a terminal: 0 for a combining character, 2 for a wide one."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
