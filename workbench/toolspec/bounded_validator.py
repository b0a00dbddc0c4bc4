"""jsonschema's validator with a limit on its work, and with patterns run by RE2.

A schema is a program: 3 KB of `$ref` and `allOf` with two branches each, thirty levels deep, take a billion steps. So
each keyword is counted before it runs, and each error that it reports, see `workbench.toolspec.budget`.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, Final, cast

from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]  untyped there
from jsonschema_specifications import REGISTRY  # pyright: ignore[reportMissingTypeStubs]  untyped
from referencing.jsonschema import DRAFT7, DRAFT201909, DRAFT202012

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.budget import spend
from workbench.toolspec.drafts import Draft
from workbench.toolspec.evaluated import (
    REFERRING,
    evaluated_items,
    evaluated_names,
    looked_up,
    nesting,
    target_of,
)
from workbench.toolspec.patterns import is_found, pattern_problem

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
"""Checks a keyword.

Arguments: the validator, the keyword's value, the instance, the schema that contains the keyword.
"""

_KEYWORD_STEPS: Final = 3
_BRANCH_STEPS: Final = 4
"""Cost of each subschema that is visited."""
_REFERENCE_STEPS: Final = 40
_ERROR_STEPS: Final = 8
"""Cost of an error per level that it is passed up."""
_CHARS_PER_STEP: Final = 100
"""An error quotes its instance; this many characters are written in a microsecond."""
_BRANCHING: Final = frozenset({"allOf", "anyOf", "oneOf", "dependentSchemas", "prefixItems"})
_ITERATING: Final = frozenset(
    {"items", "prefixItems", "contains", "propertyNames", "patternProperties", "additionalProperties"}
    | {"properties", "unevaluatedItems", "unevaluatedProperties", "uniqueItems"}
)
"""Keywords that visit every item of their instance."""


def bounded_validator(schema: JsonObject, draft: Draft = Draft.DRAFT_2020_12) -> Any:
    """Return a validator that fetches nothing and counts its work against the current budget.

    A reference that leads out of the schema, or to nothing in it, is not checked: see `unresolved_references`.

    Raises:
        Exception: An `$id` or `$ref` in the schema cannot be used. jsonschema and its libraries raise many types.
    """
    # Find all anchors once. Otherwise jsonschema searches the whole schema at each `$ref` to an anchor.
    resource = _SPECIFICATIONS[draft].create_resource(schema)
    uri = resource.id() or ""
    registry = REGISTRY.with_resource(uri, resource).crawl()
    return _BOUNDED[draft](schema, registry=registry, _resolver=registry.resolver(uri))


def unresolved_references(validator: Any, draft: Draft) -> Iterator[str]:
    """Yield the references of the validator's schema that it cannot follow, each once.

    They lead to other documents, or to nothing.
    """
    seen: set[tuple[str, str]] = set()
    waiting = [(validator.schema, validator._resolver)]
    while waiting:
        value, resolver = waiting.pop()
        if isinstance(value, list):
            waiting += [(item, resolver) for item in cast("list[Any]", value)]
        if not isinstance(value, dict):
            continue
        fields = cast("dict[str, Any]", value)
        resolver = resolver.in_subresource(_SPECIFICATIONS[draft].create_resource(fields))
        for keyword in REFERRING:
            reference = fields.get(keyword)
            if isinstance(reference, str) and (resolver._base_uri, reference) not in seen:
                seen.add((resolver._base_uri, reference))
                spend(_REFERENCE_STEPS + len(reference) // 4)
                if looked_up(resolver, keyword, reference) is None:
                    yield reference
        waiting += [(inner, resolver) for name, inner in fields.items() if name not in ("enum", "const")]


def _reference(keyword: str) -> Keyword:
    def check(validator: Any, reference: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
        target = target_of(validator, keyword, reference)
        if target is not None:
            yield from validator.descend(instance, target.contents, resolver=target.resolver)

    return check


def _counted(name: str, check: Keyword) -> Keyword:
    """Return a check that counts its work before it runs."""
    is_iterating, is_referring, is_branching = name in _ITERATING, name in REFERRING, name in _BRANCHING

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
        with nesting.of(1):
            for error in check(validator, value, instance, schema) or ():
                spend(_ERROR_STEPS if error.path else _ERROR_STEPS + len(error.message) // _CHARS_PER_STEP)
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
    validator: Any, additional: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    fields = cast("dict[str, JsonValue]", instance)
    extra = extra_names(fields, schema)
    if isinstance(additional, dict):
        for name in extra:
            yield from validator.descend(fields[name], additional, path=name)
    elif not additional and extra:
        yield ValidationError(f"Additional properties are not allowed ({len(extra)} unexpected)")


def extra_names(fields: JsonObject, schema: JsonObject) -> list[str]:
    """Return the names that match neither `properties` nor `patternProperties` of a schema, in the object's order.

    A pattern that cannot be run counts as matching any name.
    """
    declared, patterns = schema.get("properties"), schema.get("patternProperties")
    known = cast("Mapping[str, JsonValue]", declared if isinstance(declared, Mapping) else {})
    named = cast("Mapping[str, JsonValue]", patterns if isinstance(patterns, Mapping) else {})
    return [
        name
        for name in fields
        if name not in known and not any(_may_match(pattern, name) for pattern in named)
    ]


def _may_match(pattern: str, text: str) -> bool:
    return bool(pattern_problem(pattern)) or is_found(pattern, text)


def _enum(_validator: Any, choices: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not _is_among(instance, choices):
        yield ValidationError(f"{instance!r} is not one of {choices!r}")


def _const(_validator: Any, constant: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not _is_among(instance, [constant]):
        yield ValidationError(f"{constant!r} was expected")


def _unique_items(_validator: Any, is_unique: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if is_unique and isinstance(instance, list):
        items = cast("list[JsonValue]", instance)
        if len(set(map(_key, items))) < len(items):
            yield ValidationError(f"{items!r} has non-unique elements")


def _is_among(value: JsonValue, choices: list[JsonValue]) -> bool:
    if isinstance(value, str):
        return value in choices
    key = _key(value)
    return any(_key(choice) == key for choice in choices)


def _key(value: JsonValue) -> object:
    """Return a hashable key that is the same for values that are equal in JSON: 1 equals 1.0 but not true.

    The work is counted. Numbers become text, because Python's hashes of numbers are predictable: an attacker could
    write thousands of different numbers with the same hash.
    """
    spend(1)
    if isinstance(value, str):
        spend(len(value) // _CHARS_PER_STEP)
        return value
    if value is None or isinstance(value, bool):
        return (value,)
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) or value.is_integer()
        return ("number", repr(int(value) if is_whole else value))
    if isinstance(value, Mapping):
        return ("object", frozenset((name, _key(inner)) for name, inner in value.items()))
    return ("array", tuple(map(_key, value)))


def _unevaluated_items(validator: Any, _value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        items = cast("list[JsonValue]", instance)
        seen = evaluated_items(validator, items, schema)
        if left := [index for index in range(len(items)) if index not in seen]:
            yield ValidationError(f"Unevaluated items are not allowed ({len(left)} unexpected)")


def _unevaluated_properties(
    validator: Any, unevaluated: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        fields = cast("dict[str, JsonValue]", instance)
        seen = evaluated_names(validator, fields, schema)
        left = [
            name
            for name, value in fields.items()
            if name not in seen and next(validator.descend(value, unevaluated, path=name), None) is not None
        ]
        if left:
            yield ValidationError(f"Unevaluated properties are not allowed ({len(left)} unexpected)")


def _evolved(validator: Any, **changes: Any) -> Any:
    """Return the same validator for a part of its schema.

    jsonschema's own `evolve` follows a `$schema` in the part, and would continue with a validator that counts nothing.
    """
    fields = {
        "schema": validator.schema,
        "format_checker": validator.format_checker,
        "registry": validator._registry,
        "_resolver": validator._resolver,
    }
    return type(validator)(**(fields | changes))


def _bounded_class(validator: Any) -> Any:
    own: dict[str, Keyword] = {
        **{keyword: _reference(keyword) for keyword in REFERRING},
        # Drafts since 2019-09 have no `dependencies`, but schemas without `$schema` still use it.
        "dependencies": Draft7Validator.VALIDATORS["dependencies"],
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "enum": _enum,
        "const": _const,
        "uniqueItems": _unique_items,
        "unevaluatedItems": _unevaluated_items,
        "unevaluatedProperties": _unevaluated_properties,
    }
    known = {**cast("Mapping[str, Keyword]", validator.VALIDATORS), **own}
    counted = {name: _counted(name, check) for name, check in known.items()}
    bounded = cast(Any, extend)(validator, counted)
    bounded.evolve = _evolved
    return bounded


_SPECIFICATIONS: Final[Mapping[Draft, Any]] = {
    Draft.DRAFT_7: DRAFT7,
    Draft.DRAFT_2019_09: DRAFT201909,
    Draft.DRAFT_2020_12: DRAFT202012,
}
_VALIDATORS: Final[Mapping[Draft, Any]] = {
    Draft.DRAFT_7: Draft7Validator,
    Draft.DRAFT_2019_09: Draft201909Validator,
    Draft.DRAFT_2020_12: Draft202012Validator,
}
_BOUNDED: Final[Mapping[Draft, Any]] = {
    draft: _bounded_class(validator) for draft, validator in _VALIDATORS.items()
}


def meta_schema_of(draft: Draft) -> JsonObject:
    """Return the meta-schema that a schema of this draft must satisfy."""
    return cast(JsonObject, _VALIDATORS[draft].META_SCHEMA)
