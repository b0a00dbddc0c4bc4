"""A named repair: one or more edits of a text."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.chat.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement in a text."""

    span: Span
    """Where, in the original text."""
    before: str
    """What stands there; equal to `span.of(original)`."""
    after: str
    """What is read instead."""


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
