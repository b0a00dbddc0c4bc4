"""Read strings, numbers and words of a JSON body, valid or not."""

import json
import re
from typing import Final

from workbench.hermes.marks import CALL_BEGINS, STOP
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
_MOST_DIGITS: Final = 4300
"""*Source:* CPython's default `sys.int_info.default_max_str_digits`; more digits are no number for `json`
either."""


def read_word(source: BodyText, start: int) -> JsonNode:
    """The word at `start`: true, false, null, or what Python writes for them.

    Raises:
        Unreadable: No such word stands there.
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
        source.notes.tell("non-finite-number", start, end)
        return JsonNode(None, start, end)
    raise source.failure(end if source.stops_at(end) else start)


def read_number(source: BodyText, start: int) -> JsonNode:
    """The number at `start`.

    Raises:
        Unreadable: No number stands there, or one with more digits than an integer may have.
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
        source.notes.tell("leading-zero", start, end)
        return 0
    is_whole = not (match["point"] or match["fraction"] or match["exponent"])
    if is_whole and len(digits) > _MOST_DIGITS:
        raise source.failure(start)
    value = int(written) if is_whole else float(written)
    if value in (float("inf"), float("-inf")):
        source.notes.tell("non-finite-number", start, end)
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
_KEY_AHEAD: Final = re.compile(r""""(?:[^"\\\n]|\\.)*+"\s*+:|'(?:[^'\\\n]|\\.)*+'\s*+:""")
_COMMENT_AHEAD: Final = re.compile(r"(?:(?://|#)[^\n]{0,200}\n|/\*[^*]{0,200}\*/)[ \t\n\r]*+")

QUOTES: Final = frozenset(_CLOSERS)
"""What may open a string."""
KEY: Final = ":"
"""What follows a key."""
VALUE: Final = ",}]"
"""What follows a value."""
TUPLE_VALUE: Final = ",}])"
"""What follows a value inside a tuple."""
ALONE: Final = ""
"""What follows a string that is the whole payload: nothing."""


def read_string(source: BodyText, start: int, followers: str) -> tuple[str, int]:
    """The string whose quote stands at `start`, and the position behind it.

    Args:
        start: Position of the opening quote.
        followers: Characters of which one must follow the closing quote.

    Raises:
        Unreadable: It does not end.
    """
    valid = _VALID.match(source.text, start, source.end)
    if valid and _closes(source, valid.end(), followers):
        value = _decoded(source.text, start, valid.end())
        _tell_surrogates(source, value, start, valid.end())
        return value, valid.end()
    return _Recovery(source, start, followers).read()


def _decoded(text: str, start: int, end: int) -> str:
    """What the valid JSON string `[start, end)` says."""
    written = text[start + 1 : end - 1]
    return str(json.loads(text[start:end])) if "\\" in written else written


def _tell_surrogates(source: BodyText, value: str, start: int, end: int) -> None:
    if not value.isascii() and _SURROGATE.search(value):
        source.notes.tell("lone-surrogate", start, end)


def _closes(source: BodyText, position: int, followers: str) -> bool:
    """Whether a quote just before `position` closes its string."""
    text = source.text
    match = _SPACE.match(text, position, source.end)
    position = match.end() if match else position
    if position >= source.end:
        return True
    char = text[position]
    if char in followers:
        return True
    if followers == KEY:
        return False
    if char == "<":
        return source.closes_at(position) or STOP.match(text, position) is not None
    if char in "/#":
        comment = _COMMENT_AHEAD.match(text, position, source.end)
        return comment is not None and text[comment.end() : comment.end() + 1] in tuple(followers)
    if followers == ALONE:
        return text.startswith("```", position)
    return _KEY_AHEAD.match(text, position, source.end) is not None


class _Recovery:
    """Reads one string that is not valid JSON, and notes why."""

    def __init__(self, source: BodyText, start: int, followers: str) -> None:
        self.source = source
        self.start = start
        self.followers = followers
        self.quote = source.text[start]
        self.closers = _CLOSERS[self.quote]
        self.code = "python-literal" if self.quote == "'" else "smart-quotes"
        self.pieces: list[str] = []
        self.checked = start
        self.is_valid = True
        self.keeps_backslash = False
        self.has_control_escape = False

    def read(self) -> tuple[str, int]:
        source, plain = self.source, _PLAIN[self.closers]
        position = self.start + 1
        while True:
            match = plain.match(source.text, position, source.end)
            if match and match.end() > position:
                self.pieces.append(match.group())
                position = match.end()
            if position >= source.end:
                raise UnreadableBody(position, is_over=True, is_in_string=self.is_valid)
            char = source.text[position]
            if char in self.closers and _closes(source, position + 1, self.followers):
                return self._finished(position + 1)
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

    def _unescaped_quote(self, char: str, position: int) -> None:
        # A guess may not swallow a call that stands behind: no good block is lost to a bad one.
        if CALL_BEGINS.search(self.source.text, self.checked, position):
            raise UnreadableBody(position)
        self.checked = position
        if char == '"':
            self.source.notes.edit("unescaped-quote", position, position + 1, '\\"')
        else:
            self.source.notes.place("unescaped-quote", position, position + 1)

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
            notes.tell("ambiguous-escape", self.start, end)
        value = "".join(self.pieces)
        _tell_surrogates(self.source, value, self.start, end)
        return value, end
