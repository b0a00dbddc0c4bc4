"""Spans of a text, findings about it, and fixes to it, with the severity of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range `[start, end)` of code points in a named text.

    >>> Span(2, 5).of("abcdef")
    'cde'
    """

    start: int
    """First code point, from 0."""
    end: int
    """One past the last code point."""

    def of(self, text: str) -> str:
        """The stretch of `text` that this span covers."""
        return text[self.start : self.end]

    def shifted(self, offset: int) -> "Span":
        """The same stretch in a text that has `offset` more code points before it."""
        return Span(self.start + offset, self.end + offset)


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was noticed, with its place."""

    code: str
    """Stable word from `docs/reference/codes.md`."""
    message: str
    """What is wrong, where, and what to do; under 100 characters, names in `!r`."""
    severity: Severity = Severity.ERROR
    """Error: the thing cannot be used as it is. Warning: it can. Note: nothing is wrong."""
    span: Span | None = None
    """Place in the text that was read; None where there is no text."""
    pointer: str | None = None
    """JSON pointer into the arguments or the document, such as `/items/2/qty`; None where none applies."""
    line: int | None = None
    """Line in the text that was read, from 1; None where it was not worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement in a text."""

    span: Span
    before: str
    """What stands there; equal to `span.of(original)`."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One departure from the format, and the edits that undo it."""

    code: str
    """Stable word from `docs/reference/codes.md`."""
    span: Span
    """From the first to the last edit; the place itself where there is no edit."""
    edits: tuple[Edit, ...]
    """In order of place, never overlapping; empty where another fix of the same block carries the edit."""
    is_guess: bool = False
    """True where another meaning is possible."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits` made; they are in terms of the original text and do not overlap.

    >>> apply_edits("abc", [Edit(span=Span(1, 2), before="b", after="BB")])
    'aBBc'
    """
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        pieces.append(text[position : edit.span.start])
        pieces.append(edit.after)
        position = edit.span.end
    pieces.append(text[position:])
    return "".join(pieces)
