"""A recovering JSON reader: one pass, with every departure recorded where it occurs."""

import json
import re
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.hermes.json_text.fast import PlainMembers, read_plain_items, read_plain_members, read_run
from workbench.hermes.json_text.strings import (
    ALONE,
    KEY,
    QUOTES,
    TUPLE_VALUE,
    VALUE,
    read_number,
    read_string,
    read_word,
)
from workbench.hermes.text.completion import BodyText, JsonNode, UnreadableBody

_BARE_KEY: Final = re.compile(r"[\w$][\w$.-]*+")
_DEEPEST: Final = 200
_NUMBER_STARTS: Final = frozenset("+-.0123456789")
_CLOSERS: Final = "}])"


def read_payload(source: BodyText, start: int) -> JsonNode:
    """The value that begins at `start`: an object, an array, or a string that is the whole payload.

    Raises:
        Unreadable: It cannot be read, even with fixes.
    """
    if source.text[start : start + 1] in QUOTES:
        value, end = read_string(source, start, ALONE)
        return JsonNode(value, start, end)
    return read_value(source, start, "")


def read_value(source: BodyText, position: int, inside: str) -> JsonNode:
    """The value at `position`, white space and comments skipped.

    Args:
        position: Where to begin.
        inside: The closing brackets of all containers around it, the outermost first.

    Raises:
        Unreadable: It cannot be read, even with fixes.
    """
    position = source.skip(position)
    if position >= source.end:
        raise source.failure(position)
    char = source.text[position]
    if char in QUOTES:
        value, end = read_string(source, position, TUPLE_VALUE if ")" in inside else VALUE)
        return JsonNode(value, position, end)
    if char == "{":
        return _Object(source, position, inside).read()
    if char == "[" or (char == "(" and inside):
        return _Array(source, position, inside).read()
    if char in _NUMBER_STARTS:
        return read_number(source, position)
    return read_word(source, position)


class _Container:
    """An object, array or tuple that is being read."""

    closer: str

    def __init__(self, source: BodyText, start: int, inside: str) -> None:
        if len(inside) >= _DEEPEST:
            raise UnreadableBody(start)
        self.source = source
        self.start = start
        self.outside = inside
        self.inside = inside + self.closer
        self.last = start + 1
        """Position behind the last token that was read."""

    def is_at_end(self, position: int) -> bool:
        """Whether the container ends at `position`, by its bracket or because a bracket is missing there."""
        text = self.source.text
        if text.startswith(self.closer, position, self.source.end):
            return True
        if self.source.closes_at(position):
            return True
        char = text[position : position + 1]
        return bool(char) and char in _CLOSERS and position < self.source.end and char in self.outside

    def closed(self, position: int) -> int:
        """The position behind the container, which ends at `position`."""
        if self.source.text.startswith(self.closer, position, self.source.end):
            return position + 1
        self.source.notes.close("add-closing-bracket", self.start, self.last, self.closing_text)
        return position if position < self.source.end else self.last

    @property
    def closing_text(self) -> str:
        """The bracket as JSON writes it."""
        return self.closer

    def separated(self, end: int) -> int:
        """The position of what follows a member that ended at `end`: the next one, or where the container
        ends."""
        source, text = self.source, self.source.text
        self.last = end
        position = self._behind_extra_closers(source.skip(end))
        if self.is_at_end(position):
            return position
        if text.startswith(",", position, source.end):
            behind = source.skip(position + 1)
            if self.is_at_end(behind):
                self.trailing_comma(position)
            return behind
        if position >= source.end or not self._begins_member(text[position]):
            raise source.failure(position)
        source.notes.close("missing-comma", self.start, end, ",")
        return position

    def trailing_comma(self, position: int) -> None:
        """Note the comma at `position`."""
        self.source.notes.edit("trailing-comma", position, position + 1, "")

    def _behind_extra_closers(self, position: int) -> int:
        source = self.source
        while position < source.end and (char := source.text[position]) in "}]":
            if char in self.inside:
                break
            source.notes.edit("extra-closing-bracket", position, position + 1, "")
            position = source.skip(position + 1)
        return position

    def _begins_member(self, char: str) -> bool:
        return char in QUOTES or char in "{[(+-." or char.isalnum() or char in "_$"


class _Object(_Container):
    closer = "}"

    def __init__(self, source: BodyText, start: int, inside: str) -> None:
        super().__init__(source, start, inside)
        self.members: list[tuple[JsonNode, JsonNode]] = []
        self.values: dict[str, JsonValue] = {}
        self.runs: list[PlainMembers] = []

    def read(self) -> JsonNode:
        source = self.source
        position, is_doubled = self._doubled(source.skip(self.start + 1))
        while not self.is_at_end(position):
            position = self._behind_plain(position)
            key = self._key(position)
            value = read_value(source, self._behind_colon(key), self.inside)
            self._add(key, value)
            position = self.separated(value.end)
        end = self._behind_double(self.closed(position), is_doubled=is_doubled)
        finders = [run.find for run in self.runs]
        return JsonNode(self.values, self.start, end, members=self.members, finders=finders)

    def _behind_plain(self, position: int) -> int:
        """Read what needs nothing from `position` on; give the position behind it."""
        while run := read_run(self.source, position, self.values):
            self.runs.append(run)
            self.values.update(run.values)
            position = run.end
        return read_plain_members(self.source, position, self._add)

    def _add(self, key: JsonNode, value: JsonNode) -> None:
        name = str(key.value)
        if name in self.values:
            message = f"the key {name[:40]!r} stands twice; the last counts"
            self.source.notes.tell("duplicate-key", key.start, key.end, message)
        self.members.append((key, value))
        self.values[name] = value.value

    def _doubled(self, position: int) -> tuple[int, bool]:
        if not self.source.text.startswith("{", position, self.source.end):
            return position, False
        self.source.notes.edit("double-braces", position, position + 1, "")
        return self.source.skip(position + 1), True

    def _behind_double(self, end: int, *, is_doubled: bool) -> int:
        if is_doubled:
            position = self.source.skip(end)
            if self.source.text.startswith("}", position, self.source.end):
                self.source.notes.edit("double-braces", position, position + 1, "")
                return position + 1
        return end

    def _key(self, position: int) -> JsonNode:
        source = self.source
        if position >= source.end:
            raise source.failure(position)
        if source.text[position] in QUOTES:
            name, end = read_string(source, position, KEY)
            return JsonNode(name, position, end)
        match = _BARE_KEY.match(source.text, position, source.end)
        if not match:
            raise source.failure(position)
        end = match.end()
        if source.stops_at(end) or not source.text.startswith(":", source.skip(end), source.end):
            raise source.failure(end if source.stops_at(end) else position)
        source.notes.edit("unquoted-key", position, end, json.dumps(match.group(), ensure_ascii=False))
        return JsonNode(match.group(), position, end)

    def _behind_colon(self, key: JsonNode) -> int:
        position = self.source.skip(key.end)
        if not self.source.text.startswith(":", position, self.source.end):
            raise self.source.failure(position)
        return position + 1


class _Array(_Container):
    def __init__(self, source: BodyText, start: int, inside: str) -> None:
        self.is_tuple = source.text[start] == "("
        self.closer = ")" if self.is_tuple else "]"
        super().__init__(source, start, inside)
        self.items: list[JsonNode] = []

    def read(self) -> JsonNode:
        source = self.source
        position = source.skip(self.start + 1)
        while not self.is_at_end(position):
            position = read_plain_items(source, position, self.items.append)
            value = read_value(source, position, self.inside)
            self.items.append(value)
            position = self.separated(value.end)
        end = self.closed(position)
        if self.is_tuple:
            source.notes.edit("python-literal", self.start, self.start + 1, "[")
            if end == position + 1:
                source.notes.edit("python-literal", position, end, "]")
        return JsonNode([item.value for item in self.items], self.start, end, items=self.items)

    @property
    def closing_text(self) -> str:
        return "]"

    def trailing_comma(self, position: int) -> None:
        # Python needs the comma in (1,): it is part of the tuple, not a slip.
        code = "python-literal" if self.is_tuple and len(self.items) == 1 else "trailing-comma"
        self.source.notes.edit(code, position, position + 1, "")
