"""Find which properties and items of a value a schema evaluates, for `unevaluatedProperties` and `unevaluatedItems`."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import local
from typing import Any, Final, cast

from referencing.exceptions import Unresolvable
from referencing.jsonschema import lookup_recursive_ref

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.budget import spend
from workbench.toolspec.patterns import is_found, pattern_problem

REFERRING: Final = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that refer to another schema."""
_STEPS: Final = 10
"""Cost of each schema that is visited."""

_MAX_NESTED: Final = 220
"""How deep keywords are checked inside each other. Each level needs three calls of Python's thousand."""
_BRANCH_LEVELS: Final = 3
"""Levels that a search for evaluated names or items counts as."""

_Search = Callable[[Any, Any, Any], set[Any]]


class _Nesting(local):
    """Counts the keywords of a thread that are being checked inside each other.

    Python's own limit would be too late: where it is reached inside of rpds, a library of `referencing`, that raises an
    error that is not an `Exception`.
    """

    levels = 0

    @contextmanager
    def of(self, levels: int) -> Generator[None]:
        """Count some levels inside a `with` block.

        Raises:
            RecursionError: They are too many.
        """
        self.levels += levels
        try:
            if self.levels > _MAX_NESTED:
                raise RecursionError
            yield
        finally:
            self.levels -= levels


nesting: Final = _Nesting()


def evaluated_names(validator: Any, fields: JsonObject, schema: Any) -> set[str]:
    """Return the names of an object's properties that `schema` evaluates.

    Args:
        validator: Resolves references of the schema.
        fields: The object.
        schema: The schema whose keywords are examined.
    """
    if not isinstance(schema, dict):
        return set()
    spend(_STEPS + len(fields))
    keywords = cast(JsonObject, schema)
    found = set(fields).intersection(cast("JsonObject", keywords.get("properties") or {}))
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in keywords:
            found |= {
                name for name, value in fields.items() if _is_valid(validator, value, keywords[keyword])
            }
    for pattern in cast("JsonObject", keywords.get("patternProperties") or {}):
        found |= {name for name in fields if pattern_problem(pattern) or is_found(pattern, name)}
    for name, inner in cast("JsonObject", keywords.get("dependentSchemas") or {}).items():
        if name in fields:
            found |= evaluated_names(validator, fields, inner)
    return found | _in_branches(evaluated_names, validator, fields, keywords)


def evaluated_items(validator: Any, items: list[JsonValue], schema: Any) -> set[int]:
    """Return the indexes of an array's items that `schema` evaluates.

    Args:
        validator: Resolves references of the schema.
        items: The array.
        schema: The schema whose keywords are examined.
    """
    if not isinstance(schema, dict):
        return set()
    spend(_STEPS + len(items))
    keywords = cast(JsonObject, schema)
    positions = keywords.get("prefixItems", [])
    if "items" in keywords:
        positions = keywords["items"]
        # Before 2020-12, a list has one schema for each position, and `additionalItems` is for the others.
        if not isinstance(positions, list) or "additionalItems" in keywords:
            return set(range(len(items)))
    found = set(range(min(len(items), len(cast("list[JsonValue]", positions)))))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in keywords:
            found |= {
                index for index, item in enumerate(items) if _is_valid(validator, item, keywords[keyword])
            }
    return found | _in_branches(evaluated_items, validator, items, keywords)


def _in_branches(search: _Search, validator: Any, value: Any, schema: JsonObject) -> set[Any]:
    """Run `search` on the subschemas that apply to the same value and that the value satisfies."""
    found: set[Any] = set()
    with nesting.of(_BRANCH_LEVELS):
        for keyword in REFERRING:
            if keyword in schema:
                target = target_of(validator, keyword, schema[keyword])
                if target is None:
                    # Nothing is known about it, so it may evaluate everything.
                    return set(
                        cast("dict[str, Any]", value) if isinstance(value, dict) else range(len(value))
                    )
                inside = validator.evolve(schema=target.contents, _resolver=target.resolver)
                found |= search(inside, value, target.contents)
        for branch in _branches(validator, value, schema):
            found |= search(validator, value, branch)
    return found


def _branches(validator: Any, value: Any, schema: JsonObject) -> Iterator[JsonValue]:
    for keyword in ("allOf", "oneOf", "anyOf"):
        for branch in cast("list[JsonValue]", schema.get(keyword) or []):
            if _is_valid(validator, value, branch):
                yield branch
    if "if" in schema:
        is_met = _is_valid(validator, value, schema["if"])
        if is_met:
            yield schema["if"]
        yield schema.get("then" if is_met else "else", True)


def _is_valid(validator: Any, value: JsonValue, schema: JsonValue) -> bool:
    return next(validator.descend(value, schema), None) is None


def target_of(validator: Any, keyword: str, reference: Any) -> Any:
    """Return the target of a reference with its resolver, or None if it cannot be followed."""
    return looked_up(validator._resolver, keyword, reference)


def looked_up(resolver: Any, keyword: str, reference: str) -> Any:
    """Return what a reference leads to from a resolver, or None if it cannot be followed."""
    try:
        return lookup_recursive_ref(resolver) if keyword == "$recursiveRef" else resolver.lookup(reference)
    except (Unresolvable, ValueError, TypeError):
        # Also a JSON pointer that is not one, such as an index that is not a number.
        return None
