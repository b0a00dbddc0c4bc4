"""Stream the arguments of a call while the model is still writing it."""

import json
import re
from collections.abc import Callable
from typing import Final, cast

from workbench.toolspec.coerce import is_converted

_HEAD: Final = re.compile(
    r'\s*\{[ \t\n\r]*"name"[ \t\n\r]*:[ \t\n\r]*"([^"\\<>{}\s]*)"[ \t\n\r]*,'
    r'[ \t\n\r]*"arguments"[ \t\n\r]*:[ \t\n\r]*(?=\{)'
)
_HIGH: Final = "u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = "u[dD][c-fC-F][0-9a-fA-F]{2}"
_TEXT: Final = re.compile(
    r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|'
    + _HIGH
    + r"\\"
    + _LOW
    + "))*+"
)
_OPEN_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|" + _HIGH + r"(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z")
_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_SCALAR: Final = re.compile(
    r"(?:true|false|null|-?(?:0|[1-9][0-9]{0,200})(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?)(?=[ \t\n\r,}\]])"
)
"""A word or a number that is complete. Longer numbers may be infinite as a float, which is not JSON."""
_CERTAIN: Final = re.compile(r"-?(?:0(?=\.[0-9])|[1-9][0-9]{0,200})(?:\.[0-9]{1,200})?")
"""The part of a number that can be emitted. A single `0` waits, because it may become `0x1F`, and so does `1.`, which a
fix writes as `1.0`. Only numbers such as `12.e25` or `12345678901234567890.` are written differently from the start."""
_WHOLE_STRING: Final = re.compile(_TEXT.pattern + '"')
_MAX_WAITING: Final = 400
"""Longest value, in characters, that waits until it is complete; a longer one waits for the end of the call."""

_MAX_SPACES: Final = 100
"""Longest white space after a comma or a call that waits. After a longer one, the call may have to be emitted again."""

StringTypes = Callable[[tuple[str | int, ...]], frozenset[str]]
"""Returns for the place of a string in the arguments to which types a fix may convert it; empty if to none."""


class ArgumentsLexer:
    """Emit the arguments of one JSON call as they arrive, but only text that no fix will change.

    The body must start with `{"name": "…", "arguments": {`. The lexer waits where the next characters decide whether
    the text is valid JSON: a comma may turn out to be a trailing comma, and a quote may turn out to be an unescaped
    quote inside the string. Where the schema allows no string, a string waits until it is complete, because `"5"` may
    become `5`. A number is emitted digit by digit. After the first invalid character nothing more is emitted.

    Args:
        find_types: Returns for the tool's name the `StringTypes` of its arguments. None if nothing may be emitted.
    """

    def __init__(
        self, find_types: Callable[[str], StringTypes | None] = lambda _name: lambda _path: frozenset[str]()
    ) -> None:
        self._find_types = find_types
        self._types_at: StringTypes = lambda _path: frozenset[str]()
        self._path: list[str | int] = []
        """Where the value is in the arguments: for each open container a key, or 0, for all items have one schema."""
        self._key_text: list[str] = []
        """The JSON text of a key, while it arrives."""
        self._number = ""
        """The part of a number that was emitted."""
        self.name: str | None = None
        """The tool's name, or None until it is complete."""
        self.is_stuck = False
        """Whether nothing more will be emitted."""
        self._text = ""
        self._closers = ""
        self._is_in_string = False
        self._is_key = False
        self._expects = "value"

    @property
    def is_complete(self) -> bool:
        """Whether the arguments were emitted up to their closing brace."""
        return self._expects == "nothing"

    @property
    def is_in_plain_string(self) -> bool:
        """Whether a value's string is open and nothing is pending, so that plain text can be emitted unchanged."""
        # `is_in_string` again, because each piece asks for this
        return self._is_in_string and not (self.is_stuck or self._text or self._is_key)

    @property
    def is_in_string(self) -> bool:
        """Whether a string is open. A tag that arrives now belongs to the string."""
        return self._is_in_string and not self.is_stuck

    def feed(self, piece: str) -> str:
        """Add a piece of the body. Return the part of the arguments that is final now, which may be empty."""
        if self.is_stuck:
            return ""
        if (
            self._is_in_string
            and not self._text
            and not self._is_key
            and piece.isprintable()
            and '"' not in piece
            and "\\" not in piece
            and ("," not in piece or not may_end_value(piece))
        ):
            return piece
        self._text += piece
        if self.name is None and not self._read_head():
            return ""
        position = 0
        while not self.is_stuck:
            end = self._string(position) if self._is_in_string else self._token(position)
            if end == position:
                break
            position = end
        final, self._text = self._text[:position], self._text[position:]
        return final

    def _read_head(self) -> bool:
        head = _HEAD.match(self._text)
        if head:
            name = head.group(1)
            self.name, types_at = name, self._find_types(name)
            self._types_at = types_at or self._types_at
            self.is_stuck = types_at is None
            self._text = self._text[head.end() :]
        elif len(self._text) > 500:
            self.is_stuck = True
        return head is not None

    def _string(self, position: int) -> int:
        """Return the end of the final part of the open string.

        The part includes the closing quote once the character after it proves that it closes the string. A comma at the
        end of a value waits: in `{"city": "Oslo, "days": 3}` a fix closes the string before it.
        """
        match = _TEXT.match(self._text, position)
        end = final = match.end() if match else position
        if self._is_key:
            self._key_text.append(self._text[position:end])
        elif may_end_value(self._text[position:end]):
            final = self._text.rindex(",", position, end)
        if end == len(self._text) or _OPEN_ESCAPE.match(self._text, end):
            return final
        if self._text[end] != '"':
            self.is_stuck = True
            return final
        following = self._after_space(end + 1)
        if following == len(self._text):
            return final
        if self._text[following] not in (":" if self._is_key else ",}]"):
            self.is_stuck = True
            return final
        self._is_in_string = False
        self._expects = "colon" if self._is_key else "next"
        if self._is_key:
            self._path[-1] = json.loads(f'"{"".join(self._key_text)}"')
            self._key_text.clear()
        return end + 1

    def _token(self, position: int) -> int:
        if self._expects == "digit":
            return self._digits(position)
        start = self._after_space(position)
        if start == len(self._text):
            return position
        step = {
            "value": self._value,
            "colon": self._colon,
            "next": self._next,
            "first": self._first,
            "key": self._key,
        }
        return step[self._expects](start) or position

    def _after_space(self, position: int) -> int:
        match = _SPACE.match(self._text, position)
        return match.end() if match else position

    def _colon(self, start: int) -> int:
        self._expects = "value"
        return start + 1

    def _open_string(self, start: int, *, is_key: bool) -> int:
        self._is_in_string, self._is_key = True, is_key
        return start + 1

    def _value(self, start: int) -> int:
        char = self._text[start]
        if char in "{[":
            self._closers += "}" if char == "{" else "]"
            self._path.append("" if char == "{" else 0)
            self._expects = "first"
            return start + 1
        if char == '"':
            allowed = self._types_at(tuple(self._path))
            return self._whole_string(start, allowed) if allowed else self._open_string(start, is_key=False)
        return self._digits(start)

    def _whole_string(self, start: int, allowed: frozenset[str]) -> int:
        """Return the end of a complete string that is not converted to one of the allowed types, or 0 to wait."""
        match = _WHOLE_STRING.match(self._text, start + 1)
        following = self._after_space(match.end()) if match else len(self._text)
        if match is None or following == len(self._text):
            self.is_stuck = len(self._text) - start > _MAX_WAITING
            return 0
        text = cast(str, json.loads(self._text[start : match.end()]))
        self.is_stuck = self._text[following] not in ",}]" or is_converted(text, allowed)
        self._expects = "next"
        return 0 if self.is_stuck else match.end()

    def _digits(self, start: int) -> int:
        """Return the end of the certain part of a number, or of a complete word."""
        value = self._number + self._text[start:]
        complete = _SCALAR.match(value)
        certain = complete or _CERTAIN.match(value)
        size = certain.end() - len(self._number) if certain else 0
        self._number = "" if complete or certain is None else certain.group()
        self._expects = "next" if complete else "digit" if self._number else "value"
        self.is_stuck = not size and len(self._text) - start > _MAX_WAITING
        return start + size

    def _first(self, start: int) -> int:
        """Read the first member of a container, or its end."""
        if self._text[start] == self._closers[-1]:
            return self._closed(start)
        return self._key(start) if self._closers[-1] == "}" else self._value(start)

    def _key(self, start: int) -> int:
        if self._text[start] == '"':
            return self._open_string(start, is_key=True)
        self.is_stuck = True
        return 0

    def _next(self, start: int) -> int:
        char = self._text[start]
        if char == self._closers[-1]:
            return self._closed(start)
        if char != ",":
            self.is_stuck = True
            return 0
        following = self._after_space(start + 1)
        if following == len(self._text):
            return 0
        if self._text[following] in "}]":
            self.is_stuck = True
            return 0
        self._expects = "key" if self._closers[-1] == "}" else "value"
        return start + 1

    def _closed(self, start: int) -> int:
        """Close a container. The arguments end only if the call ends too.

        In `{"a": 1}, "b": 2}` and in `{"a": 1}}, "b": 2}` a fix adds `b`.
        """
        if len(self._closers) == 1:
            following = self._after_space(start + 1)
            if following == len(self._text):
                return 0
            after = self._after_space(following + 1)
            self.is_stuck = self._text[following] != "}" or self._text.startswith(",", after)
            self.is_stuck |= after - following > _MAX_SPACES
            if self.is_stuck or after == len(self._text):
                return 0
        self._closers = self._closers[:-1]
        self._path.pop()
        self._expects = "next" if self._closers else "nothing"
        self.is_stuck = not self._closers
        return start + 1


def may_end_value(piece: str) -> bool:
    """Return whether a piece of a string ends with a comma, before which a missing quote may be added."""
    return piece[-_MAX_SPACES:].rstrip(" ").endswith(",")


def arguments_text(body: str) -> str:
    """Return the arguments' text of a valid body, or an empty text if the lexer does not accept how the body starts."""
    head = _HEAD.match(body)
    if not head:
        return ""
    _, size = _DECODER.raw_decode(body[head.end() :])
    return body[head.end() : head.end() + size]
