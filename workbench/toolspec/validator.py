"""JSON Schema validators that fetch nothing and whose work is limited."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, cast

import jsonschema_rs
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue, is_too_deep
from workbench.toolspec.bounded_validator import bounded_validator
from workbench.toolspec.budget import BudgetExceeded, budget, is_bounded
from workbench.toolspec.patterns import NOT_A_PATTERN, pattern_problem
from workbench.toolspec.quick import is_surely_valid_schema
from workbench.toolspec.spec import ToolSpec

Checked = tuple[Validator | None, tuple[Finding, ...]]
"""A validator, or None if the schema is invalid, and the warnings about the schema."""

MAX_SCHEMA_DEPTH: Final = 200
"""How deep objects and lists may be nested in a schema. The validators recurse once per level."""
_CACHE_KEY: Final = "_validator"


def validator_of(spec: ToolSpec) -> Checked:
    """Return the validator of the spec's parameters. It is cached next to the spec's own cached properties.

    Raises:
        BudgetExceeded: Building it takes too much work.
    """
    cache = cast("dict[str, object]", spec.__dict__)
    if _CACHE_KEY not in cache:
        try:
            cache[_CACHE_KEY] = _build(spec.parameters)
        except BudgetExceeded as error:
            # Inside a request, work for other specs may have used up the budget. Do not blame this spec.
            if is_bounded():
                raise
            cache[_CACHE_KEY] = _invalid_schema(error.problem)
    return cast(Checked, cache[_CACHE_KEY])


def check_schema(schema: JsonObject) -> None:
    """Check that `schema` is a valid JSON Schema.

    Raises:
        SchemaError: It is invalid, or nested too deeply.
        BudgetExceeded: It is too large to find the problem.
    """
    if is_surely_valid_schema(schema):
        return
    if is_too_deep(schema, MAX_SCHEMA_DEPTH - 1):
        raise SchemaError(f"it is nested over {MAX_SCHEMA_DEPTH} levels deep")
    if _meets_meta_schema(schema) and not any(map(_is_no_pattern, _patterns(schema))):
        return
    validator = _meta_validator()
    with budget():
        for error in validator.iter_errors(schema):
            raise cast(Any, SchemaError).create_from(error)


def _build(schema: JsonObject) -> Checked:
    try:
        check_schema(schema)
        validator = bounded_validator(schema)
    except SchemaError as error:
        return _invalid_schema(error.message)
    except BudgetExceeded:
        raise
    except Exception as error:  # noqa: BLE001  the libraries below raise many kinds for an `$id` they cannot use
        return _invalid_schema(str(error))
    refused = [pattern for pattern in _patterns(schema) if pattern_problem(pattern)]
    return validator, tuple(
        _warning("schema-pattern", f"the pattern {pattern[:20]!r} is not checked: {pattern_problem(pattern)}")
        for pattern in dict.fromkeys(refused)
    )


def _invalid_schema(problem: str) -> Checked:
    return None, (
        _warning(
            "schema-invalid", f"the arguments were not checked because the schema is invalid: {problem}"
        ),
    )


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, message=message[:99], severity=Severity.WARNING)


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


def _is_no_pattern(pattern: str) -> bool:
    return pattern_problem(pattern).startswith(NOT_A_PATTERN)


def _may_be_pattern(value: object) -> bool:
    return not isinstance(value, str) or not _is_no_pattern(value)


def _meets_meta_schema(schema: JsonObject) -> bool:
    """Return True if the schema certainly matches the meta-schema. False may only mean that it cannot be converted."""
    try:
        return _quick_meta().is_valid(schema)
    except ValueError:
        return False


@lru_cache(maxsize=1)
def _quick_meta() -> "jsonschema_rs.Draft202012Validator":
    return jsonschema_rs.Draft202012Validator(cast("dict[str, object]", Draft202012Validator.META_SCHEMA))


@lru_cache(maxsize=1)
def _meta_validator() -> Any:
    """Return a validator that reports where a schema violates the meta-schema or contains an invalid pattern."""
    checker = FormatChecker(formats=())
    cast(Any, checker).checks("regex")(_may_be_pattern)
    validator = bounded_validator(cast(JsonObject, Draft202012Validator.META_SCHEMA))
    return validator.evolve(format_checker=checker)
