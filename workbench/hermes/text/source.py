"""The text of a body, how far it may be read, and what can go wrong on the way."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.hermes.marks import STOP
from workbench.hermes.text.notes import Notes

_JSON_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_SKIPPED: Final = frozenset(" \t\n\r/#")
_COMMENT: Final = re.compile(
    r"(?://|#)(?:(?!</?tool_call>)[^\n])*+|/\*(?:(?!\*/|</?tool_call>).)*+\*/", re.DOTALL
)


class Unreadable(Exception):
    """A body cannot be read. Never leaves the reader: it becomes a finding.

    Args:
        at: Where reading stopped.
        is_over: Whether the text ended there.
        is_in_string: Whether a string was open there that was valid so far.
        is_escaped: Whether HTML entities stand where quotes should.
    """

    def __init__(
        self, at: int, *, is_over: bool = False, is_in_string: bool = False, is_escaped: bool = False
    ) -> None:
        self.at = at
        self.is_over = is_over
        self.is_in_string = is_in_string
        self.is_escaped = is_escaped
        super().__init__(at)


class Source(NamedTuple):
    """A text to read a JSON body from."""

    text: str
    """The whole text; spans are of it."""
    end: int
    """How far it may be read."""
    notes: Notes
    """Where departures are noted."""
    close: "re.Pattern[str] | None" = None
    """What closes the block around the body; None where nothing does."""
    is_closed: bool = False
    """Whether the end of the text closes the body: of a decoded string, not of a completion."""

    def stops_at(self, position: int) -> bool:
        """Whether the text is over at `position`: its end, or a stop mark."""
        return position >= self.end or STOP.match(self.text, position) is not None

    def closes_at(self, position: int) -> bool:
        """Whether the block around the body is closed at `position`."""
        if position >= self.end:
            return self.is_closed
        return self.close is not None and self.close.match(self.text, position) is not None

    def failure(self, position: int) -> Unreadable:
        """What to raise where nothing readable stands at `position`."""
        return Unreadable(
            position,
            is_over=self.stops_at(position),
            is_escaped=self.text.startswith("&", position, self.end),
        )

    def skip(self, position: int) -> int:
        """The next position that is neither white space nor comment; comments are noted."""
        text = self.text
        if position < self.end and text[position] not in _SKIPPED:
            return position
        position = self._behind_space(position)
        while self.text.startswith(("/", "#"), position, self.end):
            comment = _COMMENT.match(self.text, position, self.end)
            if not comment:
                raise self.failure(position)
            self.notes.edit_once("comment", position, comment.end(), "")
            position = self._behind_space(comment.end())
        return position

    def _behind_space(self, position: int) -> int:
        match = _JSON_SPACE.match(self.text, position, self.end)
        return match.end() if match else position


@dataclass(slots=True)
class Node:
    """A JSON value with its place."""

    value: JsonValue
    """The value."""
    start: int
    """First code point."""
    end: int
    """One past the last code point."""
    members: "list[tuple[Node, Node]] | None" = None
    """Key and value of the members of an object, in order, repeated keys too; None of other values."""
    items: "list[Node] | None" = None
    """Each item of an array, in order; None of other values."""
    finders: "Sequence[Callable[[str], tuple[Node, Node] | None]]" = ()
    """Look up the members that were read as runs and are not in `members`; their names are not repeated
    there, unless by a later member."""

    def member(self, name: str) -> "tuple[Node, Node] | None":
        """Key and value of the last member of this name."""
        for pair in reversed(self.members or ()):
            if pair[0].value == name:
                return pair
        found = (find(name) for find in self.finders)
        return next((pair for pair in found if pair is not None), None)
