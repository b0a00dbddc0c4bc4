"""JSON Schema validators that fetch nothing and do not run away."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]  untyped there
from referencing import Registry

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.patterns import is_compilable, longest_safe
from workbench.toolspec.quick import is_surely_sound
from workbench.toolspec.spec import ToolSpec

Checked = tuple[Validator | None, tuple[Finding, ...]]
"""A validator, or None where the schema is not sound; and what is to be told of it."""

_KEPT: Final = "_validator"


def validator_of(spec: ToolSpec) -> Checked:
    """The validator of the spec's parameters, made once and kept beside the spec's own cached properties."""
    kept = cast("dict[str, object]", spec.__dict__)
    if _KEPT not in kept:
        kept[_KEPT] = _build(spec.parameters)
    return cast(Checked, kept[_KEPT])


def check_schema(schema: JsonObject) -> None:
    """Raise jsonschema's SchemaError where `schema` is no schema."""
    if not is_surely_sound(schema):
        Draft202012Validator.check_schema(cast("dict[str, object]", schema))


def _build(schema: JsonObject) -> Checked:
    try:
        check_schema(schema)
    except (SchemaError, RecursionError) as error:
        problem = error.message if isinstance(error, SchemaError) else "it is nested too deep"
        return None, (
            _warning("schema-invalid", f"the arguments were not checked, the schema is not sound: {problem}"),
        )
    refused: list[str] = []
    bounded = _without_runaways(schema, refused)
    warnings = tuple(
        _warning("schema-pattern", f"the pattern {pattern[:30]!r} is not checked: it could run away")
        for pattern in refused
    )
    return _Bounded(cast("dict[str, object]", bounded), registry=_EMPTY), warnings


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, message=message[:99], severity=Severity.WARNING)


def _without_runaways(schema: JsonValue, refused: list[str]) -> JsonValue:
    """`schema` without the patterns that cannot be run safely; they are listed in `refused`."""
    if isinstance(schema, list | tuple):
        return [_without_runaways(item, refused) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    result = {key: _without_runaways(value, refused) for key, value in schema.items()}
    pattern = result.get("pattern")
    if isinstance(pattern, str) and not _is_safe(pattern):
        refused.append(pattern)
        del result["pattern"]
    names = result.get("patternProperties")
    if isinstance(names, Mapping) and (bad := [name for name in names if not _is_safe(name)]):
        refused.extend(bad)
        result["patternProperties"] = {name: value for name, value in names.items() if name not in bad}
        result.pop("additionalProperties", None)
    return result


def _is_safe(pattern: str) -> bool:
    return is_compilable(pattern) and longest_safe(pattern) > 0


def _pattern(
    validator: Validator, pattern: str, instance: object, schema: object
) -> Iterator[ValidationError]:
    if (
        isinstance(instance, str)
        and len(instance) <= longest_safe(pattern)
        and not re.search(pattern, instance)
    ):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_EMPTY: Final["Registry[bool | Mapping[str, object]]"] = Registry()
"""Knows no document and retrieves none: a remote `$ref` cannot be resolved."""
_Bounded: Final = cast("type[Draft202012Validator]", extend(Draft202012Validator, {"pattern": _pattern}))
