"""A completion's text and the terms under which it is parsed."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.hermes.marks import CALL_TAG, STOP
from workbench.hermes.reading import Dialect, Level
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import OfferedTools, ToolSpec

_JSON_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_SKIPPED: Final = frozenset(" \t\n\r/#")
_COMMENT: Final = re.compile(
    r"(?://|#)(?:(?!</?tool_call>)[^\n])*+|/\*(?:(?!\*/|</?tool_call>).)*+\*/", re.DOTALL
)


class UnreadableBody(Exception):
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


class BodyText(NamedTuple):
    """A text to read a JSON body from."""

    text: str
    """The whole text; spans are of it."""
    end: int
    """How far it may be read."""
    notes: BlockNotes
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

    def failure(self, position: int) -> UnreadableBody:
        """What to raise where nothing readable stands at `position`."""
        return UnreadableBody(
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
class JsonNode:
    """A JSON value with its place."""

    value: JsonValue
    start: int
    """First code point."""
    end: int
    """One past the last code point."""
    members: "list[tuple[JsonNode, JsonNode]] | None" = None
    """Key and value of the members of an object, in order, repeated keys too; None of other values."""
    items: "list[JsonNode] | None" = None
    """Each item of an array, in order; None of other values."""
    finders: "Sequence[Callable[[str], tuple[JsonNode, JsonNode] | None]]" = ()
    """Look up the members that were read as runs and are not in `members`; their names are not repeated
    there, unless by a later member."""

    def member(self, name: str) -> "tuple[JsonNode, JsonNode] | None":
        """Key and value of the last member of this name."""
        for pair in reversed(self.members or ()):
            if pair[0].value == name:
                return pair
        found = (find(name) for find in self.finders)
        return next((pair for pair in found if pair is not None), None)


class Tag(NamedTuple):
    """Where a mark stands."""

    start: int
    end: int
    is_close: bool = False
    """Of a call's tag: whether it closes."""


class Tags:
    """All places of one kind of mark, found once: a search for a mark that is not there is remembered."""

    def __init__(self, tags: list[Tag]) -> None:
        self._tags = tags
        self._starts = [tag.start for tag in tags]

    def next(self, position: int, end: int) -> Tag | None:
        """The first mark at or behind `position` that begins before `end`."""
        index = bisect_left(self._starts, position)
        if index < len(self._tags) and self._starts[index] < end:
            return self._tags[index]
        return None


class Completion:
    """One text with the terms under which it is read, and what is worth finding only once.

    Args:
        tools: The offered tools; None where no name is checked.
        dialect: The form that the family writes.
        level: How much may be repaired.
        is_cut: Whether the model stopped for length.
        checks_arguments: Whether calls are held against the schemas of their tools.
    """

    def __init__(
        self,
        text: str,
        *,
        tools: OfferedTools | None,
        dialect: Dialect,
        level: Level,
        is_cut: bool,
        checks_arguments: bool = True,
    ) -> None:
        self.text = text
        self.tools = tools
        self.dialect = dialect
        self.level = level
        self.is_cut = is_cut
        self.checks_arguments = checks_arguments
        self.has_met_end = False
        """Whether a block was read to the end of the text: with more text it might be read otherwise."""
        self._allowance = 4 * len(text) + 10_000
        self._next: dict[str, int] = {}
        self._places: dict[str, Tags] = {}

    @cached_property
    def call_tags(self) -> Tags:
        """Open and close tags of calls, in any case of letters."""
        return Tags(self._all_call_tags)

    @cached_property
    def open_tags(self) -> Tags:
        """Open tags of calls."""
        return Tags([tag for tag in self._all_call_tags if not tag.is_close])

    @cached_property
    def close_tags(self) -> Tags:
        """Close tags of calls."""
        return Tags([tag for tag in self._all_call_tags if tag.is_close])

    @cached_property
    def _all_call_tags(self) -> list[Tag]:
        return [Tag(*match.span(), match.group(1) == "/") for match in CALL_TAG.finditer(self.text)]

    @cached_property
    def stops(self) -> Tags:
        """Stop marks."""
        return self.places(STOP)

    def places(self, mark: "re.Pattern[str]") -> Tags:
        """All places of `mark`."""
        if mark.pattern not in self._places:
            self._places[mark.pattern] = Tags(
                [Tag(*match.span(), True) for match in mark.finditer(self.text)]
            )
        return self._places[mark.pattern]

    def find(self, mark: str, position: int) -> int:
        """Where the tag `mark` stands next at or behind `position`, or -1. Asked in order of place."""
        known = self._next.get(mark, -2)
        if known == -1 or known >= position:
            return known
        first = self.text.find("<", position)  # a search for one character is much the faster
        found = self._next[mark] = self.text.find(mark, first) if first >= 0 else -1
        return found

    def stop_behind(self, position: int) -> int:
        """Where the text is over for one who stands at `position`: the next stop mark, or the end."""
        stop = self.stops.next(position, len(self.text))
        return stop.start if stop else len(self.text)

    def spec(self, name: str) -> ToolSpec | None:
        """The offered tool of this name."""
        return self.tools.by_name.get(name) if self.tools is not None else None

    def declares(self, tool: str, parameter: str) -> bool:
        """Whether `tool` has this parameter; any, where it declares none or is not known."""
        spec = self.spec(tool) or self.spec(tool.strip())
        return spec is None or not spec.properties or parameter in spec.properties

    def spend(self, size: int) -> None:
        """Tell that `size` code points were read in vain."""
        self._allowance -= size

    @property
    def may_look_far(self) -> bool:
        """Whether not too much was read in vain so far."""
        return self._allowance > 0

    def reach(self, position: int) -> int:
        """How far a block may be read that begins at `position`.

        To the end, as a rule. A text of many unreadable blocks, of which each reads on to the end in vain,
        would
        take quadratic time: once a few times its length was read so, a block may look no further than the
        next one.
        """
        if self.may_look_far:
            return len(self.text)
        tag = self.open_tags.next(position, len(self.text))
        return tag.start if tag else len(self.text)
