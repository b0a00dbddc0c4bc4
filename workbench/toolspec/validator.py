"""JSON Schema validators that fetch nothing and whose work is limited."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, Final, cast

import jsonschema_rs
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, is_too_deep, pointer
from workbench.chat.short_text import shortened
from workbench.toolspec.bounded_validator import bounded_validator, meta_schema_of, unresolved_references
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.drafts import Draft
from workbench.toolspec.normal_schema import NormalSchema
from workbench.toolspec.patterns import pattern_problem
from workbench.toolspec.plain_schema import is_surely_valid_schema
from workbench.toolspec.spec import ToolSpec

Checked = tuple[Validator | None, tuple[Finding, ...]]
"""A validator, or None if the schema is invalid, and the warnings about the schema."""

MAX_SCHEMA_DEPTH: Final = 200
"""How deep objects and lists may be nested in a schema. The validators recurse once per level."""
_MAX_UNCHECKED: Final = 100
_CACHE_KEY: Final = "_validator"


def validator_of(spec: ToolSpec) -> Checked:
    """Return the validator of the spec's parameters. It is cached next to the spec's own cached properties.

    Raises:
        BudgetExceeded: Building it takes too much work.
    """
    cache = cast("dict[str, object]", spec.__dict__)
    if _CACHE_KEY not in cache:
        with budget() as own:
            try:
                cache[_CACHE_KEY] = _build(spec.normal)
            except BudgetExceeded as error:
                # Inside a request, work for other specs may have used up the budget. Do not blame this spec.
                if not own.is_used_up:
                    raise
                cache[_CACHE_KEY] = None, (_invalid_schema(error.problem),)
    return cast(Checked, cache[_CACHE_KEY])


def check_schema(schema: JsonObject, draft: Draft = Draft.DRAFT_2020_12) -> None:
    """Check that `schema` is a valid JSON Schema.

    Raises:
        SchemaError: It is invalid, or nested too deeply.
        BudgetExceeded: It is too large to find the problem.
    """
    if is_surely_valid_schema(schema):
        return
    if is_too_deep(schema, MAX_SCHEMA_DEPTH - 1):
        raise SchemaError(f"it is nested over {MAX_SCHEMA_DEPTH} levels deep")
    if _meets_meta_schema(schema, draft):
        return
    with budget():
        for error in _meta_validator(draft).iter_errors(schema):
            raise cast(Any, SchemaError).create_from(error)


def _build(normal: NormalSchema) -> Checked:
    schema = normal.schema
    try:
        check_schema(schema, normal.draft)
        validator = bounded_validator(schema, normal.draft)
        references = list(unresolved_references(validator, normal.draft))
    except SchemaError as error:
        return None, (_invalid_schema(error.message),)
    except BudgetExceeded:
        raise
    except Exception as error:  # noqa: BLE001  the libraries below raise many kinds for an `$id` they cannot use
        return None, (_invalid_schema(str(error)),)
    unchecked = {
        **{
            pattern: _unchecked_pattern(pattern, problem)
            for pattern in _patterns(schema)
            if (problem := pattern_problem(pattern))
        },
        **{reference: _unchecked_reference(reference) for reference in references},
    }
    return validator, tuple(
        replace(finding, pointer=_place_of(schema, text))
        for text, finding in islice(unchecked.items(), _MAX_UNCHECKED)
    )


def _unchecked_pattern(pattern: str, problem: str) -> Finding:
    return _warning("schema-pattern", f"pattern {shortened(pattern, 20)!r} is not checked: {problem}")


def _unchecked_reference(reference: str) -> Finding:
    message = f"$ref {shortened(reference, 40)!r} leads to nothing in the schema, so it is not checked"
    return _warning("schema-ref", message)


def _invalid_schema(problem: str) -> Finding:
    return _warning(
        "schema-invalid", f"the arguments were not checked because the schema is invalid: {problem}"
    )


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, message=shortened(message), severity=Severity.WARNING)


def _place_of(schema: JsonObject, text: str) -> str:
    """Return the pointer to the first pattern or reference with this text, from the spec."""
    waiting: list[tuple[JsonValue, tuple[str | int, ...]]] = [(schema, ("function", "parameters"))]
    while waiting:
        value, where = waiting.pop()
        if isinstance(value, Mapping):
            for name, inner in cast(JsonObject, value).items():
                if text in (name, inner):
                    return pointer([*where, name])
                waiting.append((inner, (*where, name)))
        elif isinstance(value, list):
            waiting += [(inner, (*where, index)) for index, inner in enumerate(value)]
    return "/function/parameters"


def _patterns(schema: JsonValue) -> Iterator[str]:
    """Yield every pattern in `schema`."""
    for value in _parts(schema):
        if isinstance(value, Mapping):
            if isinstance(pattern := value.get("pattern"), str):
                yield pattern
            if isinstance(names := value.get("patternProperties"), Mapping):
                yield from names


def _parts(value: JsonValue) -> Iterator[JsonValue]:
    """Yield the value and everything in it, without recursion, because it may be nested deeply."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Mapping):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)


def _meets_meta_schema(schema: JsonObject, draft: Draft) -> bool:
    """Return True if the schema certainly matches the meta-schema. False may only mean that it cannot be converted."""
    try:
        return _quick_meta(draft).is_valid(schema)
    except ValueError:
        return False


_QUICK: Final[Mapping[Draft, Any]] = {
    Draft.DRAFT_7: jsonschema_rs.Draft7Validator,
    Draft.DRAFT_2019_09: jsonschema_rs.Draft201909Validator,
    Draft.DRAFT_2020_12: jsonschema_rs.Draft202012Validator,
}


@cache
def _quick_meta(draft: Draft) -> Any:
    return _QUICK[draft](meta_schema_of(draft))


@cache
def _meta_validator(draft: Draft) -> Any:
    """Return a validator that reports where a schema violates the meta-schema."""
    return bounded_validator(meta_schema_of(draft), draft)
