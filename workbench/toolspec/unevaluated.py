"""What other keywords of a schema have looked at, for `unevaluatedItems` and `unevaluatedProperties`.

jsonschema's own search runs patterns by `re` and counts nothing.

*Source:* JSON Schema Draft 2020-12, core, 11.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.budget import spend
from workbench.toolspec.patterns import is_found, pattern_problem

_STEPS: Final = 10
"""For each schema that is looked into."""

_Search = Callable[[Any, Any, Any], set[Any]]


def evaluated_names(validator: Any, fields: JsonObject, schema: Any) -> set[str]:
    """The names of an object's properties that `schema` says something about.

    Args:
        validator: Knows where references of the schema lead.
        fields: The object.
        schema: Which of its keywords are asked.
    """
    if not isinstance(schema, dict):
        return set()
    spend(_STEPS + len(fields))
    asked = cast(JsonObject, schema)
    found = set(fields).intersection(cast("JsonObject", asked.get("properties") or {}))
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in asked:
            found |= {name for name, value in fields.items() if _is_valid(validator, value, asked[keyword])}
    for pattern in cast("JsonObject", asked.get("patternProperties") or {}):
        found |= {name for name in fields if pattern_problem(pattern) or is_found(pattern, name)}
    for name, inner in cast("JsonObject", asked.get("dependentSchemas") or {}).items():
        if name in fields:
            found |= evaluated_names(validator, fields, inner)
    return found | _in_branches(evaluated_names, validator, fields, asked)


def evaluated_items(validator: Any, items: list[JsonValue], schema: Any) -> set[int]:
    """The places of an array's items that `schema` says something about.

    Args:
        validator: Knows where references of the schema lead.
        items: The array.
        schema: Which of its keywords are asked.
    """
    if not isinstance(schema, dict):
        return set()
    spend(_STEPS + len(items))
    asked = cast(JsonObject, schema)
    if "items" in asked:
        return set(range(len(items)))
    found = set(range(min(len(items), len(cast("list[JsonValue]", asked.get("prefixItems") or [])))))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in asked:
            found |= {place for place, one in enumerate(items) if _is_valid(validator, one, asked[keyword])}
    return found | _in_branches(evaluated_items, validator, items, asked)


def _in_branches(search: _Search, validator: Any, value: Any, schema: JsonObject) -> set[Any]:
    """The same, of the schemas that are applied to the value itself and that it fits."""
    found: set[Any] = set()
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            there = validator._resolver.lookup(schema[keyword])
            inside = validator.evolve(schema=there.contents, _resolver=there.resolver)
            found |= search(inside, value, there.contents)
    for branch in _branches(validator, value, schema):
        found |= search(validator, value, branch)
    return found


def _branches(validator: Any, value: Any, schema: JsonObject) -> Iterator[JsonValue]:
    for keyword in ("allOf", "oneOf", "anyOf"):
        for branch in cast("list[JsonValue]", schema.get(keyword) or []):
            if _is_valid(validator, value, branch):
                yield branch
    if "if" in schema:
        is_so = _is_valid(validator, value, schema["if"])
        if is_so:
            yield schema["if"]
        yield schema.get("then" if is_so else "else", True)


def _is_valid(validator: Any, value: JsonValue, schema: JsonValue) -> bool:
    return next(validator.descend(value, schema), None) is None
