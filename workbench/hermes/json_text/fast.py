"""The quick way for valid JSON: the scanner of the standard library, and what it would not tell."""

import json
import re
from collections.abc import Callable
from typing import Final, cast

from workbench.chat.json_value import JsonValue

_DEEPEST: Final = 500
_HALF: Final = re.compile(r"\\u[dD]")


class _Odd(Exception):
    """The text is JSON, perhaps, but something in it must be told."""


def decode(payload: str) -> tuple[JsonValue, int] | None:
    """The JSON value that `payload` begins with and the position behind it; None where the careful reader
    must look.

    That is where the text is not JSON, and where it holds a key twice, a number that is not finite or half of
    a surrogate pair. Cut a payload out of its text first: a failing scanner counts the lines before the
    place.
    """
    if ("\\" in payload and _HALF.search(payload)) or not is_utf8(payload):
        return None
    try:
        value, end = _raw_decode(payload)
    except (ValueError, RecursionError, _Odd):
        return None
    if len(payload) > 2 * _DEEPEST and _has_many_brackets(payload) and _is_deep(value):
        return None
    return value, end


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Odd
    return value


def _finite(text: str) -> float:
    value = float(text)
    if value in _INFINITIES:
        raise _Odd
    return value


def _refuse(text: str) -> float:
    raise _Odd


_INFINITIES: Final = (float("inf"), float("-inf"))
_raw_decode: Final = cast(
    Callable[[str], tuple[JsonValue, int]],
    json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse).raw_decode,
)


def is_utf8(text: str) -> bool:
    """Whether `text` can be written as UTF-8: it holds no half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_many_brackets(payload: str) -> bool:
    # `find` of one character runs many times faster than `count` over text that holds few of them.
    left = _DEEPEST
    for bracket in "{[":
        position = payload.find(bracket)
        while position >= 0 and left:
            left -= 1
            position = payload.find(bracket, position + 1)
    return not left


def _is_deep(value: JsonValue) -> bool:
    level: list[JsonValue] = [value]
    depth = 0
    while level and depth <= _DEEPEST:
        depth += 1
        level = [inner for outer in level for inner in _inside(outer)]
    return bool(level)


def _inside(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, dict):
        return [inner for inner in value.values() if isinstance(inner, dict | list)]
    if isinstance(value, list):
        return [inner for inner in value if isinstance(inner, dict | list)]
    return []
