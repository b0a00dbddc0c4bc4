"""A fast path: recognise schemas and arguments that are certainly valid, so that jsonschema need not run."""

from collections.abc import Callable, Mapping
from typing import Final, cast

import jsonschema_rs

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.coerce import ALL_TYPES
from workbench.toolspec.spec import ToolSpec

_KEPT: Final = "_quick"
_DEEPEST: Final = 50
"""Levels of a schema beyond which jsonschema looks."""
_LARGEST: Final = 2**53
"""The compiled validator may compare numbers as doubles: of smaller ones in a schema none equals another."""


_MOST_CHECKS: Final = 400_000
"""The compiled validator cannot be interrupted, and nobody else's Python runs meanwhile. So it is not handed what may
take more checks: at worst, a number held against a list of numbers, each takes 0.6 µs."""
_PROPERTIES_A_CHECK: Final = 8
"""Names that are looked up in the time of one check."""
_FEW_CHECKS: Final = 200
"""Checks of one value, up to which no arguments that fit into a text make too many."""


def is_surely_sound(schema: JsonObject) -> bool:
    """True where jsonschema would take `schema` as a schema, and the compiled validator understands all of it
    as jsonschema does; False says nothing."""
    return _is_schema(schema, _DEEPEST)


def is_surely_valid(spec: ToolSpec, arguments: JsonObject) -> bool:
    """True where `check_arguments` would find nothing; False says nothing.

    *Source:* the crate jsonschema, Draft 2020-12, for schemas whose keywords it takes as jsonschema does.
    """
    kept = cast("dict[str, object]", spec.__dict__)
    if _KEPT not in kept:
        kept[_KEPT] = _build(spec.parameters)
    quick, checks = cast("tuple[jsonschema_rs.Draft202012Validator | None, int]", kept[_KEPT])
    if quick is None:
        return not spec.parameters
    if checks > _FEW_CHECKS and _has_over(arguments, _MOST_CHECKS // checks):
        return False
    try:
        return quick.is_valid(arguments)
    except ValueError:
        # What it cannot take, such as half a surrogate pair, jsonschema looks at.
        return False


def _build(schema: JsonObject) -> "tuple[jsonschema_rs.Draft202012Validator | None, int]":
    """The compiled validator, and how often it may check one value at most."""
    if not schema or not is_surely_sound(schema):
        return None, 0
    try:
        return jsonschema_rs.Draft202012Validator(cast("dict[str, object]", schema)), _checks(schema)
    except ValueError:
        # As below: a text or number somewhere in it that it cannot take.
        return None, 0


def _checks(schema: JsonValue) -> int:
    """An upper bound of what a sound schema checks of one value: its own keywords and choices, those of all
    branches, and those that several branches check of one part of the value."""
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
            checks += len(inner) // _PROPERTIES_A_CHECK + max(map(_checks, inner.values()), default=0)
        elif key in _NESTING:
            checks += _checks(value)
    return checks


def _has_over(value: JsonValue, most: int) -> bool:
    """Whether there are more than so many values in `value`."""
    waiting = [value]
    while waiting and most >= 0:
        one = waiting.pop()
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        most -= 1 + len(cast("list[JsonValue]", inner))
        waiting.extend(inner if most >= 0 else ())
    return most < 0


def _is_schema(schema: JsonValue, depth: int) -> bool:
    if type(schema) is not dict:
        return type(schema) is bool
    for key, value in cast(JsonObject, schema).items():
        if holds := _VALUES.get(key):
            if not holds(value):
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


def _is_list_of_names(value: JsonValue) -> bool:
    if type(value) is not list:
        return False
    names = cast("list[JsonValue]", value)
    return all(map(_is_text, names)) and len(set(cast("list[str]", names))) == len(names)


def _is_list(value: JsonValue) -> bool:
    return type(value) is list


def _is_choice(value: JsonValue) -> bool:
    return type(value) is list and all(map(_is_plain, cast("list[JsonValue]", value)))


def _is_plain(value: JsonValue) -> bool:
    """Whether a constant is a text, a truth value, null or a number that is not too large."""
    return value is None or type(value) in (str, bool) or _is_bound(value)


def _is_object_of_schemas(value: JsonValue, depth: int) -> bool:
    return type(value) is dict and all(_is_schema(one, depth) for one in cast(JsonObject, value).values())


def _is_list_of_schemas(value: JsonValue, depth: int) -> bool:
    if type(value) is not list:
        return False
    schemas = cast("list[JsonValue]", value)
    return bool(schemas) and all(_is_schema(one, depth) for one in schemas)


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
"""Keywords that both validators take in the same way, and which values they surely do; patterns, formats and
references they do not. *Source:* the meta-schema of JSON Schema Draft 2020-12."""
_NESTING: Final[Mapping[str, Callable[[JsonValue, int], bool]]] = {
    "additionalProperties": _is_schema,
    "allOf": _is_list_of_schemas,
    "anyOf": _is_list_of_schemas,
    "items": _is_schema,
    "not": _is_schema,
    "oneOf": _is_list_of_schemas,
    "properties": _is_object_of_schemas,
}
"""The same, of those that hold schemas."""
