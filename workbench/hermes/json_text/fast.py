"""The fast path for valid JSON: the standard library's scanner, plus the checks that it lacks."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue
from workbench.hermes.text.completion import BodyText, JsonNode

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


_SPACE: Final = r"[ \t\n\r]*+"
_TEXT: Final = r'[^"\\\x00-\x1f\ud800-\udfff]{0,200}+'  # bounded: a long one is not looked at twice
_WHOLE: Final = r"-?(?:0|[1-9][0-9]{0,17})"
_FRACTION: Final = rf"{_WHOLE}\.[0-9]{{1,17}}"
_WORD: Final = "true|false|null"
_SCALAR: Final = rf'(?:"({_TEXT})"|({_WHOLE})|({_FRACTION})|({_WORD}))'
_BEHIND: Final = rf"{_SPACE},{_SPACE}"
_MEMBER: Final = re.compile(rf'"({_TEXT})"{_SPACE}:{_SPACE}{_SCALAR}{_BEHIND}(?=")')
_ITEM: Final = re.compile(rf'{_SCALAR}{_BEHIND}(?=["0-9-])')
# Without groups: in a possessive repeat they may raise SystemError ("span of capturing group is wrong").
_RUN: Final = re.compile(
    rf'(?:"{_TEXT}"{_SPACE}:{_SPACE}(?:"{_TEXT}"|{_FRACTION}|{_WHOLE}|{_WORD}){_BEHIND}(?=")){{16,4096}}+'
)
_WORDS: Final = {"true": True, "false": False, "null": None}


class PlainMembers(NamedTuple):
    """Many plain members of one object, read by the scanner of the standard library."""

    values: dict[str, JsonValue]
    """Name and value of each; no name stands twice."""
    end: int
    find: Callable[[str], tuple[JsonNode, JsonNode] | None]
    """Key and value of the member of a name, with their places: worked out only when asked."""


def read_run(source: BodyText, position: int, known: Mapping[str, JsonValue]) -> PlainMembers | None:
    """The run that begins at `position`; None where there is none, or a name is repeated or `known`."""
    match = _RUN.match(source.text, position, source.end)
    if not match:
        return None
    decoded = decode("{" + match.group().rstrip().removesuffix(",") + "}")
    if decoded is None or not isinstance(decoded[0], dict) or not known.keys().isdisjoint(decoded[0]):
        return None
    return PlainMembers(decoded[0], match.end(), partial(_find, source, position))


def _find(source: BodyText, position: int, name: str) -> tuple[JsonNode, JsonNode] | None:
    found: dict[str, tuple[JsonNode, JsonNode]] = {}
    read_plain_members(source, position, lambda key, value: found.setdefault(str(key.value), (key, value)))
    return found.get(name)


def read_plain_members(source: BodyText, position: int, add: Callable[[JsonNode, JsonNode], object]) -> int:
    """Give `add` the plain members that begin at `position`, key and value; the position behind them."""
    while match := _MEMBER.match(source.text, position, source.end):
        add(JsonNode(match[1], position, match.end(1) + 1), _scalar(match, 2))
        position = match.end()
    return position


def read_plain_items(source: BodyText, position: int, add: Callable[[JsonNode], None]) -> int:
    """Give `add` the plain items that begin at `position`; the position behind them."""
    while match := _ITEM.match(source.text, position, source.end):
        add(_scalar(match, 1))
        position = match.end()
    return position


def _scalar(match: "re.Match[str]", first: int) -> JsonNode:
    """The value of a match whose group `first` is a string's inside; integer, fraction and word follow it."""
    group = match.lastindex or first
    start, end = match.span(group)
    written = match[group]
    if group == first:
        return JsonNode(written, start - 1, end + 1)
    if group == first + 1:
        return JsonNode(int(written), start, end)
    return JsonNode(_WORDS[written] if group == first + 3 else float(written), start, end)
