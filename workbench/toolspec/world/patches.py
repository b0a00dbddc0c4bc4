"""Change a world with JSON Patch, and read it at JSON Pointers. *Source:* RFC 6901, RFC 6902 and RFC 7396.

The world of a session is one object, with the world of each toolset under the toolset's name:

    {"shop": {"orders": {"o1": {"status": "paid"}}}, "desk": {"tickets": {}}}

A session starts with the empty object. Each message stores the patch of what changed with it, so the world at a message
is the replay of the patches on the path to it. A branch therefore has the world of its own path, and nothing else.

Only `apply_in_place` changes a value that it gets.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, cast

import jsonpatch
import orjson

from workbench.chat.json_value import (
    MAX_JSON_DEPTH,
    JsonObject,
    JsonValue,
    is_too_deep,
    pointer,
    pointer_parts,
)
from workbench.errors import BadInput

WorldPatch = tuple[JsonObject, ...]
"""The operations of a JSON Patch, in order."""
MAX_WORLD_BYTES: Final = 1_000_000
"""Largest world of a session, as JSON in UTF-8."""
_MOST_NAMED: Final = 5
_MISSING: Final = object()


def copy_of_world(value: object, where: str = "the world") -> JsonValue:
    """Return an independent copy of a world, with lists and dicts only.

    Raises:
        BadInput: It is not JSON, is too large, or is nested too deeply.
    """
    if is_too_deep(value):
        raise BadInput(where, f"it is nested over {MAX_JSON_DEPTH} levels deep", "make it flatter")
    try:
        data = orjson.dumps(value, default=_plain)
    except (TypeError, ValueError) as error:
        raise BadInput(where, f"it is not JSON: {error}", "use objects, arrays, texts, numbers") from error
    if b"\\u0000" in data:
        raise BadInput(where, "it contains NUL (U+0000), which cannot be stored", "remove it")
    if len(data) > MAX_WORLD_BYTES:
        problem = f"it has {len(data):,} bytes as JSON, more than the limit of {MAX_WORLD_BYTES:,}"
        raise BadInput(where, problem, "leave out what no tool needs")
    return cast(JsonValue, orjson.loads(data))


def patch_value(documents: object) -> WorldPatch:
    """Convert the JSON of a change of the world. None stands for no change.

    Raises:
        ValueError: It is not a JSON Patch.
    """
    operations = cast(Iterable[object], documents or ())
    for operation in operations:
        place = cast(Mapping[str, object], operation).get("path") if isinstance(operation, dict) else None
        if not isinstance(place, str):
            raise ValueError(f"world_patch: not a change: {operation!r}"[:80])
    return cast(WorldPatch, tuple(operations))


def _copied(value: object) -> Any:
    return orjson.loads(orjson.dumps(value, default=_plain))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast(Mapping[object, object], value))
    raise TypeError(f"{type(value).__name__} is not a type of JSON")


def find_in_world(world: JsonValue, place: str) -> JsonValue:
    """Return the value at a JSON Pointer.

    >>> find_in_world({"orders": {"o1": {"paid": True}}}, "/orders/o1/paid")
    True
    >>> find_in_world({"orders": {"o1": {}}}, "/orders/o2")
    Traceback (most recent call last):
        ...
    workbench.errors.BadInput: world /orders/o2: nothing is there (/orders has o1)

    Raises:
        BadInput: The pointer is not valid, or leads nowhere. The message says what is there instead.
    """
    if place and not place.startswith("/"):
        raise BadInput(f"world {place}", "a pointer begins with /", f"write /{place}")
    parts, value = pointer_parts(place), world
    for depth, part in enumerate(parts):
        inner = _member(value, part)
        if inner is _MISSING:
            parent = pointer(parts[:depth]) or "the world"
            raise BadInput(f"world {place}", "nothing is there", f"{parent} {_described(value)}")
        value = cast(JsonValue, inner)
    return value


def _member(value: JsonValue, part: str) -> object:
    if isinstance(value, Mapping):
        return value.get(part, _MISSING)
    if isinstance(value, list | tuple) and part.isdecimal() and (part == "0" or part[0] != "0"):
        return value[int(part)] if len(part) < 10 and int(part) < len(value) else _MISSING
    return _MISSING


def _described(value: JsonValue) -> str:
    if isinstance(value, Mapping):
        names = [str(name)[:40] for name in value]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"has {', '.join(names[:_MOST_NAMED])}{more}" if names else "is empty"
    if isinstance(value, list | tuple):
        return f"is a list of {len(value)}"
    return "is neither an object nor a list"


def patched_world(world: JsonValue, patches: Iterable[WorldPatch]) -> JsonValue:
    """Return the world after patches, in order.

    >>> patched_world({}, [({"op": "add", "path": "/shop", "value": {"stock": 3}},)])
    {'shop': {'stock': 3}}

    Raises:
        BadInput: A patch does not fit the world.
    """
    value = cast(JsonValue, _copied(world))
    for patch in patches:
        value = apply_in_place(value, patch)
    return value


def apply_in_place(world: JsonValue, patch: WorldPatch) -> JsonValue:
    """Change a world that nobody else uses, and return it.

    Raises:
        BadInput: The patch does not fit the world, which may then be changed in part.
    """
    try:
        # Copied, because the library puts values of the patch into the world, where later operations change them.
        return cast(JsonValue, jsonpatch.apply_patch(world, _copied(patch), in_place=True))
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError) as error:
        problem = f"a change does not fit: {' '.join(str(error).split())[:200]}"
        raise BadInput("the world of the session", problem) from error


def replayed(patches: Iterable[WorldPatch], start: JsonObject | None = None) -> JsonObject:
    """Return the world of a session after the patches of its messages, in the order of its path.

    Args:
        start: The world before the first patch; None is the empty one.

    Raises:
        BadInput: A patch does not fit the world.
    """
    return cast(JsonObject, patched_world(start or {}, patches))


def patch_between(before: JsonValue, after: JsonValue) -> WorldPatch:
    """Return the patch that makes one world from another. Empty if they are equal."""
    return tuple(cast(list[JsonObject], jsonpatch.make_patch(before, after).patch))


def within(toolset: str, patch: WorldPatch) -> WorldPatch:
    """Return an independent copy of a patch of a toolset's world, as a patch of the session's world.

    >>> within("shop", ({"op": "remove", "path": "/orders/o1"},))
    ({'op': 'remove', 'path': '/shop/orders/o1'},)
    """
    start = pointer([toolset])
    places = ("path", "from")
    return tuple(
        {key: start + value if key in places else value for key, value in operation.items()}
        for operation in _copied(patch)
    )


def merged_world(world: JsonValue, changes: JsonValue) -> JsonValue:
    """Return a world with a JSON Merge Patch applied: objects are merged, and null removes a member.

    >>> merged_world({"stock": {"a": 1, "b": 2}}, {"stock": {"a": 5, "b": None}})
    {'stock': {'a': 5}}
    """
    if not isinstance(changes, Mapping):
        return changes
    merged = dict(world) if isinstance(world, Mapping) else {}
    for name, value in changes.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merged_world(merged.get(name), value)
    return merged


def merge_patch_between(before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the JSON Merge Patch from one world to another. It cannot set a value to null, which removes it.

    >>> merge_patch_between({"stock": {"a": 1, "b": 2}}, {"stock": {"a": 5}})
    {'stock': {'b': None, 'a': 5}}
    """
    patch: dict[str, JsonValue] = {name: None for name in before if name not in after}
    for name, new in after.items():
        old = before.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            if inner := merge_patch_between(old, new):
                patch[name] = inner
        elif name not in before or world_changes(old, new):
            patch[name] = new
    return patch


class ChangeKind(StrEnum):
    """What happened to a value of the world."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class WorldChange(NamedTuple):
    """One value that differs between two worlds."""

    kind: ChangeKind
    place: str
    """Its JSON Pointer."""
    before: JsonValue
    """None if it was added."""
    after: JsonValue
    """None if it was removed."""


def world_changes(before: JsonValue, after: JsonValue) -> tuple[WorldChange, ...]:
    """Return what differs between two worlds, for people: in the order of the new world, removed values last.

    >>> [change.place for change in world_changes({"a": {"b": 1}, "c": 2}, {"a": {"b": 3, "d": []}})]
    ['/a/b', '/a/d', '/c']
    """
    return tuple(_changes(before, after, ""))


def _changes(before: JsonValue, after: JsonValue, place: str) -> Iterable[WorldChange]:
    old, new = _members(before), _members(after)
    if old is None or new is None or isinstance(before, Mapping) is not isinstance(after, Mapping):
        # As JSON, because 1 equals true and 1.0 in Python.
        if orjson.dumps(before, default=_plain) != orjson.dumps(after, default=_plain):
            yield WorldChange(ChangeKind.CHANGED, place, before, after)
        return
    for name, value in new.items():
        if name in old:
            yield from _changes(old[name], value, place + pointer([name]))
        else:
            yield WorldChange(ChangeKind.ADDED, place + pointer([name]), None, value)
    for name, value in old.items():
        if name not in new:
            yield WorldChange(ChangeKind.REMOVED, place + pointer([name]), value, None)


def _members(value: JsonValue) -> Mapping[str | int, JsonValue] | None:
    if isinstance(value, Mapping):
        return cast(Mapping[str | int, JsonValue], value)
    return dict(enumerate(value)) if isinstance(value, list | tuple) else None
