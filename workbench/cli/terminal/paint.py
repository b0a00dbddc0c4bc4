"""Write to the terminal: colours, progress lines, JSON lines, and excerpts of a text with a marked place."""

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
    """The items, counted on standard error while they come, if that is a terminal.

    Args:
        items: What is worked through.
        what: Their name, in the plural.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    shown = time.monotonic()
    count = 0
    for count, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - shown > _EVERY_S:
            shown = time.monotonic()
            print(f"\r{count:,} {what}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def write_json_line(value: JsonObject) -> None:
    """Writes one line and hands it on at once, so that a program may wait for it."""
    try:
        line = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8, but JSON can escape it.
        line = json.dumps(value).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


class Tone(StrEnum):
    """What a stretch of output is, and so how it is coloured."""

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
"""Control characters and the signs that stand for them: a model's text must not command the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Paints, or does not."""

    is_coloured: bool
    """False writes the bare text."""

    def __call__(self, text: str, tone: Tone) -> str:
        """`text` in its colour."""
        return f"\x1b[{tone}m{text}\x1b[0m" if self.is_coloured and text else text


def terminal_paint() -> Paint:
    """Colours on a terminal only, and only where the environment does not speak against them."""
    return Paint(is_coloured=sys.stdout.isatty() and uses_colour())


def shown(text: str) -> str:
    """`text` with its control characters as signs; line breaks stay.

    >>> shown("a\\x1b[31m\\tb")
    'a␛[31m␉b'
    """
    return text.translate(CONTROLS)


WIDTH: Final = 96
"""Most characters of a line that are shown."""
BEFORE: Final = 40
"""How much of a long line stands before the stretch."""
_ELLIPSIS: Final = "…"


class Excerpt(NamedTuple):
    """Two lines for a terminal."""

    line: str
    """The text's line, cut at both ends where it is long."""
    carets: str
    """Blanks, then a caret under each column of the stretch; one where it is empty."""


class LinePosition(NamedTuple):
    """Line and column, both from 1; the column counts code points."""

    line: int
    column: int


def place_of(text: str, position: int) -> LinePosition:
    """Where `position` stands.

    >>> place_of("ab\\ncd", 4)
    LinePosition(line=2, column=2)
    """
    return LinePosition(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def excerpt(text: str, span: Span) -> Excerpt:
    """The line in which `span` begins, and what is marked in it.

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
    """How many columns a terminal gives to `text`."""
    return sum(_width(sign) for sign in text)


def _width(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
