"""A quick yes: where a schema is surely sound, or arguments surely fit it, jsonschema need not look closer."""

from typing import Final, cast

import jsonschema_rs
from jsonschema import Draft202012Validator

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.spec import ToolSpec

_SAME_IN_BOTH: Final = frozenset(
    {
        "$comment",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "deprecated",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "not",
        "oneOf",
        "properties",
        "required",
        "title",
        "type",
    }
)
"""Keywords that both validators take in the same way; patterns and formats they do not."""
_NESTING: Final = ("properties", "items", "additionalProperties", "anyOf", "oneOf", "allOf", "not")
"""Those that hold schemas."""
_KEPT: Final = "_quick"


_META: Final = jsonschema_rs.Draft202012Validator(cast("dict[str, object]", Draft202012Validator.META_SCHEMA))


def is_surely_sound(schema: JsonObject) -> bool:
    """True where jsonschema would take `schema` as a schema; False says nothing."""
    return _is_common(schema) and _says_yes(_META, schema)


def is_surely_valid(spec: ToolSpec, arguments: JsonObject) -> bool:
    """True where `check_arguments` would find nothing; False says nothing.

    *Source:* the crate jsonschema, Draft 2020-12, for schemas whose keywords it takes as jsonschema does.
    """
    kept = cast("dict[str, object]", spec.__dict__)
    if _KEPT not in kept:
        kept[_KEPT] = _build(spec.parameters)
    quick = cast("jsonschema_rs.Draft202012Validator | None", kept[_KEPT])
    return not spec.parameters if quick is None else _says_yes(quick, arguments)


def _build(schema: JsonObject) -> "jsonschema_rs.Draft202012Validator | None":
    if not schema or not is_surely_sound(schema):
        return None
    return jsonschema_rs.Draft202012Validator(cast("dict[str, object]", schema))


def _says_yes(validator: "jsonschema_rs.Draft202012Validator", value: JsonObject) -> bool:
    try:
        return validator.is_valid(value)
    except ValueError:
        # What it cannot take, such as half a surrogate pair, jsonschema looks at.
        return False


def _is_common(schema: JsonValue) -> bool:
    """Whether all keywords of a schema are of the common ones, at every depth."""
    if not isinstance(schema, dict):
        return isinstance(schema, bool)
    return schema.keys() <= _SAME_IN_BOTH and all(
        _is_common_inside(key, schema[key]) for key in _NESTING if key in schema
    )


def _is_common_inside(key: str, value: JsonValue) -> bool:
    if key == "properties":
        return isinstance(value, dict) and all(map(_is_common, value.values()))
    if key in ("allOf", "anyOf", "oneOf"):
        return isinstance(value, list) and all(map(_is_common, value))
    return _is_common(value)
