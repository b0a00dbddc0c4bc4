"""Lines of a file of rows. An object that spans several lines, among rows of one line each, becomes one line of it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple


class FileLine(NamedTuple):
    """A line of a file whose JSON is not parsed yet."""

    number: int
    """From 1: the number of the line in the file."""
    line: bytes
    """The bytes of the line; of all its lines, if an object spans several."""
    offset: int = 0
    """Where the line begins in the file after decompression, in bytes."""


_ENDS: Final = (b"}\n", b"}", b"}\r\n")
"""Most rows end like this, so they are not looked at."""
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\],:"]|[^\s{}\[\],:"]++')
_PARTNERS: Final = {b"}": b"{", b"]": b"["}


def with_joined_objects(lines: Iterator[FileLine], most_bytes: int) -> Iterator[FileLine]:
    """Yield the lines, and those of an object that spans several as one.

    A line that is cut off is not joined: then a line that follows does not fit.

    Args:
        lines: The lines of a file, without blank ones.
        most_bytes: Maximum size of an object; a larger one is not joined.
    """
    line: FileLine | None
    waiting: FileLine | None = None
    while (line := waiting or next(lines, None)) is not None:
        waiting = None
        if line.line.endswith(_ENDS) or not line.line.lstrip().startswith(b"{"):
            yield line
            continue
        parts, reading, size_bytes = [line], _OpenObject(), len(line.line)
        while reading.takes(parts[-1].line) and (after := next(lines, None)) is not None:
            parts.append(after)
            size_bytes += len(after.line)
            if size_bytes > most_bytes:
                break
        if reading.is_complete:
            # A blank line counts, so that the line breaks say which lines the object has.
            gaps = (b"\n" * (after.number - before.number - 1) for before, after in pairwise(parts))
            text = b"".join(part.line + gap for part, gap in zip(parts, (*gaps, b""), strict=True))
            yield FileLine(line.number, text, line.offset)
        else:
            # The last one may begin an object itself.
            waiting = parts.pop() if len(parts) > 1 else None
            yield from parts


class _OpenObject:
    """An object whose lines are read one after the other."""

    def __init__(self) -> None:
        self.is_complete = False
        self._open: list[bytes] = []
        self._last = b""

    def takes(self, line: bytes) -> bool:
        """Read the next line. Returns whether the object goes on after it."""
        for token in _TOKEN.findall(line):
            if self.is_complete or not self._fits(token):
                self.is_complete = False
                return False
            self._last = token
            if token in (b"{", b"["):
                self._open.append(token)
            elif token in _PARTNERS:
                self._open.pop()
                self.is_complete = not self._open
        return not self.is_complete

    def _fits(self, token: bytes) -> bool:
        """Whether a token may follow; values are not checked, only brackets and what is next to them."""
        if token in _PARTNERS:
            return bool(self._open) and self._open[-1] == _PARTNERS[token]
        is_first = self._last in (b"", b":") or (self._last in (b"[", b",") and self._open[-1] == b"[")
        return token != b'"' and (token not in (b"{", b"[") or is_first)
