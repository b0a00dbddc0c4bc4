"""The fast path for valid JSON: the standard library's decoder, plus the checks that it lacks."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonValue
from workbench.hermes.text.completion import BodyText, JsonNode

_MAX_DEPTH: Final = 500
_HALF: Final = re.compile(r"\\u[dD]")


class _NotPlain(Exception):
    """The text may be valid JSON but needs the recovering reader, which reports problems such as duplicate keys."""


def decode(payload: str) -> tuple[JsonValue, int] | None:
    """Decode the JSON value at the start of `payload`. Return it and its end, or None if it needs the recovering
    reader.

    None means that the text is not JSON, or contains a duplicate key, a non-finite number or half of a surrogate pair.
    Pass the payload alone instead of a long text with a start position: a failing decoder counts all lines up to the
    failure.
    """
    if ("\\" in payload and _HALF.search(payload)) or not is_utf8(payload):
        return None
    try:
        value, end = _raw_decode(payload)
    except (ValueError, RecursionError, _NotPlain):
        return None
    if len(payload) > 2 * _MAX_DEPTH and _has_many_brackets(payload) and _is_deep(value):
        return None
    return value, end


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _NotPlain
    return value


def _finite(text: str) -> float:
    value = float(text)
    if value in _INFINITIES:
        raise _NotPlain
    return value


def _refuse(text: str) -> float:
    raise _NotPlain


_INFINITIES: Final = (float("inf"), float("-inf"))
_raw_decode: Final = cast(
    Callable[[str], tuple[JsonValue, int]],
    json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse).raw_decode,
)


def is_utf8(text: str) -> bool:
    """Return whether `text` can be written as UTF-8, that is, has no half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_many_brackets(payload: str) -> bool:
    # `find` of one character is many times faster than `count` in text with few matches.
    left = _MAX_DEPTH
    for bracket in "{[":
        position = payload.find(bracket)
        while position >= 0 and left:
            left -= 1
            position = payload.find(bracket, position + 1)
    return not left


def _is_deep(value: JsonValue) -> bool:
    level: list[JsonValue] = [value]
    depth = 0
    while level and depth <= _MAX_DEPTH:
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
_TEXT: Final = r'[^"\\\x00-\x1f\ud800-\udfff]{0,200}+'  # limited, so that a long string is not scanned twice
_WHOLE: Final = r"-?(?:0|[1-9][0-9]{0,17})"
_FRACTION: Final = rf"{_WHOLE}\.[0-9]{{1,17}}"
_WORD: Final = "true|false|null"
_SCALAR: Final = rf'(?:"({_TEXT})"|({_WHOLE})|({_FRACTION})|({_WORD}))'
_COMMA: Final = rf"{_SPACE},{_SPACE}"
_MEMBER: Final = re.compile(rf'"({_TEXT})"{_SPACE}:{_SPACE}{_SCALAR}{_COMMA}(?=")')
_ITEM: Final = re.compile(rf'{_SCALAR}{_COMMA}(?=["0-9-])')
# No groups: inside a possessive repeat, Python may raise SystemError ("span of capturing group is wrong").
_RUN: Final = re.compile(
    rf'(?:"{_TEXT}"{_SPACE}:{_SPACE}(?:"{_TEXT}"|{_FRACTION}|{_WHOLE}|{_WORD}){_COMMA}(?=")){{16,4096}}+'
)
_WORDS: Final = {"true": True, "false": False, "null": None}


class PlainMembers(NamedTuple):
    """Consecutive plain members of one object, decoded by the standard library."""

    values: dict[str, JsonValue]
    """Name and value of each member. Names are unique."""
    end: int
    pairs: Callable[[], Mapping[str, tuple[JsonNode, JsonNode]]]
    """Returns key and value of each member with their positions, which are only computed on demand."""


def read_consecutive(source: BodyText, position: int, known: Mapping[str, JsonValue]) -> PlainMembers | None:
    """Read consecutive plain members. Return None if there are none, or if a name is repeated or `known`."""
    match = _RUN.match(source.text, position, source.end)
    if not match:
        return None
    decoded = decode("{" + match.group().rstrip().removesuffix(",") + "}")
    if decoded is None or not isinstance(decoded[0], dict) or not known.keys().isdisjoint(decoded[0]):
        return None
    return PlainMembers(decoded[0], match.end(), cache(partial(_pairs, source, position)))


def _pairs(source: BodyText, position: int) -> Mapping[str, tuple[JsonNode, JsonNode]]:
    found: dict[str, tuple[JsonNode, JsonNode]] = {}
    read_plain_members(source, position, lambda key, value: found.setdefault(str(key.value), (key, value)))
    return found


def read_plain_members(source: BodyText, position: int, add: Callable[[JsonNode, JsonNode], object]) -> int:
    """Call `add` with key and value of each plain member from `position` on. Return the position after them."""
    while match := _MEMBER.match(source.text, position, source.end):
        add(JsonNode(match[1], position, match.end(1) + 1), _scalar(match, 2))
        position = match.end()
    return position


def read_plain_items(source: BodyText, position: int, add: Callable[[JsonNode], None]) -> int:
    """Call `add` with each plain item from `position` on. Return the position after them."""
    while match := _ITEM.match(source.text, position, source.end):
        add(_scalar(match, 1))
        position = match.end()
    return position


def _scalar(match: "re.Match[str]", first: int) -> JsonNode:
    """Return the scalar of a match. Its groups from `first` on are: string content, integer, fraction, word."""
    group = match.lastindex or first
    start, end = match.span(group)
    written = match[group]
    if group == first:
        return JsonNode(written, start - 1, end + 1)
    if group == first + 1:
        return JsonNode(int(written), start, end)
    return JsonNode(_WORDS[written] if group == first + 3 else float(written), start, end)
