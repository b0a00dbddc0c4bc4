"""Cut texts into coloured spans, and reduce edits to what they change."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.chat.finding import Span

TEXT: Final = "text"
"""Kind of a span without a colour."""
MARK: Final = "mark"
"""Kind of a tag or special token of the format."""

_MARKS: Final = re.compile(
    r"<\|[A-Za-z0-9_]{1,64}\|>|</?(?:tools|tool_call|tool_response|think|scratch_pad)>"
    r"|<(?:function|parameter)=[^>\n]{1,64}>|</(?:function|parameter)>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A part of a text, of one kind."""

    text: str
    """The text, byte for byte."""
    kind: str = TEXT
    """`text`, `mark`, `call`, `result`, `thought`, `error` or `found`. Selects a colour of `page.css`."""
    is_picked: bool = False
    """True if the span is part of the call that is selected in another pane."""


def mark_spans(text: str) -> tuple[Span, ...]:
    """Return the spans that look like tags or special tokens.

    For texts whose author is unknown: a tag that a user typed looks the same as one of the prompt.
    """
    return tuple(Span(*match.span()) for match in _MARKS.finditer(text))


def cut_pieces(text: str, marks: Iterable[Span], *, kind: str = TEXT) -> tuple[TextSpan, ...]:
    """Cut a text into its marks and the parts of `kind` between them. Joined, the pieces are the text.

    >>> [piece.text for piece in cut_pieces("a<b>c", [Span(1, 4)])]
    ['a', '<b>', 'c']
    """
    pieces: list[TextSpan] = []
    position = 0
    for start, end in marks:
        if position < start:
            pieces.append(TextSpan(text=text[position:start], kind=kind))
        pieces.append(TextSpan(text=text[start:end], kind=MARK))
        position = end
    if position < len(text):
        pieces.append(TextSpan(text=text[position:], kind=kind))
    return tuple(pieces)


def marked_pieces(text: str) -> tuple[TextSpan, ...]:
    """Cut a text at everything that looks like a tag or special token."""
    return cut_pieces(text, mark_spans(text))


def pick_pieces(pieces: Iterable[TextSpan], picked: Span) -> list[TextSpan]:
    """Cut the pieces at a span and mark the part inside it as picked.

    >>> [(piece.text, piece.is_picked) for piece in pick_pieces([TextSpan(text="abc")], Span(1, 2))]
    [('a', False), ('b', True), ('c', False)]
    """
    cut: list[TextSpan] = []
    start = 0
    for piece in pieces:
        end = start + len(piece.text)
        first, last = (min(max(place, start), end) for place in (picked.start, picked.end))
        for left, right in ((start, first), (first, last), (last, end)):
            if left < right:
                text = piece.text[left - start : right - start]
                cut.append(replace(piece, text=text, is_picked=(left, right) == (first, last)))
        start = end
    return cut


SHORT_SIZE_CHARS: Final = 24
"""Shorter edits are shown whole, so that `True` becomes `true` instead of `T` becoming `t`."""


class NarrowedEdit(NamedTuple):
    """An edit, cut into the parts that stay and the part that changes."""

    prefix: str
    """Unchanged text before the change."""
    before: str
    after: str
    suffix: str
    """Unchanged text after the change."""


def narrow(before: str, after: str) -> NarrowedEdit:
    """Reduce a long edit to the part that changes. A short edit is kept whole.

    >>> narrow("True", "true")
    NarrowedEdit(prefix='', before='True', after='true', suffix='')
    >>> narrow("{'a': 1, 'b': 2} {'c': 3}", "{'a': 1, 'b': 2} <> {'c': 3}").after
    '<> '
    """
    if min(len(before), len(after)) < SHORT_SIZE_CHARS:
        return NarrowedEdit("", before, after, "")
    start = common_size_chars(before, after)
    end = common_size_chars(before[start:][::-1], after[start:][::-1])
    return NarrowedEdit(
        before[:start],
        before[start : len(before) - end],
        after[start : len(after) - end],
        before[len(before) - end :],
    )


def common_size_chars(left: str, right: str) -> int:
    """Return the length of the common start of two texts, in characters."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))
