"""One line of a text with a caret under a stretch of it."""

import unicodedata
from typing import Final, NamedTuple

from workbench.chat.finding import Span
from workbench.cli.terminal.paint import shown

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


class Place(NamedTuple):
    """Line and column, both from 1; the column counts code points."""

    line: int
    column: int


def place_of(text: str, position: int) -> Place:
    """Where `position` stands.

    >>> place_of("ab\\ncd", 4)
    Place(line=2, column=2)
    """
    return Place(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


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
