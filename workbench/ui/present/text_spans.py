"""Spans of a text, each of one kind, for colouring; and edits reduced to what they change."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from workbench.chat.finding import Span

TEXT: Final = "text"
"""Kind of a piece without a colour."""
MARK: Final = "mark"
"""Kind of a literal tag or token of the format."""

_MARKS: Final = re.compile(
    r"<\|[A-Za-z0-9_]{1,64}\|>|</?(?:tools|tool_call|tool_response|think|scratch_pad)>"
    r"|<(?:function|parameter)=[^>\n]{1,64}>|</(?:function|parameter)>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A stretch of a text."""

    text: str
    """Byte for byte."""
    kind: str = TEXT
    """`text`, `mark`, `call`, `result`, `thought` or `blank`; names a colour of `page.css`."""
    is_picked: bool = False
    """True of what was picked elsewhere."""


def mark_spans(text: str) -> tuple[Span, ...]:
    """Where something stands that looks like a mark; for texts of which nobody knows who wrote what."""
    return tuple(Span(*match.span()) for match in _MARKS.finditer(text))


def cut_pieces(text: str, marks: Iterable[Span], *, kind: str = TEXT) -> tuple[TextSpan, ...]:
    """`text` as pieces: its marks, and between them pieces of `kind`. Joined they are `text`.

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
    """`text` with all that looks like a mark told apart."""
    return cut_pieces(text, mark_spans(text))


def pick_pieces(pieces: Iterable[TextSpan], picked: Span) -> list[TextSpan]:
    """The same text, cut so that a stretch of it is told apart.

    >>> [(piece.text, piece.is_picked) for piece in pick_pieces([TextSpan(text="abc")], Span(1, 2))]
    [('a', False), ('b', True), ('c', False)]
    """
    found: list[TextSpan] = []
    start = 0
    for piece in pieces:
        end = start + len(piece.text)
        first, last = (min(max(place, start), end) for place in (picked.start, picked.end))
        for left, right in ((start, first), (first, last), (last, end)):
            if left < right:
                text = piece.text[left - start : right - start]
                found.append(replace(piece, text=text, is_picked=(left, right) == (first, last)))
        start = end
    return found


SHORT_SIZE_CHARS: Final = 24
"""An edit up to here is shown whole: `True` becomes `true`, not `T` becomes `t`."""


class NarrowedEdit(NamedTuple):
    """An edit, cut into what stays and what changes."""

    prefix: str
    """Stays, before the change."""
    before: str
    after: str
    suffix: str
    """Stays, behind the change."""


def narrow(before: str, after: str) -> NarrowedEdit:
    """A long edit without its common ends; a short one whole.

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


def common_size_chars(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))
