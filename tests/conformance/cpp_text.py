"""Read values out of C++ tests: texts, lists, and calls of helpers, without a compiler.

`{ "a", f("b" "c") }` becomes `["a", CppCall("f", ["bc"])]`. What is not a value, such as `"a" + 1`, raises `NotAValue`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    | R"(?P<mark>[^(\s"]*)\((?P<raw>.*?)\)(?P=mark)"
    | "(?P<text>(?:\\.|[^"\\])*)"
    | (?P<char>'(?:\\.|[^'\\])+')
    | (?P<name>[A-Za-z_]\w*(?:::\w+)*)
    | (?P<number>\d[\w.]*)
    | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}


class NotAValue(Exception):
    """An expression that is not made of texts, lists and calls."""


class Token(NamedTuple):
    kind: str
    """`text`, `name`, `number`, `char` or `sign`."""
    value: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CppCall:
    """A call of a function, or a name with a list, such as `point{1, 2}`."""

    name: str
    arguments: tuple[Any, ...]


def tokens_of(source: str) -> list[Token]:
    """Split C++ into tokens, without comments and white space."""
    return list(_tokens(source))


def _tokens(source: str) -> Iterator[Token]:
    line = 1
    for match in _TOKEN.finditer(source):
        kind = match.lastgroup or ""
        if kind in ("raw", "mark"):
            yield Token("text", match["raw"], line)
        elif kind == "text":
            yield Token("text", _unescaped(match["text"]), line)
        elif kind != "skip":
            yield Token(kind, match[0], line)
        line += match[0].count("\n")


def _unescaped(text: str) -> str:
    """Resolve the escapes of a text; `\\xE2\\x82\\xAC` are the bytes of one character."""

    def resolved(match: re.Match[str]) -> bytes:
        code = match[1]
        if code[0] == "x":
            return bytes([int(code[1:], 16)])
        if code[0] == "u":
            return chr(int(code[1:], 16)).encode()
        if code[0].isdigit():
            return bytes([int(code, 8)])
        return _LETTERS.get(code, code).encode()

    pieces, end = [], 0
    for match in _ESCAPE.finditer(text):
        pieces += [text[end : match.start()].encode(), resolved(match)]
        end = match.end()
    return b"".join([*pieces, text[end:].encode()]).decode()


def read_value(tokens: Sequence[Token], start: int, names: Mapping[str, Any]) -> tuple[Any, int]:
    """Return the value of the expression at a token, and the place after it.

    Args:
        names: The values of names. Any other name is its own value.

    Raises:
        NotAValue: Something else is there.
    """
    value, place = _read_one(tokens, start, names)
    while tokens[place].value == "+" and tokens[place].kind == "sign":
        more, place = _read_one(tokens, place + 1, names)
        if not (isinstance(value, str) and isinstance(more, str)):
            raise NotAValue(tokens[place])
        value += more
    return value, place


def read_list(tokens: Sequence[Token], start: int, names: Mapping[str, Any]) -> tuple[tuple[Any, ...], int]:
    """Return the values between the bracket at a token and the one that closes it, and the place after it."""
    close = {"(": ")", "{": "}"}[tokens[start].value]
    values, place = [], start + 1
    while tokens[place].value != close or tokens[place].kind != "sign":
        if values:
            if tokens[place].value != ",":
                raise NotAValue(tokens[place])
            place += 1
            if tokens[place].value == close:
                break
        value, place = read_value(tokens, place, names)
        values.append(value)
    return tuple(values), place + 1


def _read_one(tokens: Sequence[Token], start: int, names: Mapping[str, Any]) -> tuple[Any, int]:
    token = tokens[start]
    if token.kind == "text":
        place = start
        while tokens[place].kind == "text":
            place += 1
        return "".join(part.value for part in tokens[start:place]), place
    if token.kind == "sign" and token.value == "{":
        return read_list(tokens, start, names)
    if token.kind == "name":
        after = tokens[start + 1]
        if after.kind == "sign" and after.value in "({":
            arguments, place = read_list(tokens, start + 1, names)
            return CppCall(name=token.value, arguments=arguments), place
        return names.get(token.value, token.value), start + 1
    if token.kind == "number":
        return float(token.value), start + 1
    raise NotAValue(token)
