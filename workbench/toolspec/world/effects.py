"""Effects: what a mock rule changes in the world of its toolset."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue, pointer, pointer_parts
from workbench.errors import BadInput
from workbench.toolspec.world.patches import WorldPatch, apply_in_place, find_in_world, patched_world


class EffectKind(StrEnum):
    """What an effect does with the value at its pointer."""

    SET = "set"
    """Give it a value. The object or list around it must exist."""
    APPEND = "append"
    """Add a value to the end of a list."""
    REMOVE = "remove"
    INCREMENT = "increment"
    """Add a number to it, which may be negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One change, with all templates filled in or still to fill in."""

    kind: EffectKind
    place: str
    """JSON Pointer into the world of the toolset."""
    value: JsonValue = field(default=None, hash=False)
    """The new value, or the number to add. Not used by `remove`."""


def applied_effects(world: JsonValue, effects: Iterable[Effect]) -> tuple[JsonValue, WorldPatch]:
    """Return the world after effects in order, and the patch that leads to it. Each effect sees the ones before it.

    >>> applied_effects({"n": 1}, [Effect(kind=EffectKind.INCREMENT, place="/n", value=2)])
    ({'n': 3}, ({'op': 'replace', 'path': '/n', 'value': 3},))

    Raises:
        BadInput: An effect has a pointer that leads nowhere, or a value of another type than it needs.
    """
    patch: list[JsonObject] = []
    world = patched_world(world, ())
    for number, effect in enumerate(effects, start=1):
        try:
            operation = _operation(world, effect)
        except BadInput as error:
            where = f"effect {number} ({effect.kind} {effect.place[:200]})"
            raise BadInput(where, error.problem, error.remedy) from error
        world = apply_in_place(world, (operation,))
        patch.append(operation)
    return world, tuple(patch)


def _operation(world: JsonValue, effect: Effect) -> JsonObject:
    place, value = effect.place, effect.value
    if effect.kind is EffectKind.SET:
        is_new = place != "" and not isinstance(_around(world, place), list | tuple)
        if not is_new:
            find_in_world(world, place)
        return {"op": "add" if is_new else "replace", "path": place, "value": value}
    current = find_in_world(world, place)
    if effect.kind is EffectKind.REMOVE:
        if not place:
            raise BadInput("world", "the whole world cannot be removed")
        return {"op": "remove", "path": place}
    if effect.kind is EffectKind.APPEND:
        if not isinstance(current, list | tuple):
            raise BadInput("world", "it is not a list", "use `set`, or a pointer to a list")
        return {"op": "add", "path": f"{place}/-", "value": value}
    numbers = (current, value)
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        raise BadInput("world", f"{str(current)[:40]!r} plus {str(value)[:40]!r} is not a sum of numbers")
    return {"op": "replace", "path": place, "value": cast(float, current) + cast(float, value)}


def _around(world: JsonValue, place: str) -> JsonValue:
    """Return the object or list that the value at a pointer is in.

    Raises:
        BadInput: There is none.
    """
    if not place.startswith("/"):
        find_in_world(world, place)
    parts = pointer_parts(place)
    around = find_in_world(world, pointer(parts[:-1]))
    if not isinstance(around, dict | list | tuple):
        raise BadInput("world", f"{pointer(parts[:-1]) or 'the world'} is neither an object nor a list")
    return around
