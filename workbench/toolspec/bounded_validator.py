"""jsonschema's validator with a limit on its work and with patterns run by RE2.

A schema is a program: `$ref` and `allOf` of two branches each, thirty levels deep, ask for a billion steps in 3 KB. So
each keyword pays for itself before it runs (see `workbench.toolspec.budget`), and for each error that it reports.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, Final, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]  untyped there
from jsonschema_specifications import REGISTRY  # pyright: ignore[reportMissingTypeStubs]  untyped
from referencing.jsonschema import DRAFT202012

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


Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
"""A keyword's check: the validator, the keyword's value, the instance, the schema around it."""

_KEYWORD_STEPS: Final = 3
_BRANCH_STEPS: Final = 4
"""For each schema that is descended into."""
_REFERENCE_STEPS: Final = 40
_ERROR_STEPS: Final = 8
"""For each level that an error passes on its way up."""
_CHARS_A_STEP: Final = 100
"""An error quotes its instance: so many characters of it are made in a microsecond."""
_BRANCHING: Final = frozenset({"allOf", "anyOf", "oneOf", "dependentSchemas", "prefixItems"})
_REFERRING: Final = frozenset({"$ref", "$dynamicRef"})
_ITERATING: Final = frozenset(
    {
        "items",
        "prefixItems",
        "contains",
        "propertyNames",
        "patternProperties",
        "additionalProperties",
        "properties",
    }
    | {"unevaluatedItems", "unevaluatedProperties", "uniqueItems"}
)
"""Keywords that look at every item of their instance."""


def bounded_validator(schema: JsonObject) -> Any:
    """A validator of Draft 2020-12 that fetches nothing; its work is paid for from the open budget.

    Raises:
        Exception: Of jsonschema's and its libraries' many kinds: an `$id` or a `$ref` in it cannot be used.
    """
    # Anchors are looked for once here; jsonschema alone would look through the whole schema at each `$ref` to one.
    resource = DRAFT202012.create_resource(cast(Any, schema))
    uri = resource.id() or ""
    registry = REGISTRY.with_resource(uri, cast(Any, resource)).crawl()
    return _Bounded(schema, registry=registry, _resolver=registry.resolver(uri))


def _counted(name: str, check: Keyword) -> Keyword:
    """The keyword, paying for itself."""
    is_iterating, is_referring, is_branching = name in _ITERATING, name in _REFERRING, name in _BRANCHING

    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Generator[ValidationError]:
        steps = _KEYWORD_STEPS
        if is_referring:
            steps += _REFERENCE_STEPS + len(str(value)) // 4
        elif isinstance(value, list | dict):
            steps += (
                _BRANCH_STEPS * len(cast(list[Any], value))
                if is_branching
                else len(cast(list[Any], value)) // 4
            )
        if is_iterating and isinstance(instance, list | dict):
            steps += _BRANCH_STEPS * len(cast(list[Any], instance))
        spend(steps)
        for error in check(validator, value, instance, schema) or ():
            spend(_ERROR_STEPS if error.path else _ERROR_STEPS + len(error.message) // _CHARS_A_STEP)
            yield error

    return counted


def _pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _may_match(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            if pattern_problem(pattern):
                continue
            for name, value in cast("dict[str, JsonValue]", instance).items():
                if is_found(pattern, name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    fields = cast("dict[str, JsonValue]", instance)
    extra = extra_names(fields, schema)
    if isinstance(wanted, dict):
        for name in extra:
            yield from validator.descend(fields[name], wanted, path=name)
    elif not wanted and extra:
        yield ValidationError(f"Additional properties are not allowed ({len(extra)} unexpected)")


def extra_names(fields: JsonObject, schema: JsonObject) -> list[str]:
    """The names that neither `properties` nor `patternProperties` of a schema speak of, in order.

    A pattern that cannot be run may match any name.
    """
    declared, patterns = schema.get("properties"), schema.get("patternProperties")
    known = cast("Mapping[str, JsonValue]", declared if isinstance(declared, Mapping) else {})
    named = cast("Mapping[str, JsonValue]", patterns if isinstance(patterns, Mapping) else {})
    return [name for name in fields if name not in known and not any(_may_match(one, name) for one in named)]


def _may_match(pattern: str, text: str) -> bool:
    return bool(pattern_problem(pattern)) or is_found(pattern, text)


def _enum(_validator: Any, choices: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not _is_among(instance, choices):
        yield ValidationError(f"{instance!r} is not one of {choices!r}")


def _const(_validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not _is_among(instance, [wanted]):
        yield ValidationError(f"{wanted!r} was expected")


def _unique_items(_validator: Any, is_wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if is_wanted and isinstance(instance, list):
        items = cast("list[JsonValue]", instance)
        if len(set(map(_key, items))) < len(items):
            yield ValidationError(f"{items!r} has non-unique elements")


def _is_among(value: JsonValue, choices: list[JsonValue]) -> bool:
    if isinstance(value, str):
        return value in choices
    wanted = _key(value)
    return any(_key(one) == wanted for one in choices)


def _key(value: JsonValue) -> object:
    """What equal values, as JSON has it, share: 1 is 1.0, and not true. It can be hashed, and is paid for.

    A number is kept as text: Python's hashes of numbers are known, and thousands of equal ones can be made.
    """
    spend(1)
    if isinstance(value, str):
        spend(len(value) // _CHARS_A_STEP)
        return value
    if value is None or isinstance(value, bool):
        return (value,)
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) or value.is_integer()
        return ("number", repr(int(value) if is_whole else value))
    if isinstance(value, Mapping):
        return ("object", frozenset((name, _key(inner)) for name, inner in value.items()))
    return ("array", tuple(map(_key, value)))


def _unevaluated_items(validator: Any, _wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        items = cast("list[JsonValue]", instance)
        seen = evaluated_items(validator, items, schema)
        if left := [place for place in range(len(items)) if place not in seen]:
            yield ValidationError(f"Unevaluated items are not allowed ({len(left)} unexpected)")


def _unevaluated_properties(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        fields = cast("dict[str, JsonValue]", instance)
        seen = evaluated_names(validator, fields, schema)
        left = [
            name
            for name, value in fields.items()
            if name not in seen and next(validator.descend(value, wanted, path=name), None) is not None
        ]
        if left:
            yield ValidationError(f"Unevaluated properties are not allowed ({len(left)} unexpected)")


def _evolved(validator: Any, **changes: Any) -> Any:
    """The same validator for a part of its schema.

    jsonschema's own `evolve` follows a `$schema` inside, and would go on with a validator that counts nothing.
    """
    fields = {
        "schema": validator.schema,
        "format_checker": validator.format_checker,
        "registry": validator._registry,
        "_resolver": validator._resolver,
    }
    return type(validator)(**(fields | changes))


def _bounded_class() -> Any:
    own: dict[str, Keyword] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "enum": _enum,
        "const": _const,
        "uniqueItems": _unique_items,
        "unevaluatedItems": _unevaluated_items,
        "unevaluatedProperties": _unevaluated_properties,
    }
    known = {**cast("Mapping[str, Keyword]", Draft202012Validator.VALIDATORS), **own}
    counted = {name: _counted(name, check) for name, check in known.items()}
    bounded = cast(Any, extend)(Draft202012Validator, counted)
    bounded.evolve = _evolved
    return bounded


_Bounded: Final = _bounded_class()
