"""Change a value inside JSON text, and leave the rest of the text as its author wrote it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, load_json

_SPACE: Final = " \t\n\r"
_DECODER: Final = json.JSONDecoder()


def patched_json(text: str, value: JsonObject) -> str:
    """Return the text with another value. Members that are equal keep their text, and new ones follow its layout.

    Args:
        text: JSON with an object.
        value: The new object. Its members are written in its order.

    Raises:
        ValueError: The text is not JSON, or is not an object.

    Example:
        >>> patched_json('{"a": [1,2],  "b": 1}', {"a": [1, 2], "b": 2, "c": 3})
        '{"a": [1,2],  "b": 2,  "c": 3}'
    """
    if not isinstance(load_json(text), Mapping):
        raise ValueError("not an object")
    start = _after_space(text, 0)
    patched, end = _patched(text, start, value)
    return text[:start] + patched + text[end:]


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: where its separator, key and value are."""

    start: int
    """After the previous member, or after the brace."""
    key_start: int
    value_start: int
    end: int


def _patched(text: str, start: int, value: JsonValue) -> tuple[str, int]:
    """Return the text of the value that starts there, changed to `value`, and where it ended."""
    old, end = cast(tuple[JsonValue, int], _DECODER.raw_decode(text, start))
    # Not `==`, for which 1 equals true.
    if json.dumps(old) == json.dumps(value):
        return text[start:end], end
    if isinstance(old, dict) and isinstance(value, dict) and old and value:
        return _patched_object(text, start, value), end
    return _dumped(text, start, value), end


def _patched_object(text: str, start: int, value: JsonObject) -> str:
    members, close = _members(text, start)
    first = next(iter(members.values()))
    lead = text[first.start : first.key_start]
    more = [text[member.start : member.key_start] for member in members.values() if member is not first]
    separator = more[0] if more else "," + (lead or " ")
    last = list(members.values())[-1]
    pieces = ["{"]
    for place, (key, new) in enumerate(value.items()):
        member = members.get(key)
        if place == 0:
            pieces.append(lead)
        elif member is None or member is first:
            pieces.append(separator)
        else:
            pieces.append(text[member.start : member.key_start])
        if member is None:
            # As in the first member: its colon, and the indentation of its line.
            pieces.append(json.dumps(key, ensure_ascii=False))
            colon = text[first.key_start : first.value_start]
            pieces.append(colon[colon.rindex(":") :])
            pieces.append(_dumped(text, first.key_start, new))
        else:
            pieces.append(text[member.key_start : member.value_start])
            pieces.append(_patched(text, member.value_start, new)[0])
    return "".join([*pieces, text[last.end : close + 1]])


def _members(text: str, start: int) -> tuple[dict[str, _Member], int]:
    """Return the members of a non-empty object by name, in order, and where its closing brace is."""
    found: dict[str, _Member] = {}
    place = start + 1
    while True:
        key_start = _after_space(text, _after_space(text, place) + (text[_after_space(text, place)] == ","))
        key, key_end = cast(tuple[str, int], _DECODER.raw_decode(text, key_start))
        value_start = _after_space(text, _after_space(text, key_end) + 1)
        end: int = _DECODER.raw_decode(text, value_start)[1]
        found[key] = _Member(place, key_start, value_start, end)
        place = end
        if text[_after_space(text, place)] == "}":
            return found, _after_space(text, place)


def _after_space(text: str, place: int) -> int:
    while text[place] in _SPACE:
        place += 1
    return place


def _dumped(text: str, place: int, value: JsonValue) -> str:
    """Return a new value as JSON, indented like the line of `place`, or on one line if the text is on one line."""
    if "\n" not in text.strip():
        return json.dumps(value, ensure_ascii=False)
    line = text[text.rfind("\n", 0, place) + 1 :]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", "\n" + indent)


def _unit(text: str) -> int | str:
    """Return the indentation of the first indented line."""
    for line in text.splitlines()[1:]:
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if indent and line.strip():
            return indent
    return 2
