"""Where something stands in a text."""

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
