"""A completion's text and the options with which it is parsed."""

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.hermes.marks import CALL_BEGINS, CALL_TAG, STOP
from workbench.hermes.reading import Dialect, Level
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import OfferedTools, ToolSpec

_JSON_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_SKIPPED: Final = frozenset(" \t\n\r/#")
_COMMENT: Final = re.compile(
    r"(?://|#)(?:(?!</?tool_call>)[^\n])*+|/\*(?:(?!\*/|</?tool_call>).)*+\*/", re.DOTALL
)


class UnreadableBody(Exception):
    """A body cannot be read. Only used inside the reader, which turns it into a finding.

    Args:
        at: Where reading stopped.
        is_over: Whether the text ended there.
        is_in_string: Whether a string was open there that was valid so far.
        is_escaped: Whether there is an HTML entity instead of a quote.
    """

    def __init__(
        self, at: int, *, is_over: bool = False, is_in_string: bool = False, is_escaped: bool = False
    ) -> None:
        self.at = at
        self.is_over = is_over
        self.is_in_string = is_in_string
        self.is_escaped = is_escaped
        super().__init__(at)


class KeyStep(NamedTuple):
    """A container around a value."""

    members: Mapping[str, JsonValue]
    """The members of an object that were read so far; empty for an array."""
    key: str | int
    """The key of the value, or 0 for an item of an array."""


KeyFinder = Callable[[Sequence[KeyStep]], frozenset[str]]
"""Returns the keys that the tool declares for the innermost of some containers, given from outside to inside."""


def within_call(keys: KeyFinder | None, name: str) -> KeyFinder | None:
    """Return the same for JSON that holds only the arguments of a call of `name`."""
    call = KeyStep({"name": name}, "arguments")
    return None if keys is None else lambda steps: keys([call, *steps])


class BodyText(NamedTuple):
    """A text to read a JSON body from."""

    text: str
    """The whole text, to which spans refer."""
    end: int
    """The body may be read up to here."""
    notes: BlockNotes
    """Takes fixes and findings."""
    close: "re.Pattern[str] | None" = None
    """Matches the tag that closes the block around the body, or None without a block."""
    is_closed: bool = False
    """Whether the end of the text closes the body. True for a decoded string, False for a completion."""
    keys: KeyFinder | None = None
    """Finds declared keys, or None if no tools are known."""
    begins: "re.Pattern[str]" = CALL_BEGINS
    """Matches the start of another call, which a repaired string must not swallow."""

    def stops_at(self, position: int) -> bool:
        """Return whether the text ends at `position`, or has a stop token there."""
        return position >= self.end or STOP.match(self.text, position) is not None

    def closes_at(self, position: int) -> bool:
        """Return whether the block around the body is closed at `position`."""
        if position >= self.end:
            return self.is_closed
        return self.close is not None and self.close.match(self.text, position) is not None

    def failure(self, position: int) -> UnreadableBody:
        """Return the exception to raise if nothing readable is at `position`."""
        return UnreadableBody(
            position,
            is_over=self.stops_at(position),
            is_escaped=self.text.startswith("&", position, self.end),
        )

    def skip(self, position: int) -> int:
        """Return the next position after white space and comments. Comments are recorded as fixes."""
        text = self.text
        if position < self.end and text[position] not in _SKIPPED:
            return position
        position = self._after_space(position)
        while self.text.startswith(("/", "#"), position, self.end):
            comment = _COMMENT.match(self.text, position, self.end)
            if not comment:
                raise self.failure(position)
            self.notes.edit_once("comment", position, comment.end(), "")
            position = self._after_space(comment.end())
        return position

    def _after_space(self, position: int) -> int:
        match = _JSON_SPACE.match(self.text, position, self.end)
        return match.end() if match else position


@dataclass(slots=True)
class JsonNode:
    """A JSON value with its position."""

    value: JsonValue
    start: int
    """First code point."""
    end: int
    """One past the last code point."""
    members: "list[tuple[JsonNode, JsonNode]] | None" = None
    """Keys and values of an object in order, including repeated keys. None for other values."""
    items: "list[JsonNode] | None" = None
    """Items of an array, or None for other values."""
    plain_members: "Sequence[Callable[[], Mapping[str, tuple[JsonNode, JsonNode]]]]" = ()
    """Return consecutive plain members, which were read together and are not in `members`, by name.

    Only a later member may repeat one of their names.
    """

    def member(self, name: str) -> "tuple[JsonNode, JsonNode] | None":
        """Return key and value of the last member with this name, or None."""
        for pair in reversed(self.members or ()):
            if pair[0].value == name:
                return pair
        found = (read().get(name) for read in self.plain_members)
        return next((pair for pair in found if pair is not None), None)

    def pairs(self) -> "dict[str, tuple[JsonNode, JsonNode]]":
        """Return key and value of each member by name. Of a repeated name, the last one counts."""
        found = {str(pair[0].value): pair for pair in self.members or ()}
        if not self.plain_members:
            return found
        return {name: pair for read in self.plain_members for name, pair in read().items()} | found


class Tag(NamedTuple):
    """The position of a mark."""

    start: int
    end: int
    is_close: bool = False
    """Whether it is the closing tag of a call."""


class Tags:
    """All positions of one kind of mark. They are searched only once."""

    def __init__(self, tags: list[Tag]) -> None:
        self._tags = tags
        self._starts = [tag.start for tag in tags] + [sys.maxsize]
        """Where the marks start, and a position after all texts, so that every search finds something."""

    def next(self, position: int, end: int) -> Tag | None:
        """Return the first mark from `position` on that starts before `end`, or None."""
        index = bisect_left(self._starts, position)
        return self._tags[index] if self._starts[index] < end else None

    def around(self, position: int) -> Tag | None:
        """Return the mark that contains `position`, or None."""
        index = bisect_left(self._starts, position) - 1
        return self._tags[index] if index >= 0 and position < self._tags[index].end else None


class Completion:
    """A text with the options of parsing, and the positions of its marks.

    Args:
        tools: The offered tools, or None to accept any name.
        dialect: The form of calls that the family writes.
        level: How much may be repaired.
        is_cut: Whether the completion was cut off, for example by the token limit.
        checks_arguments: Whether to check calls against the schemas of their tools.
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
        if tools is not None and not isinstance(tools, OfferedTools):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BadInput("tools", f"a {type(tools).__name__}, not parsed tools", "use parse_tools(…)")
        self.text = text
        self.tools = tools
        self.dialect = dialect
        self.level = level
        self.is_cut = is_cut
        self.checks_arguments = checks_arguments
        self.has_met_end = False
        """Whether a block was read to the end of the text, so that more text may change the result."""
        self._allowance = 4 * len(text) + 10_000
        self._next: dict[str, int] = {}
        self._places: dict[str, Tags] = {}

    @cached_property
    def call_tags(self) -> Tags:
        """Opening and closing tags of calls, in upper or lower case."""
        return Tags(self._all_call_tags)

    @cached_property
    def open_tags(self) -> Tags:
        """Opening tags of calls."""
        return Tags([tag for tag in self._all_call_tags if not tag.is_close])

    @cached_property
    def close_tags(self) -> Tags:
        """Closing tags of calls."""
        return Tags([tag for tag in self._all_call_tags if tag.is_close])

    @cached_property
    def _all_call_tags(self) -> list[Tag]:
        return [Tag(*match.span(), match.group(1) == "/") for match in CALL_TAG.finditer(self.text)]

    @cached_property
    def stops(self) -> Tags:
        """Stop tokens."""
        return self.places(STOP)

    def places(self, mark: "re.Pattern[str]") -> Tags:
        """Return all positions of `mark`."""
        if mark.pattern not in self._places:
            self._places[mark.pattern] = Tags(
                [Tag(*match.span(), True) for match in mark.finditer(self.text)]
            )
        return self._places[mark.pattern]

    def find(self, mark: str, position: int) -> int:
        """Return the next position of the tag `mark` from `position` on, or -1. Call it with increasing positions."""
        known = self._next.get(mark, -2)
        if known == -1 or known >= position:
            return known
        first = self.text.find("<", position)  # searching one character is much faster
        found = self._next[mark] = self.text.find(mark, first) if first >= 0 else -1
        return found

    def stop_after(self, position: int) -> int:
        """Return where the text after `position` ends: at the next stop token, or at its end."""
        stop = self.stops.next(position, len(self.text))
        return stop.start if stop else len(self.text)

    def spec(self, name: str) -> ToolSpec | None:
        """Return the offered tool with this name, or None."""
        return self.tools.by_name.get(name) if self.tools is not None else None

    def declares(self, tool: str, parameter: str) -> bool:
        """Return whether `tool` has this parameter. True if it declares no parameters or is unknown."""
        spec = self.spec(tool) or self.spec(tool.strip())
        return spec is None or not spec.properties or parameter in spec.properties

    def spend(self, size: int) -> None:
        """Count `size` code points that were read in vain."""
        self._allowance -= size

    @property
    def may_look_far(self) -> bool:
        """Whether blocks may still be read to the end of the text. See `reach`."""
        return self._allowance > 0

    def reach(self, position: int) -> int:
        """Return how far a block that starts at `position` may be read.

        Usually to the end of the text. But in a text of many unreadable blocks, such as `<tool_call>{` repeated, each
        block would read to the end in vain, which takes quadratic time. After a few times the text's length was read in
        vain, a block may only be read up to the next opening tag.
        """
        if self.may_look_far:
            return len(self.text)
        tag = self.open_tags.next(position, len(self.text))
        return tag.start if tag else len(self.text)
