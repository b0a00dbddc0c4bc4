"""A fast path: recognize schemas and arguments that are certainly valid, so that jsonschema need not run."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import jsonschema_rs

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.coerce import ALL_TYPES
from workbench.toolspec.spec import ToolSpec

_CACHE_KEY: Final = "_quick"
_MAX_DEPTH: Final = 50
"""Schemas with more levels are left to jsonschema."""
_LARGEST: Final = 2**53
"""The compiled validator may compare numbers as doubles, which are exact below this limit."""


_MAX_CHECKS: Final = 400_000
"""Values that may need more checks are left to jsonschema. The compiled validator cannot be interrupted and blocks all
other Python threads. A check takes at most 0.6 µs, for comparing a number with a list of numbers."""
_PROPERTIES_PER_CHECK: Final = 8
"""Number of names that can be looked up in the time of one check."""
_FEW_CHECKS: Final = 200
"""With at most this many checks per value, no arguments of ordinary length need too many."""


def is_surely_valid_schema(schema: JsonObject) -> bool:
    """Return True if `schema` is certainly valid and both validators interpret it in the same way.

    False does not mean that it is invalid.
    """
    return _is_schema(schema, _MAX_DEPTH)


def matches_plainly(schema: Any, value: Any, depth: int = 8) -> bool:
    """Return True if a value certainly matches a schema that uses only the most common keywords, and if objects have
    no properties that the schema does not list. False does not mean that it does not match.

    The idea: in rows that declare their own tools, a schema is used once, so compiling it costs much more than
    looking at the three arguments of a call. Only the parts of the schema that apply to the value are read.

    >>> matches_plainly({"properties": {"n": {"type": "integer"}}, "required": ["n"]}, {"n": 1})
    True
    """
    if schema.__class__ is not dict or not depth:
        return False
    for key, limit in schema.items():
        if key == "type":
            if limit.__class__ is not str or value.__class__ not in _PLAIN_TYPES.get(limit, ()):
                return False
        elif key in _NO_CONSTRAINT:
            continue
        elif key == "properties":
            if limit.__class__ is not dict or value.__class__ is not dict:
                return False
            for name, inner in value.items():
                if name not in limit or not matches_plainly(limit[name], inner, depth - 1):
                    return False
        elif key == "required":
            if limit.__class__ is not list or value.__class__ is not dict:
                return False
            for name in limit:
                if name.__class__ is not str or name not in value:
                    return False
        elif key == "items":
            if value.__class__ is not list:
                return False
            for inner in value:
                if not matches_plainly(limit, inner, depth - 1):
                    return False
        elif key == "enum":
            if limit.__class__ is not list or value.__class__ is not str or value not in limit:
                return False
        elif key == "minimum":
            if limit.__class__ is not int or value.__class__ is not int or value < limit:
                return False
        elif key == "maximum":
            if limit.__class__ is not int or value.__class__ is not int or value > limit:
                return False
        elif key != "additionalProperties" or limit is not False:
            return False
    # Without `type` and `properties`, anything matches; leave such schemas to the validator.
    return "type" in schema or "properties" in schema


_PLAIN_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_NO_CONSTRAINT: Final = frozenset({"description", "title", "default", "examples", "$comment"})


def is_surely_valid(spec: ToolSpec, arguments: JsonObject) -> bool:
    """Return True if `check_arguments` would certainly find nothing. False does not mean that they are invalid."""
    cache = cast("dict[str, object]", spec.__dict__)
    if _CACHE_KEY not in cache:
        cache[_CACHE_KEY] = _build(spec.parameters)
    quick, checks = cast("tuple[jsonschema_rs.Draft202012Validator | None, int]", cache[_CACHE_KEY])
    if quick is None:
        return not spec.parameters
    if checks > _FEW_CHECKS and _has_over(arguments, _MAX_CHECKS // checks):
        return False
    try:
        return quick.is_valid(arguments)
    except ValueError:
        # It cannot convert some values, such as half of a surrogate pair. jsonschema checks those.
        return False


def _build(schema: JsonObject) -> "tuple[jsonschema_rs.Draft202012Validator | None, int]":
    """Return the compiled validator, or None if it cannot be used, and the maximum number of checks per value."""
    if not schema or not is_surely_valid_schema(schema):
        return None, 0
    try:
        return jsonschema_rs.Draft202012Validator(cast("dict[str, object]", schema)), _checks(schema)
    except ValueError:
        # The schema contains a text or number that it cannot convert.
        return None, 0


def _checks(schema: JsonValue) -> int:
    """Return an upper bound on the checks of one value against a valid schema.

    It counts the schema's keywords and choices, those of all branches, and those of the largest property.
    """
    if type(schema) is not dict:
        return 1
    fields = cast("dict[str, JsonValue]", schema)
    checks = 1
    for key, value in fields.items():
        if key in ("enum", "required"):
            checks += len(cast("list[JsonValue]", value))
        elif key in ("allOf", "anyOf", "oneOf"):
            checks += sum(map(_checks, cast("list[JsonValue]", value)))
        elif key == "properties":
            inner = cast("dict[str, JsonValue]", value)
            checks += len(inner) // _PROPERTIES_PER_CHECK + max(map(_checks, inner.values()), default=0)
        elif key in _NESTING:
            checks += _checks(value)
    return checks


def _has_over(value: JsonValue, most: int) -> bool:
    """Return whether `value` contains more than `most` values."""
    waiting = [value]
    while waiting and most >= 0:
        current = waiting.pop()
        inner = (
            current.values() if isinstance(current, dict) else current if isinstance(current, list) else ()
        )
        most -= 1 + len(cast("list[JsonValue]", inner))
        waiting.extend(inner if most >= 0 else ())
    return most < 0


def _is_schema(schema: Any, depth: int) -> bool:
    # `__class__` is faster than `type()`.
    if schema.__class__ is not dict:
        return schema.__class__ is bool
    for key, value in schema.items():
        # The keywords that most schemas consist of, without a call.
        if value.__class__ is str and (key == "description" or (key == "type" and value in ALL_TYPES)):
            continue
        if key == "properties":
            if value.__class__ is not dict or not depth:
                return False
            for inner in value.values():
                if not _is_schema(inner, depth - 1):
                    return False
        elif is_valid_value := _VALUES.get(key):
            if not is_valid_value(value):
                return False
        elif not (key in _NESTING and depth and _NESTING[key](value, depth - 1)):
            return False
    return True


def _is_text(value: JsonValue) -> bool:
    return type(value) is str


def _is_count(value: JsonValue) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _is_bound(value: JsonValue) -> bool:
    return type(value) in (int, float) and -_LARGEST < cast(float, value) < _LARGEST


def _is_type(value: JsonValue) -> bool:
    if type(value) is str:
        return value in ALL_TYPES
    return _is_list_of_names(value) and bool(value) and ALL_TYPES.issuperset(cast("list[str]", value))


def _is_list_of_names(value: Any) -> bool:
    if value.__class__ is not list:
        return False
    for name in value:
        if name.__class__ is not str:
            return False
    return len(set(value)) == len(value)


def _is_list(value: JsonValue) -> bool:
    return type(value) is list


def _is_choice(value: Any) -> bool:
    if value.__class__ is not list:
        return False
    for constant in value:  # noqa: SIM110  twice as fast as `all` with a generator
        if constant.__class__ is not str and not _is_plain(constant):
            return False
    return True


def _is_plain(value: JsonValue) -> bool:
    """Return whether a constant is a string, a boolean, null or a number that is not too large."""
    return value is None or type(value) in (str, bool) or _is_bound(value)


def _is_list_of_schemas(value: JsonValue, depth: int) -> bool:
    if type(value) is not list:
        return False
    schemas = cast("list[JsonValue]", value)
    return bool(schemas) and all(_is_schema(schema, depth) for schema in schemas)


_VALUES: Final[Mapping[str, Callable[[JsonValue], bool]]] = {
    "$comment": _is_text,
    "const": _is_plain,
    "default": lambda _: True,
    "deprecated": lambda value: type(value) is bool,
    "description": _is_text,
    "enum": _is_choice,
    "examples": _is_list,
    "exclusiveMaximum": _is_bound,
    "exclusiveMinimum": _is_bound,
    "maxItems": _is_count,
    "maxLength": _is_count,
    "maximum": _is_bound,
    "minItems": _is_count,
    "minLength": _is_count,
    "minimum": _is_bound,
    "required": _is_list_of_names,
    "title": _is_text,
    "type": _is_type,
}
"""Keywords that both validators interpret in the same way, with a check of their values.

Patterns, formats and references are not among them. *Source:* the meta-schema of JSON Schema Draft 2020-12,
https://json-schema.org/draft/2020-12/schema
"""
_NESTING: Final[Mapping[str, Callable[[JsonValue, int], bool]]] = {
    "additionalProperties": _is_schema,
    "allOf": _is_list_of_schemas,
    "anyOf": _is_list_of_schemas,
    "items": _is_schema,
    "not": _is_schema,
    "oneOf": _is_list_of_schemas,
}
"""The same for keywords whose values are schemas."""
