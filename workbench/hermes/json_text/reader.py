"""Read JSON as models write it, and repair it in one pass.

Idea. This is a recursive descent parser for JSON that also accepts the mistakes that models make. Each time it accepts
something that JSON does not allow, it records an edit with a code, at the position of the mistake, and continues. It
never tries alternatives: what to do is decided by the next few characters. So it takes linear time, and the same text
always gets the same repair.

Invariant. Applying the recorded edits to the text gives valid JSON with exactly the value that was read. Text inside
strings is never searched for mistakes of structure, so `"True, {a: 1,}"` stays as it is.

A chain of `re.sub` repairs, which many projects use, cannot keep that invariant. It would change the string in
this body while it repairs the quotes around it. This reader only edits the single quotes, the bare `True` and the
last comma:

    {'name': 'save', 'arguments': {'text': "True, {a: 1,}", 'draft': True,}}

Closing quotes are the hard part, see `strings.py`: in `"he said "hi" to me"` a quote closes the string only if what
follows can follow a string.
"""

import json
import re
from dataclasses import replace
from typing import Final

from workbench.chat.json_value import JsonValue
from workbench.hermes.json_text.fast import (
    PlainMembers,
    read_consecutive,
    read_plain_items,
    read_plain_members,
)
from workbench.hermes.json_text.strings import (
    ALONE,
    ITEM,
    KEY,
    QUOTES,
    TUPLE_ITEM,
    TUPLE_VALUE,
    VALUE,
    read_number,
    read_string,
    read_word,
)
from workbench.hermes.text.completion import BodyText, JsonNode, KeyStep, UnreadableBody

_BARE_KEY: Final = re.compile(r"[\w$][\w$.-]*+")
_MAX_DEPTH: Final = 200
_NUMBER_STARTS: Final = frozenset("+-.0123456789")
_CLOSERS: Final = "}])"


def read_payload(source: BodyText, start: int) -> JsonNode:
    """Read the payload of a call: an object, an array, or a string that is the whole payload.

    Raises:
        UnreadableBody: It cannot be read, even with fixes.
    """
    if source.text[start : start + 1] in QUOTES:
        value, end = read_string(source, start, ALONE)
        return JsonNode(value, start, end)
    return read_value(source, start, "")


def read_value(
    source: BodyText, position: int, inside: str, container: "_Container | None" = None
) -> JsonNode:
    """Read the value at `position`, after white space and comments.

    Args:
        position: Where to start.
        inside: The closing brackets of all containers around the value, outermost first.
        container: The innermost of them, if this reader reads it as well.

    Raises:
        UnreadableBody: It cannot be read, even with fixes.
    """
    position = source.skip(position)
    if position >= source.end:
        raise source.failure(position)
    char = source.text[position]
    if char in QUOTES:
        if container is not None:
            value, end = container.string(position)
        else:
            value, end = read_string(source, position, TUPLE_VALUE if ")" in inside else VALUE)
        return JsonNode(value, position, end)
    if char == "{":
        return _Object(source, position, inside, container).read()
    if char == "[" or (char == "(" and inside):
        return (_Array if char == "[" else _Tuple)(source, position, inside, container).read()
    if char in _NUMBER_STARTS:
        return read_number(source, position)
    return read_word(source, position)


class _Container:
    """An object, array or tuple that is being parsed."""

    closer: str

    def __init__(self, source: BodyText, start: int, inside: str, container: "_Container | None") -> None:
        if len(inside) >= _MAX_DEPTH:
            raise UnreadableBody(start)
        self.container = container
        self.source = source
        self.start = start
        self.outside = inside
        self.inside = inside + self.closer
        self.last = start + 1
        """Position after the last token."""

    def is_at_end(self, position: int) -> bool:
        """Return whether the container ends at `position`, with its bracket or because the bracket is missing."""
        text = self.source.text
        if text.startswith(self.closer, position, self.source.end):
            return True
        if self.source.closes_at(position):
            return True
        char = text[position : position + 1]
        return bool(char) and char in _CLOSERS and position < self.source.end and char in self.outside

    def closed(self, position: int) -> int:
        """End the container at `position`, and return the position after it."""
        if self.source.text.startswith(self.closer, position, self.source.end):
            return position + 1
        self.source.notes.insert("add-closing-bracket", self.start, self.last, self.closing_text)
        return position if position < self.source.end else self.last

    @property
    def closing_text(self) -> str:
        """The closing bracket in JSON. A tuple ends with `]`."""
        return self.closer

    def string(self, start: int) -> tuple[str, int]:
        """Read the string at `start`, which is an item."""
        return read_string(self.source, start, TUPLE_ITEM if ")" in self.inside else ITEM)

    def step(self) -> KeyStep:
        """Return what was read so far, and under which key the next value is."""
        return KeyStep({}, 0)

    def steps(self) -> list[KeyStep]:
        """Return the steps from the outermost container to this one."""
        return [*(self.container.steps() if self.container else ()), self.step()]

    def separated(self, end: int) -> int:
        """Read the separator after a member that ended at `end`.

        Return the position of the next member, or of the end.
        """
        source, text = self.source, self.source.text
        self.last = end
        position = self._after_extra_closers(source.skip(end))
        if self.is_at_end(position):
            return position
        if text.startswith(",", position, source.end):
            following = source.skip(position + 1)
            if self.is_at_end(following):
                self.trailing_comma(position)
            return following
        if position >= source.end or not self._begins_member(text[position]):
            raise source.failure(position)
        source.notes.insert("missing-comma", self.start, end, ",")
        return position

    def trailing_comma(self, position: int) -> None:
        """Record the trailing comma at `position`."""
        self.source.notes.edit("trailing-comma", position, position + 1, "")

    def _after_extra_closers(self, position: int) -> int:
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
    key = ""
    """The key whose value is read now."""

    def __init__(self, source: BodyText, start: int, inside: str, container: _Container | None) -> None:
        super().__init__(source, start, inside, container)
        self.members: list[tuple[JsonNode, JsonNode]] = []
        self.values: dict[str, JsonValue] = {}
        self.plain_members: list[PlainMembers] = []

    def string(self, start: int) -> tuple[str, int]:
        declared = self._declared if self.source.keys else None
        return read_string(self.source, start, TUPLE_VALUE if ")" in self.inside else VALUE, declared)

    def step(self) -> KeyStep:
        return KeyStep(self.values, self.key)

    def _declared(self) -> frozenset[str]:
        """Return the keys that the tool declares for this object and that it does not have yet."""
        declared = self.source.keys(self.steps()) if self.source.keys else frozenset[str]()
        return declared - self.values.keys() - {self.key}

    def read(self) -> JsonNode:
        source = self.source
        position, is_doubled = self._doubled(source.skip(self.start + 1))
        while not self.is_at_end(position):
            position = self._after_plain_members(position)
            key = self._key(position)
            self.key = str(key.value)
            value = read_value(source, self._after_colon(key), self.inside, self)
            self._add(key, value)
            position = self.separated(value.end)
        end = self._after_double(self.closed(position), is_doubled=is_doubled)
        plain_members = [found.pairs for found in self.plain_members]
        return JsonNode(self.values, self.start, end, members=self.members, plain_members=plain_members)

    def _after_plain_members(self, position: int) -> int:
        """Read the members from `position` on that need no fix. Return the position after them."""
        while found := read_consecutive(self.source, position, self.values):
            self.plain_members.append(found)
            self.values.update(found.values)
            position = found.end
        return read_plain_members(self.source, position, self._add)

    def _add(self, key: JsonNode, value: JsonNode) -> None:
        name = str(key.value)
        if name in self.values:
            message = f"the key {name[:40]!r} appears twice; the last one counts"
            self.source.notes.report("duplicate-key", key.start, key.end, message)
        self.members.append((key, value))
        self.values[name] = value.value

    def _doubled(self, position: int) -> tuple[int, bool]:
        if not self.source.text.startswith("{", position, self.source.end):
            return position, False
        self.source.notes.edit("double-braces", position, position + 1, "")
        return self.source.skip(position + 1), True

    def _after_double(self, end: int, *, is_doubled: bool) -> int:
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

    def _after_colon(self, key: JsonNode) -> int:
        position = self.source.skip(key.end)
        if not self.source.text.startswith(":", position, self.source.end):
            raise self.source.failure(position)
        return position + 1


class _Array(_Container):
    closer = "]"
    is_tuple = False
    has_comma = False
    """Whether a comma is before the closing bracket."""

    def __init__(self, source: BodyText, start: int, inside: str, container: _Container | None) -> None:
        super().__init__(source, start, inside, container)
        self.items: list[JsonNode] = []

    def read(self) -> JsonNode:
        source = self.source
        position = source.skip(self.start + 1)
        while not self.is_at_end(position):
            position = read_plain_items(source, position, self.items.append)
            value = read_value(source, position, self.inside, self)
            self.items.append(value)
            position = self.separated(value.end)
        end = self.closed(position)
        if self.is_tuple:
            source.notes.edit("python-literal", self.start, self.start + 1, self.opening_text)
            if end == position + 1:
                source.notes.edit("python-literal", position, end, self.closing_text)
        if self.is_group:
            return replace(self.items[0], start=self.start, end=end)
        return JsonNode([item.value for item in self.items], self.start, end, items=self.items)

    @property
    def is_group(self) -> bool:
        """Whether the parentheses only group a value: in Python, `(3)` is 3, and `(3,)` is a tuple."""
        return self.is_tuple and len(self.items) == 1 and not self.has_comma

    @property
    def opening_text(self) -> str:
        """The opening bracket in JSON."""
        return "" if self.is_group else "["

    @property
    def closing_text(self) -> str:
        return "" if self.is_group else "]"

    def trailing_comma(self, position: int) -> None:
        # In (1,) the comma is part of Python's syntax for a tuple, not a mistake.
        self.has_comma = True
        code = "python-literal" if self.is_tuple and len(self.items) == 1 else "trailing-comma"
        self.source.notes.edit(code, position, position + 1, "")


class _Tuple(_Array):
    closer = ")"
    is_tuple = True
