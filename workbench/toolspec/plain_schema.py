"""Recognize plain schemas: certainly valid, without anything unusual, and the same in every draft since draft 6."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.coerce import ALL_TYPES
from workbench.toolspec.drafts import draft_of, is_draft_4

_MAX_DEPTH: Final = 50
"""Schemas with more levels are left to jsonschema."""
_LARGEST: Final = 2**53
"""The compiled validator may compare numbers as doubles, which are exact below this limit."""


def is_surely_valid_schema(schema: JsonObject) -> bool:
    """Return True if `schema` is certainly valid and both validators interpret it in the same way.

    False does not mean that it is invalid.
    """
    return _is_schema(schema, _MAX_DEPTH)


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
                # The usual property has a type and a description, which needs no call.
                if inner.__class__ is dict and len(inner) == 2 and inner.get("description").__class__ is str:
                    kind = inner.get("type")
                    if kind.__class__ is str and kind in ALL_TYPES:
                        continue
                if not _is_schema(inner, depth - 1):
                    return False
        elif is_valid_value := _VALUES.get(key):
            if not is_valid_value(value):
                return False
        elif not (key in NESTING and depth and NESTING[key](value, depth - 1)):
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
    if value.__class__ is not list or not value:
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
    "$schema": lambda value: draft_of(value) is not None and not is_draft_4(value),
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
NESTING: Final[Mapping[str, Callable[[JsonValue, int], bool]]] = {
    "additionalProperties": _is_schema,
    "allOf": _is_list_of_schemas,
    "anyOf": _is_list_of_schemas,
    "items": _is_schema,
    "not": _is_schema,
    "oneOf": _is_list_of_schemas,
}
"""The same for keywords whose values are schemas."""
