"""Spans of a text, findings about it with their severity, and fixes to it."""

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
        """Return the part of `text` that this span covers."""
        return text[self.start : self.end]

    def shifted(self, offset: int) -> "Span":
        """Return the span of the same characters in a text that has `offset` more code points in front."""
        return Span(self.start + offset, self.end + offset)


class Severity(StrEnum):
    """How serious a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem or observation, with its position."""

    code: str
    """Stable identifier from `docs/reference/codes.md`, such as `invalid-json`."""
    message: str
    """What is wrong, where, and what to do. Under 100 characters; names are quoted with `!r`."""
    severity: Severity = Severity.ERROR
    """Error: the call, row or spec cannot be used as it is. Warning: it can. Note: nothing is wrong."""
    span: Span | None = None
    """Position in the parsed text, or None if the finding is not about a text."""
    pointer: str | None = None
    """JSON pointer into the arguments or the document, such as `/items/2/qty`, or None."""
    line: int | None = None
    """Line in the parsed text, from 1, or None if it was not computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement in a text."""

    span: Span
    before: str
    """The replaced text, equal to `span.of(original)`."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One deviation from the format, and the edits that repair it."""

    code: str
    """Stable identifier from `docs/reference/codes.md`, such as `trailing-comma`."""
    span: Span
    """From the first to the last edit, or the position of the fault if there are no edits."""
    edits: tuple[Edit, ...]
    """Sorted by position, never overlapping. Empty if another fix of the same block contains the edit."""
    is_guess: bool = False
    """Whether the text could also have meant something else."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a text. Their spans refer to the original text and do not overlap.

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
