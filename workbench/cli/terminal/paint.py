"""Write to the terminal: colours, progress, JSON lines, and excerpts of a text with a marked span."""

import json
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final, NamedTuple, TypeVar

from workbench.chat.finding import Span
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.visible import is_protected, own_code, shown
from workbench.settings import uses_colour

_FIRST_S: Final = 2.0
"""Commands that are done earlier show no progress."""
_EVERY_S: Final = 0.2
_APART_S: Final = 30.0
"""Time between two lines where standard error is not a terminal."""
_BAR_CHARS: Final = 20
_Item = TypeVar("_Item")


class ProgressLine:
    """A line on standard error that shows how far a command is, if it takes a while.

    A terminal shows one line that changes, also while no item arrives. Elsewhere, a line is added every half minute.

    Args:
        what: Plural name of the items, such as `rows`.
        find_total: Returns the number of all items, or None if it is not known. Called once, and only if it is shown.
    """

    def __init__(self, what: str, find_total: Callable[[], int | None] = lambda: None) -> None:
        self._what = what
        self._find_total = find_total
        self._count = 0
        self._total: int | None = None
        self._started = self._printed_at = time.monotonic()
        self._is_terminal = is_protected(sys.stderr)
        self._first_s, self._every_s = (_FIRST_S, _EVERY_S) if self._is_terminal else (_APART_S, _APART_S)
        self._is_shown = self._is_counted = False
        self._lock = Lock()
        self._ended = Event()
        self._ticking = Thread(target=self._tick, daemon=True)

    def __enter__(self) -> "ProgressLine":
        self._ticking.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self._ticking.join()
        self.hide()

    def show(self, count: int) -> None:
        """Show that `count` items are done."""
        self._count = count
        self._print()

    def hide(self) -> None:
        """Remove the line, so that something else can be printed."""
        with self._lock:
            if self._is_shown and self._is_terminal:
                print(f"\r{own_code('K')}", end="", file=sys.stderr, flush=True)
            self._is_shown = False
            self._printed_at = max(self._printed_at, time.monotonic())

    def _tick(self) -> None:
        while not self._ended.wait(self._every_s):
            self._print()

    def _print(self) -> None:
        now = time.monotonic()
        if now - self._started < self._first_s or now - self._printed_at < self._every_s:
            return
        with self._lock:
            if not self._is_counted:
                self._total, self._is_counted = self._find_total(), True
            self._printed_at, self._is_shown = now, True
            line = progress_line(self._count, self._total, now - self._started, self._what)
            text = f"\r{own_code('K')}{line}" if self._is_terminal else f"{line}\n"
            print(text, end="", file=sys.stderr, flush=True)


def progress_line(count: int, total: int | None, seconds: float, what: str) -> str:
    """Return the text of a progress line.

    >>> progress_line(2500, 10_000, 5, "rows")
    '[#####---------------]  25 %  2,500 of 10,000 rows, 500/s'
    >>> progress_line(2500, None, 5, "rows")
    '2,500 rows, 500/s'
    >>> progress_line(0, None, 5, "rows")
    'no rows after 5 s'
    """
    if not count:
        return f"no {what} after {seconds:.0f} s"
    speed = f"{count / seconds:,.0f}/s" if seconds else ""
    if not total:
        return f"{count:,} {what}, {speed}"
    share = min(count / total, 1)
    bar = "#" * round(share * _BAR_CHARS)
    return (
        f"[{bar:-<{_BAR_CHARS}}] {share:4.0%}  ".replace("%", " %")
        + f"{count:,} of {total:,} {what}, {speed}"
    )


def with_progress(
    items: Iterable[_Item], what: str, find_total: Callable[[], int | None] = lambda: None
) -> Iterator[_Item]:
    """Yield the items, and show a `ProgressLine`."""
    with ProgressLine(what, find_total) as progress:
        for count, item in enumerate(items, start=1):
            yield item
            progress.show(count)


def row_total(files: Sequence[str]) -> int | None:
    """Return the number of rows in files of JSON Lines; None if counting them would take as long as reading them."""
    total = 0
    for file in files:
        path = Path(file).expanduser()
        if not path.is_file():
            return None
        with path.open("rb") as opened:
            # Compressed files, Parquet and arrays are not counted.
            if opened.read(1) not in (b"{", b"\xef"):
                return None
            opened.seek(0)
            while chunk := opened.read(1 << 20):
                total += chunk.count(b"\n")
    return total


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_of(1, "row"), count_of(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Colours text, unless colours are off."""

    is_coloured: bool

    def __call__(self, text: str, tone: Tone) -> str:
        """Return `text` in the colour of `tone`."""
        return f"{own_code(f'{tone}m')}{text}{own_code('0m')}" if self.is_coloured and text else text


def terminal_paint() -> Paint:
    """Return a `Paint` with colours if standard output is a terminal and the environment does not forbid them."""
    return Paint(is_coloured=is_protected(sys.stdout) and uses_colour())


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
