"""JSON Schema validators that fetch nothing and cannot run away."""

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
from workbench.toolspec.quick import is_surely_sound
from workbench.toolspec.spec import ToolSpec

Checked = tuple[Validator | None, tuple[Finding, ...]]
"""A validator, or None where the schema is not sound; and what is to be told of it."""

MAX_SCHEMA_DEPTH: Final = 200
"""Objects and lists inside each other in a schema; the validators call themselves at each of them."""
_KEPT: Final = "_validator"


def validator_of(spec: ToolSpec) -> Checked:
    """The validator of the spec's parameters, made once and kept beside the spec's own cached properties.

    Raises:
        OverBudget: Making it takes too much work.
    """
    kept = cast("dict[str, object]", spec.__dict__)
    if _KEPT not in kept:
        try:
            kept[_KEPT] = _build(spec.parameters)
        except BudgetExceeded as error:
            # Within a request, the work for other specs may have used the budget up: it is not this spec's fault.
            if is_bounded():
                raise
            kept[_KEPT] = _unsound(error.problem)
    return cast(Checked, kept[_KEPT])


def check_schema(schema: JsonObject) -> None:
    """Raise jsonschema's SchemaError where `schema` is no schema.

    Raises:
        SchemaError: It is none, or it is nested too deep.
        OverBudget: It is too large to say where it is wrong.
    """
    if is_surely_sound(schema):
        return
    if is_too_deep(schema, MAX_SCHEMA_DEPTH - 1):
        raise SchemaError(f"it is nested over {MAX_SCHEMA_DEPTH} deep")
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
        return _unsound(error.message)
    except BudgetExceeded:
        raise
    except Exception as error:  # noqa: BLE001  the libraries below raise many kinds for an `$id` they cannot use
        return _unsound(str(error))
    refused = [pattern for pattern in _patterns(schema) if pattern_problem(pattern)]
    return validator, tuple(
        _warning("schema-pattern", f"the pattern {pattern[:20]!r} is not checked: {pattern_problem(pattern)}")
        for pattern in dict.fromkeys(refused)
    )


def _unsound(problem: str) -> Checked:
    return None, (
        _warning("schema-invalid", f"the arguments were not checked, the schema is not sound: {problem}"),
    )


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, message=message[:99], severity=Severity.WARNING)


def _patterns(schema: JsonValue) -> Iterator[str]:
    """Every pattern that stands anywhere in `schema`."""
    for value in _parts(schema):
        if isinstance(value, Mapping):
            if isinstance(pattern := value.get("pattern"), str):
                yield pattern
            if isinstance(names := value.get("patternProperties"), Mapping):
                yield from names


def _parts(value: JsonValue) -> Iterator[JsonValue]:
    """The value and all that is in it; without recursion, for it may be nested deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, Mapping):
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(one)


def _is_no_pattern(pattern: str) -> bool:
    return pattern_problem(pattern).startswith(NOT_A_PATTERN)


def _may_be_pattern(value: object) -> bool:
    return not isinstance(value, str) or not _is_no_pattern(value)


def _meets_meta_schema(schema: JsonObject) -> bool:
    """A quick yes; no says nothing, for the compiled validator cannot take every value."""
    try:
        return _quick_meta().is_valid(schema)
    except ValueError:
        return False


@lru_cache(maxsize=1)
def _quick_meta() -> "jsonschema_rs.Draft202012Validator":
    return jsonschema_rs.Draft202012Validator(cast("dict[str, object]", Draft202012Validator.META_SCHEMA))


@lru_cache(maxsize=1)
def _meta_validator() -> Any:
    """Says where a schema breaks the meta-schema, or has what is no pattern."""
    checker = FormatChecker(formats=())
    cast(Any, checker).checks("regex")(_may_be_pattern)
    validator = bounded_validator(cast(JsonObject, Draft202012Validator.META_SCHEMA))
    return validator.evolve(format_checker=checker)
