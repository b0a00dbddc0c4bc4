"""Read strings, numbers and words of a JSON body, valid or not.

A quote closes a string only if what follows can follow a string: a colon after a key; a comma, a bracket or the end of
the block after a value; or the next key or item if a comma is missing. Otherwise it is an unescaped quote, and an edit
escapes it. In `{"q": "he said "hi" to me"}` the quotes around `hi` are followed by letters and spaces, so they belong
to the string. The lookahead stops at the next quote or line break, which keeps the time linear. Examples:

    {"a": "x" "b": "y"}         a text with a colon after it is the next key: a comma is missing
    ["x" "y" "z"]               a text with a comma, a bracket or another text after it is the next item
    ["he said "x" "y" to me"]   `"y"` has a letter after it: unescaped quotes, one item
    {"a": "x" "y"}              an object cannot hold a text without a key: unescaped quotes, one value
    ["x""y"]                    without a space this may be a doubled quote: unescaped quotes, one item
    ["k": "v"]                  an array cannot hold a key, and no reading is likely: not read
    {"a": "x, "b": "y"}         if the tool declares `b`, the quote after `x` is missing; otherwise unescaped quotes
"""

import json
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from workbench.hermes.marks import STOP
from workbench.hermes.text.completion import BodyText, JsonNode, UnreadableBody

_WORD: Final = re.compile(r"[-+]?[A-Za-z_]\w*")
_NUMBER: Final = re.compile(
    r"[-+]?(?:(?P<hex>0[xX][0-9a-fA-F]+)"
    r"|(?:(?P<digits>[0-9]+)(?P<point>\.[0-9]*)?|(?P<fraction>\.[0-9]+))(?P<exponent>[eE][-+]?[0-9]+)?)"
)
_STANDARD: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_PYTHON: Final = {"True": ("true", True), "False": ("false", False), "None": ("null", None)}
_NON_FINITE: Final = frozenset(
    sign + word for sign in ("", "-", "+") for word in ("NaN", "nan", "Infinity", "inf")
)
_MAX_DIGITS: Final = 4300
"""Python's `json` rejects numbers with more digits. *Source:* CPython's `sys.int_info.default_max_str_digits`."""


def read_word(source: BodyText, start: int) -> JsonNode:
    """Read `true`, `false` or `null` at `start`, or Python's words for them.

    Raises:
        UnreadableBody: There is no such word at `start`.
    """
    match = _WORD.match(source.text, start, source.end)
    if not match:
        raise source.failure(start)
    word, end = match.group(), match.end()
    if word in _CONSTANTS:
        return JsonNode(_CONSTANTS[word], start, end)
    if word in _PYTHON:
        after, value = _PYTHON[word]
        source.notes.edit("python-constant", start, end, after)
        return JsonNode(value, start, end)
    if word in _NON_FINITE:
        source.notes.report("non-finite-number", start, end)
        return JsonNode(None, start, end)
    raise source.failure(end if source.stops_at(end) else start)


def read_number(source: BodyText, start: int) -> JsonNode:
    """Read the number at `start`.

    Raises:
        UnreadableBody: There is no number at `start`, or it has too many digits.
    """
    text = source.text
    match = _NUMBER.match(text, start, source.end)
    if not match:
        return read_word(source, start)
    end = match.end()
    if end < source.end and (text[end] == "." or text[end].isalnum() or text[end] == "_"):
        raise source.failure(start)
    return JsonNode(_number(source, match, start, end), start, end)


def _number(source: BodyText, match: "re.Match[str]", start: int, end: int) -> int | float:
    written, digits = match.group(), match["digits"] or ""
    if match["hex"]:
        value: int | float = int(written, 16)
        source.notes.edit("nonstandard-number", start, end, str(value))
        return value
    if len(digits) > 1 and digits.startswith("0"):
        source.notes.report("leading-zero", start, end)
        return 0
    is_whole = not (match["point"] or match["fraction"] or match["exponent"])
    if is_whole and len(digits) > _MAX_DIGITS:
        raise source.failure(start)
    value = int(written) if is_whole else float(written)
    if value in (float("inf"), float("-inf")):
        source.notes.report("non-finite-number", start, end)
    elif not _STANDARD.fullmatch(written):
        source.notes.edit("nonstandard-number", start, end, repr(value))
    return value


_VALID: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_CLOSERS: Final = {'"': '"', "'": "'", "“": "”“", "”": "”“", "„": "”“", "‘": "’‘", "’": "’‘"}
_PLAIN: Final = {
    closers: re.compile(rf'[^\\"{closers}\x00-\x1f]*+') for closers in frozenset(_CLOSERS.values())
}
_SIMPLE: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX: Final = re.compile(r"[0-9a-fA-F]{4}")
_LOW_HALF: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_WHITE: Final = (" ", "\t", "\n", "\r")
_KEY_AHEAD: Final = re.compile(r""""(?:[^"\\\n]|\\.)*+"\s*+:|'(?:[^'\\\n]|\\.)*+'\s*+:""")
_OTHER_CLOSES: Final = "[`✿"
"""The first characters of tokens of other families that close a body, apart from `<`."""
_COMMENT_AHEAD: Final = re.compile(r"(?:(?://|#)[^\n]{0,200}\n|/\*[^*]{0,200}\*/)[ \t\n\r]*+")

_VALUE_AHEAD: Final = r"""(?=["'“‘{\[(\d+-]|(?:true|True|false|False|null|None)\b)"""
_ITEM_AHEAD: Final = re.compile(
    r"""(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|-?\d[\d.eE+-]{0,30}+)(?:\s*+[,\]}]|\s++["'\d-])"""
    r"""|\{\s*+["'][^"'\n]*+["']\s*+:"""
)
"""What makes a text or number after white space the next item; an object is one if it starts with a key."""
_MEMBER_AHEAD: Final = re.compile(rf"\s*+:\s*+{_VALUE_AHEAD}")
_DECLARED_AHEAD: Final = re.compile(
    rf"""(?P<space>[ \t\r\n]{{0,100}}+)(?P<quote>["'])(?P<key>[^"'\\\n]{{1,100}}+)(?P=quote)\s*+:\s*+{_VALUE_AHEAD}"""
)

QUOTES: Final = frozenset(_CLOSERS)
"""Characters that may open a string."""


class StringPlace(NamedTuple):
    """Where a string is, which decides what may follow it."""

    followers: str
    """Characters that may follow the closing quote; empty for a string that is the whole payload."""
    is_key: bool = False
    is_item: bool = False
    """Whether it is an item of an array or tuple, which cannot hold keys."""


KEY: Final = StringPlace(":", is_key=True)
VALUE: Final = StringPlace(",}]")
TUPLE_VALUE: Final = StringPlace(",}])")
"""A value of an object inside a tuple, or of a Python call."""
ITEM: Final = StringPlace(",}]", is_item=True)
TUPLE_ITEM: Final = StringPlace(",}])", is_item=True)
"""An item of a tuple, or of an array inside one."""
ALONE: Final = StringPlace("")
"""The whole payload."""


def read_string(
    source: BodyText, start: int, place: StringPlace, declared: Callable[[], frozenset[str]] | None = None
) -> tuple[str, int]:
    """Read the string whose opening quote is at `start`. Return its value and the position after it.

    Args:
        start: Position of the opening quote.
        place: Where the string is, such as `KEY` or `VALUE`.
        declared: Returns the keys that may still follow in the object around a value, as the tool declares them.

    Raises:
        UnreadableBody: The string does not end, or it is a key in an array.
    """
    valid = _VALID.match(source.text, start, source.end)
    if valid and _closes(source, valid.end(), place):
        value = _decoded(source.text, start, valid.end())
        _report_surrogates(source, value, start, valid.end())
        return value, valid.end()
    return _Recovery(source, start, place, declared).read()


def _decoded(text: str, start: int, end: int) -> str:
    """Decode the valid JSON string `[start, end)`."""
    written = text[start + 1 : end - 1]
    return str(json.loads(text[start:end])) if "\\" in written else written


def _report_surrogates(source: BodyText, value: str, start: int, end: int) -> None:
    if not value.isascii() and _SURROGATE.search(value):
        source.notes.report("lone-surrogate", start, end)


def _closes(source: BodyText, end: int, place: StringPlace) -> bool:
    """Return whether a quote directly before `end` closes its string."""
    text, position = source.text, end
    if text.startswith(_WHITE, end):
        match = _SPACE.match(text, end, source.end)
        position = match.end() if match else end
    if position >= source.end:
        return True
    char = text[position]
    if char in place.followers:
        return True
    if place.is_key:
        return False
    if char == "<":
        return source.closes_at(position) or STOP.match(text, position) is not None
    if char in "/#":
        comment = _COMMENT_AHEAD.match(text, position, source.end)
        return comment is not None and text[comment.end() : comment.end() + 1] in tuple(place.followers)
    if not place.followers:
        return text.startswith("```", position)
    if place is ITEM and position > end and _ITEM_AHEAD.match(text, position, source.end):
        return True
    if char in _OTHER_CLOSES and source.closes_at(position):
        return True
    return _KEY_AHEAD.match(text, position, source.end) is not None


class _Recovery:
    """Read one string that is not valid JSON, and record its fixes."""

    def __init__(
        self,
        source: BodyText,
        start: int,
        place: StringPlace,
        declared: Callable[[], frozenset[str]] | None,
    ) -> None:
        self.source = source
        self.start = start
        self.place = place
        self.find_declared = declared
        self.quote = source.text[start]
        self.closers = _CLOSERS[self.quote]
        self.code = "python-literal" if self.quote == "'" else "smart-quotes"
        self.pieces: list[str] = []
        self.checked = start
        self.counted = start
        self.depth = 0
        self.declared: frozenset[str] | None = None
        self.is_valid = True
        self.keeps_backslash = False
        self.has_control_escape = False

    def read(self) -> tuple[str, int]:
        source, place, plain = self.source, self.place, _PLAIN[self.closers]
        may_be_declared = self.find_declared is not None
        position = self.start + 1
        while True:
            match = plain.match(source.text, position, source.end)
            if match and match.end() > position:
                self.pieces.append(match.group())
                position = match.end()
            if position >= source.end:
                raise UnreadableBody(position, is_over=True, is_in_string=self.is_valid)
            char = source.text[position]
            if char in self.closers and _closes(source, position + 1, place):
                return self._finished(position + 1)
            # Most quotes follow a letter, and cannot open a key.
            if may_be_declared and (source.text[position - 1] in ", " or char in "\r\n"):
                lost = self._before_declared(position)
                if lost:
                    return lost
            position = self._special(char, position)

    def _special(self, char: str, position: int) -> int:
        if char == "\\":
            return self._escape(position)
        if char in self.closers:
            self._unescaped_quote(char, position)
        elif char == '"':
            self.source.notes.edit(self.code, position, position + 1, '\\"')
        else:
            self.is_valid = False
            self.source.notes.edit("raw-control-char", position, position + 1, json.dumps(char)[1:-1])
        self.pieces.append(char)
        return position + 1

    def _before_declared(self, position: int) -> tuple[str, int] | None:
        """Return the value without its closing quote if a key that the tool declares follows. Otherwise None.

        The quote is missing before a comma, as in `{"city": "Oslo, "sex": "f"}`, or at the end of a line. A value with
        an open bracket, such as `{"text": "a {"b": 1, "sex": 2} c"}`, is a text with JSON in it.
        """
        text, find_declared = self.source.text, self.find_declared
        if find_declared is None or text[position - 1] in "\r\n\t":  # white space is only searched once
            return None
        ahead = _DECLARED_AHEAD.match(text, position, self.source.end)
        if not ahead or ahead["quote"] not in self.closers:
            return None
        if self.declared is None:
            self.declared = find_declared()
        if ahead["key"] not in self.declared:
            return None
        end = position
        while text[end - 1] == " ":
            end -= 1
        has_comma = text[end - 1] == "," and end - 1 > self.start
        if not (has_comma or "\n" in ahead["space"]) or self._is_open(end):
            return None
        end -= has_comma
        value = "".join(self.pieces)
        value = value[: len(value) - (position - end)]
        if self.quote != '"':
            self.source.notes.edit(self.code, self.start, self.start + 1, '"')
        self.source.notes.insert("missing-quote", self.start, end, '"')
        _report_surrogates(self.source, value, self.start, end)
        return value, end if has_comma else ahead.start("quote")

    def _is_open(self, end: int) -> bool:
        """Return whether a bracket is open in the string at `end`. Called with increasing positions."""
        text, start = self.source.text, self.counted
        for opener, closer in ("{}", "[]"):
            self.depth += text.count(opener, start, end) - text.count(closer, start, end)
        self.counted = end
        return self.depth > 0

    def _unescaped_quote(self, char: str, position: int) -> None:
        if (
            self.place.is_item
            and self.checked == self.start
            and _MEMBER_AHEAD.match(self.source.text, position + 1)
        ):
            raise UnreadableBody(position + 1)
        # Treating the quote as text is a guess. It must not swallow a later call: in `{"q": "x<tool_call>{"name": …`
        # the second block is valid, and must not be lost because the first one is not.
        if self.source.begins.search(self.source.text, self.checked, position):
            raise UnreadableBody(position)
        self.checked = position
        if char == '"':
            self.source.notes.edit("unescaped-quote", position, position + 1, '\\"')
        else:
            self.source.notes.mark("unescaped-quote", position, position + 1)

    def _escape(self, position: int) -> int:
        text, end = self.source.text, self.source.end
        if position + 1 >= end:
            raise UnreadableBody(end, is_over=True, is_in_string=self.is_valid)
        char = text[position + 1]
        if char in _SIMPLE:
            self.has_control_escape |= char in "bfnrt"
            self.pieces.append(_SIMPLE[char])
            return position + 2
        code_point = _HEX.match(text, position + 2, end) if char == "u" else None
        if code_point:
            return self._unicode_escape(int(code_point.group(), 16), position)
        return self._invalid_escape(char, position)

    def _unicode_escape(self, code_point: int, position: int) -> int:
        low = _LOW_HALF.match(self.source.text, position + 6, self.source.end)
        if 0xD800 <= code_point < 0xDC00 and low:
            code_point = 0x10000 + ((code_point - 0xD800) << 10) + (int(low.group(1), 16) - 0xDC00)
            self.pieces.append(chr(code_point))
            return position + 12
        self.pieces.append(chr(code_point))
        return position + 6

    def _invalid_escape(self, char: str, position: int) -> int:
        notes = self.source.notes
        if char == "'":
            code = "python-literal" if self.quote == "'" else "invalid-escape"
            notes.edit(code, position, position + 2, "'")
            self.pieces.append("'")
            return position + 2
        notes.edit("invalid-escape", position, position + 1, "\\\\")
        self.keeps_backslash = True
        self.pieces.append("\\")
        return position + 1

    def _finished(self, end: int) -> tuple[str, int]:
        notes = self.source.notes
        if self.quote != '"':
            notes.edit(self.code, self.start, self.start + 1, '"')
            notes.edit(self.code, end - 1, end, '"')
        if self.keeps_backslash and self.has_control_escape:
            notes.report("ambiguous-escape", self.start, end)
        value = "".join(self.pieces)
        _report_surrogates(self.source, value, self.start, end)
        return value, end
