"""Find the nulls in arguments that Arrow filled in.

Arrow gives all objects of a column the same keys and fills the gaps with null. So the arguments of one tool get the
names of the arguments of all others, and a null for each optional argument that was not given:

    {"city": "Oslo"} becomes {"city": "Oslo", "days": null, "zone": null}

A null that the schema allows may mean something and stays. So does one for a required argument: without it, the call
would be wrong in another way.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, cast

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue, pointer, pointer_parts
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import ToolSpec

_CACHE_KEY: Final = "_closed"
_OPENING: Final = frozenset(
    {
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
    }
)
"""Keywords that may allow properties that are not listed."""
_MOST_IN_UNION: Final = 50
"""Nulls inside a value of several possible types that are looked at one by one."""


_FEWEST_FILLED: Final = 2
"""Fewest members of an object that Arrow filled: a single null may be what the model wrote."""


def close_spec(spec: ToolSpec) -> ToolSpec:
    """Return the spec with `additionalProperties: false` on objects that do not say anything about others.

    JSON Schema allows properties that are not listed, but a model must not learn arguments that the tool does
    not have. Computed once per spec and kept on the spec.
    """
    cache = cast("dict[str, object]", spec.__dict__)
    if _CACHE_KEY not in cache:
        parameters = _closed(spec.schema)
        cache[_CACHE_KEY] = ToolSpec.of_function({**spec.function, "parameters": parameters})
    return cast(ToolSpec, cache[_CACHE_KEY])


def filled_nulls(spec: ToolSpec, arguments: JsonObject) -> tuple[str, ...]:
    """Return JSON pointers to the nulls that Arrow filled in, at every depth."""
    if not any(True for _ in _nulls(arguments, ())):
        return ()
    closed = close_spec(spec)
    wrong = _wrong_places(closed, arguments)
    filled = [place for place in wrong if place and _at(arguments, pointer_parts(place)) is None]
    if len(_wrong_places(closed, without_nulls_at(arguments, filled))) > len(wrong) - len(filled):
        # Without a null for a required argument, that argument is missing.
        filled = [
            place
            for place in filled
            if len(_wrong_places(closed, without_nulls_at(arguments, [place]))) < len(wrong)
        ]
    filled += _undeclared(closed, arguments)
    for place in _wrong_places(closed, without_nulls_at(arguments, filled)):
        filled += _in_union(closed, arguments, filled, place)
    return tuple(dict.fromkeys(filled + _empty_objects(closed, arguments, filled)))


def without_nulls_at(arguments: JsonObject, pointers: Iterable[str]) -> JsonObject:
    """Return the arguments without the members that `filled_nulls` found."""
    for found in pointers:
        arguments = cast(JsonObject, _without(arguments, pointer_parts(found)))
    return arguments


def _empty_objects(spec: ToolSpec, arguments: JsonObject, filled: list[str]) -> list[str]:
    """Return the objects that hold nothing but nulls and are wrong, but need not be there.

    Arrow fills a missing object with all of its members: `"place": {"lat": null, "lon": null}`.
    """
    rest, found = without_nulls_at(arguments, filled), list[str]()
    for place in _wrong_places(spec, rest):
        for depth in range(1, len(pointer_parts(place)) + 1):
            parts = pointer_parts(place)[:depth]
            value = _at(arguments, parts)
            if not isinstance(value, Mapping) or len(value) < _FEWEST_FILLED or any(_leaves(value)):
                continue
            where = pointer([*parts])
            shorter = without_nulls_at(rest, [where])
            if len(_wrong_places(spec, shorter)) < len(_wrong_places(spec, rest)):
                rest = shorter
                found.append(where)
            break
    return found


def _leaves(value: JsonValue) -> Iterator[bool]:
    """Yield for each value that is not an object whether it says anything."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    else:
        yield value is not None


def _undeclared(spec: ToolSpec, arguments: JsonObject) -> Iterator[str]:
    """Yield the nulls at the top of the arguments of a tool that declares an empty list of parameters."""
    if spec.schema.get("properties") == {} and _OPENING.isdisjoint(spec.schema):
        yield from (pointer([name]) for name, value in arguments.items() if value is None)


def _in_union(spec: ToolSpec, arguments: JsonObject, filled: list[str], place: str) -> list[str]:
    """Return the nulls inside a wrong value whose removal makes it valid.

    A value that may be of several types has one finding, which does not name the null. So all nulls inside are
    removed, and those that the schema allows are put back one by one.
    """
    top = pointer_parts(place)
    inside = [pointer([*top, *parts]) for parts in _nulls(_at(arguments, top), ())]
    inside = [found for found in inside if found not in filled][:_MOST_IN_UNION]
    if place in _wrong_places(spec, without_nulls_at(arguments, [*filled, *inside])):
        return []
    for found in list(inside):
        rest = [other for other in inside if other != found]
        if place not in _wrong_places(spec, without_nulls_at(arguments, [*filled, *rest])):
            inside = rest
    return inside


def _wrong_places(spec: ToolSpec, arguments: JsonObject) -> list[str]:
    findings = check_arguments(spec, arguments)
    return [finding.pointer or "" for finding in findings if finding.severity is Severity.ERROR]


def _nulls(value: JsonValue, place: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the path of each member of an object that is null."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if inner is None:
                yield (*place, name)
            else:
                yield from _nulls(inner, (*place, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _nulls(inner, (*place, str(index)))


def _closed(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    schema_object = cast(JsonObject, schema)
    properties, items = schema_object.get("properties"), schema_object.get("items")
    if not (isinstance(properties, dict) or isinstance(items, dict)):
        return schema_object
    result = dict(schema_object)
    if isinstance(properties, dict):
        named = cast(JsonObject, properties)
        result["properties"] = {name: _closed(inside) for name, inside in named.items()}
        if named and _OPENING.isdisjoint(schema_object):
            result["additionalProperties"] = False
    if isinstance(items, dict):
        result["items"] = _closed(items)
    return result


def _at(value: JsonValue, parts: list[str]) -> JsonValue:
    for part in parts:
        if isinstance(value, Mapping):
            value = value.get(part, "")
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ""
    return value


def _without(value: JsonValue, parts: list[str]) -> JsonValue:
    if isinstance(value, Mapping):
        if len(parts) == 1:
            return {key: inside for key, inside in value.items() if key != parts[0]}
        return {
            key: _without(inside, parts[1:]) if key == parts[0] else inside for key, inside in value.items()
        }
    if isinstance(value, list) and len(parts) > 1:
        return [
            _without(inside, parts[1:]) if str(place) == parts[0] else inside
            for place, inside in enumerate(value)
        ]
    return value
