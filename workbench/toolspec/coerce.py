"""Find the types that a schema allows, and convert a string to one of them without loss."""

import json
import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Final, NamedTuple, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.toolspec.budget import BudgetExceeded

ALL_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "null", "object", "array"})
"""*Source:* https://json-schema.org/draft/2020-12/json-schema-validation, section 6.1.1."""
ANY: Final = "any"
"""Added to all types if a schema does not restrict them."""
_ANYTHING: Final = ALL_TYPES | {ANY}
_MAX_DEPTH: Final = 30
_MAX_SCHEMAS: Final = 50_000
"""Limit on the schemas that are visited for one value, because a few lines of `$ref` can expand to billions."""

_MAX_BRANCHES: Final = 200

Path = tuple[str | int, ...]
"""Keys and indexes from the arguments to a value inside them."""


class Coercion(NamedTuple):
    """A string that is converted to the type that its schema requires."""

    path: Path
    before: str
    after: JsonValue


def types_allowed(schema: JsonValue, root: JsonObject) -> frozenset[str]:
    """Return the JSON types that `schema` allows. All types if it does not restrict them.

    Args:
        schema: A JSON Schema, or a part of one.
        root: The whole schema, to which local `$ref`s refer.
    """
    return _types(schema, _Root(root), _MAX_DEPTH) - {ANY}


def argument_kinds(parameters: JsonObject, name: str) -> frozenset[str] | None:
    """Return the JSON types that are allowed for an argument, and `ANY` if nothing restricts them.

    None if no part of the schema is about an argument with this name.

    Args:
        parameters: The schema of all arguments.
        name: Name of the argument, whether it is declared or not.
    """
    return _member_types(parameters, _Root(parameters), name, _MAX_DEPTH)


class _Root:
    """The whole schema, and how many of its parts may still be visited."""

    __slots__ = ("left", "schema")

    def __init__(self, schema: JsonObject) -> None:
        self.schema = schema
        self.left = _MAX_SCHEMAS


def _types(schema: JsonValue, root: _Root, depth: int) -> frozenset[str]:
    root.left -= 1
    if not isinstance(schema, Mapping) or depth == 0 or root.left < 0:
        return _ANYTHING
    allowed = _named(schema.get("type"))
    if "properties" in schema or "items" in schema:
        allowed -= {ANY}
    if isinstance(enum := schema.get("enum"), list | tuple):
        allowed &= frozenset(kind for value in enum for kind in _kinds(value))
    if "const" in schema:
        allowed &= _kinds(schema["const"])
    if "$ref" in schema:
        allowed &= _types(_resolved(schema["$ref"], root.schema), root, depth - 1)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(keyword), list | tuple):
            allowed &= frozenset[str]().union(*(_types(branch, root, depth - 1) for branch in branches))
    if isinstance(branches := schema.get("allOf"), list | tuple):
        allowed = allowed.intersection(*(_types(branch, root, depth - 1) for branch in branches))
    return allowed | {"null"} if schema.get("nullable") is True else allowed


def _member_types(schema: JsonValue, root: _Root, name: str, depth: int) -> frozenset[str] | None:
    """Return the types for a member of an object, or None if `schema` says nothing about it."""
    root.left -= 1
    if not isinstance(schema, Mapping) or depth == 0 or root.left < 0:
        return None
    member = _member(schema, name)
    found: list[frozenset[str] | None] = []
    if member is not None:
        found.append(_types(member, root, depth - 1))
    if "$ref" in schema:
        found.append(_member_types(_resolved(schema["$ref"], root.schema), root, name, depth - 1))
    for keyword in ("anyOf", "oneOf", "allOf"):
        if isinstance(branches := schema.get(keyword), list | tuple):
            inner = [_member_types(branch, root, name, depth - 1) for branch in branches]
            known = [types for types in inner if types is not None]
            if keyword == "allOf":
                found += known
            elif known:
                found.append(frozenset[str]().union(*known))
    known = [types for types in found if types is not None]
    return _ANYTHING.intersection(*known) if known else None


def _member(schema: JsonObject, name: str) -> JsonValue:
    """Return the schema of a member of an object, or None if `schema` has none for it."""
    if isinstance(declared := schema.get("properties"), Mapping) and name in declared:
        return declared[name]
    if isinstance(patterns := schema.get("patternProperties"), Mapping):
        for pattern, member in patterns.items():
            if _is_named(pattern, name):
                return member
    others = schema.get("additionalProperties")
    return others if isinstance(others, Mapping) else None


def _is_named(pattern: str, name: str) -> bool:
    """Return whether a pattern matches a name. False if it cannot be run, or takes too much work."""
    from workbench.toolspec.patterns import is_found, pattern_problem

    try:
        return not pattern_problem(pattern) and is_found(pattern, name)
    except BudgetExceeded:
        return False


def _named(named: JsonValue) -> frozenset[str]:
    names = [named] if isinstance(named, str) else named if isinstance(named, list | tuple) else None
    if names is None:
        return _ANYTHING
    known = frozenset(str(name) for name in names) & ALL_TYPES
    return known | {"integer"} if "number" in known else known


def _kinds(value: JsonValue) -> frozenset[str]:
    """Return all types of a value: 3 and 3.0 are both integers and numbers."""
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return frozenset({"integer", "number"})
    if isinstance(value, float):
        return frozenset({"number"})
    return frozenset(
        {"string" if isinstance(value, str) else "object" if isinstance(value, Mapping) else "array"}
    )


def fits(value: JsonValue, allowed: frozenset[str]) -> bool:
    """Return whether the type of `value` is one of `allowed`."""
    return bool(_kinds(value) & allowed)


def _resolved(reference: JsonValue, root: JsonObject) -> JsonValue:
    """Return the target of a local `$ref`. For any other reference, return an empty schema, which allows anything."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return {}
    found: JsonValue = root
    for part in _ESCAPED.sub(_unescaped, reference).split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, list | tuple) and _INDEX.fullmatch(name) and int(name) < len(found):
            found = cast("list[JsonValue]", found)[int(name)]
        else:
            return None
    return found


_INDEX: Final = re.compile("[0-9]{1,9}")
_ESCAPED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})++")
"""Characters of a URI that are escaped. *Source:* RFC 3986, section 2.1."""


def _unescaped(escaped: "re.Match[str]") -> str:
    return bytes.fromhex(escaped[0].replace("%", "")).decode(errors="replace")


def find_coercions(schema: JsonObject, arguments: JsonObject) -> tuple[Coercion, ...]:
    """Find strings in `arguments` that contain the JSON of an allowed value where the schema does not allow strings.

    >>> find_coercions({"properties": {"n": {"type": "integer"}}}, {"n": "42"})
    (Coercion(path=('n',), before='42', after=42),)
    >>> find_coercions({"properties": {"n": {"type": "integer"}}}, {"n": "007"})
    ()
    """
    return tuple(_walk(schema, _Root(schema), arguments, ()))


def _walk(schema: JsonValue, root: _Root, value: JsonValue, path: Path) -> Iterable[Coercion]:
    if not isinstance(schema, Mapping) or len(path) > _MAX_DEPTH:
        return
    if isinstance(value, str):
        if schema.get("type") == "string":
            return
        yield from _from_string(value, _types(schema, root, _MAX_DEPTH), path)
        return
    if "$ref" in schema:
        schema = _resolved(schema["$ref"], root.schema)
        if not isinstance(schema, Mapping):
            return
    if isinstance(value, Mapping):
        yield from _walk_object(schema, root, value, path)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _walk(_item_schema(schema, index), root, item, (*path, index))


def _item_schema(schema: JsonObject, index: int) -> JsonValue:
    """Return the schema of an array's item: that of its place in a tuple, or `items`."""
    for keyword, rest in (("prefixItems", "items"), ("items", "additionalItems")):
        fixed = schema.get(keyword)
        if isinstance(fixed, list | tuple):
            return fixed[index] if index < len(fixed) else schema.get(rest)
    return schema.get("items")


def _walk_object(schema: JsonObject, root: _Root, value: JsonObject, path: Path) -> Iterable[Coercion]:
    for name, inner in value.items():
        member = _member(schema, name)
        if member is not None:
            yield from _walk(member, root, inner, (*path, name))


def _from_string(text: str, allowed: frozenset[str], path: Path) -> Iterable[Coercion]:
    if "string" in allowed or not allowed or text != text.strip():
        return
    try:
        value = cast(
            JsonValue,
            json.loads(text, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse),
        )
    except (ValueError, RecursionError):
        return
    if fits(value, allowed):
        yield Coercion(path, text, value)


def types_instead_of_string(schema: JsonObject, path: Path) -> frozenset[str]:
    """Return the types to one of which `find_coercions` may convert a string at `path`; empty if it stays a string.

    >>> sorted(types_instead_of_string({"properties": {"n": {"items": {"type": "integer"}}}}, ("n", 0)))
    ['integer']
    >>> sorted(types_instead_of_string({"properties": {"n": {"items": {"type": "string"}}}}, ("n", 0)))
    []
    """
    root, part = _Root(schema), cast(JsonValue, schema)
    for step in path:
        if isinstance(part, Mapping) and "$ref" in part:
            part = _resolved(part["$ref"], schema)
        if not isinstance(part, Mapping):
            return frozenset()
        part = _item_schema(part, step) if isinstance(step, int) else _member(part, step)
    if not isinstance(part, Mapping):
        return frozenset()
    allowed = _types(part, root, _MAX_DEPTH)
    return frozenset() if "string" in allowed else allowed


def declared_names(schema: JsonObject, path: Path) -> frozenset[str]:
    """Return the properties that `schema` declares for the object at `path`, in any of its branches.

    >>> sorted(declared_names({"properties": {"a": {"items": {"anyOf": [{"properties": {"b": {}}}]}}}}, ("a", 0)))
    ['b']
    """
    parts = _branches([schema], schema)
    for step in path:
        key = "items" if isinstance(step, int) else step
        inside = parts if isinstance(step, int) else [as_object(part.get("properties")) for part in parts]
        parts = _branches([part.get(key) for part in inside], schema)
    return frozenset(name for part in parts for name in as_object(part.get("properties")))


def _branches(schemas: Iterable[JsonValue], root: JsonObject) -> list[JsonObject]:
    """Return the schemas with those that `$ref`, `anyOf`, `oneOf` and `allOf` lead to, at most `_MAX_BRANCHES`."""
    found: list[JsonObject] = []
    waiting = list(schemas)
    while waiting and len(found) < _MAX_BRANCHES:
        schema = waiting.pop()
        if isinstance(schema, Mapping):
            found.append(schema)
            waiting.extend([_resolved(schema["$ref"], root)] if "$ref" in schema else ())
            for keyword in ("anyOf", "oneOf", "allOf"):
                branches = schema.get(keyword)
                waiting.extend(branches if isinstance(branches, list | tuple) else ())
    return found


def is_converted(text: str, allowed: frozenset[str]) -> bool:
    """Return whether a string becomes a value of one of these types, none of which is a string.

    >>> is_converted("42", frozenset({"integer"})), is_converted("007", frozenset({"integer"}))
    (True, False)
    """
    return any(True for _ in _from_string(text, allowed, ()))


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key appears twice, and converting it would lose one")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError("not finite")
    return value


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def coerced(arguments: JsonObject, found: Iterable[Coercion]) -> JsonObject:
    """Return `arguments` with the coercions applied."""
    tree: _Tree = {}
    for coercion in found:
        branch = tree
        for step in coercion.path[:-1]:
            branch = cast(_Tree, branch.setdefault(step, {}))
        branch[coercion.path[-1]] = coercion
    return cast(JsonObject, _rebuilt(arguments, tree))


_Tree = dict[str | int, "Coercion | _Tree"]


def _rebuilt(value: JsonValue, tree: "Coercion | _Tree | None") -> JsonValue:
    if tree is None:
        return value
    if isinstance(tree, Coercion):
        return tree.after
    if isinstance(value, Mapping):
        return {name: _rebuilt(inner, tree.get(name)) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(inner, tree.get(index)) for index, inner in enumerate(value)]
    return value
