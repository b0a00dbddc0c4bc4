"""Follow JSON pointers into a row, also into columns that hold JSON as text.

A pointer goes on inside such a text: `/messages/0/content` is the same place whether `messages` is a list or its JSON.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, pointer_parts
from workbench.hermes.spelling.tools import template_json


def value_in_row(value: JsonValue, pointer: str) -> JsonValue:
    """Return the value at a JSON pointer into a row.

    >>> row = {"a": [{"b/c": 1}], "text": '[{"b": 2}]'}
    >>> value_in_row(row, "/a/0/b~1c"), value_in_row(row, "/text/0/b")
    (1, 2)

    Raises:
        LookupError: There is no such place.
    """
    for part in pointer_parts(pointer):
        value = _inside(value)
        if isinstance(value, Mapping):
            value = value[part]
        elif isinstance(value, list) and part.isdecimal():
            value = value[int(part)]
        else:
            raise LookupError(pointer)
    return value


def leads_somewhere(row: JsonObject, pointer: str) -> bool:
    """Whether a row has a value at a pointer."""
    try:
        value_in_row(row, pointer)
    except LookupError:
        return False
    return True


def with_value(value: JsonValue, parts: Sequence[str], new: JsonValue) -> JsonValue:
    """Return a copy of `value` with `new` at the path `parts`; only the last part may be missing."""
    if not parts:
        return new
    if isinstance(value, Mapping):
        if len(parts) == 1:
            return {**value, parts[0]: new}
        return {
            key: with_value(inner, parts[1:], new) if key == parts[0] else inner
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [
            with_value(inner, parts[1:], new) if str(place) == parts[0] else inner
            for place, inner in enumerate(value)
        ]
    inside = _inside(value)
    return value if inside is value else template_json(with_value(inside, parts, new))


def without(row: JsonObject, pointers: Iterable[str]) -> JsonObject:
    """Return a row without the values at some pointers, and without objects that are empty then.

    >>> without({"request": {"messages": [], "model": "m"}, "response": {"x": 1}}, ["/request/messages", "/response/x"])
    {'request': {'model': 'm'}}
    """
    for pointer in pointers:
        row = cast(JsonObject, _without(row, pointer_parts(pointer)))
    return row


_NOTHING: Final[JsonObject] = {}


def _without(value: JsonValue, parts: Sequence[str]) -> JsonValue:
    value = _inside(value)
    if isinstance(value, Mapping) and parts[0] in value:
        rest = _without(value[parts[0]], parts[1:]) if len(parts) > 1 else _NOTHING
        return {
            key: rest if key == parts[0] else member
            for key, member in value.items()
            if key != parts[0] or rest not in ({}, [], [{}])
        }
    if isinstance(value, list) and len(parts) > 1:
        return [
            _without(inner, parts[1:]) if str(place) == parts[0] else inner
            for place, inner in enumerate(value)
        ]
    return value


def _inside(value: JsonValue) -> JsonValue:
    """Return the list or object that a text holds as JSON; any other value unchanged."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return cast(JsonValue, json.loads(value))
        except (ValueError, RecursionError):
            pass
    return value
