"""Recognize plain schemas: certainly valid, without anything unusual, and the same in every draft since draft 6."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, cast

import jsonschema_rs

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.coerce import ALL_TYPES

PLAIN_NAME: Final = "[A-Za-z0-9_-]{1,64}"
"""Pattern of the names that every provider accepts. *Source:* the documentation of OpenAI and Anthropic."""
_MAX_DEPTH: Final = 20
"""Schemas with more levels are left to jsonschema."""
_LARGEST: Final = 2**53
"""The compiled validator may compare numbers as doubles, which are exact below this limit."""


def is_surely_valid_schema(schema: JsonObject) -> bool:
    """Return True if `schema` is certainly valid and both validators interpret it in the same way.

    False does not mean that it is invalid.

    Args:
        schema: As `json.loads` returns it.
    """
    return _is_valid(_schema_validator(), schema)


def are_surely_plain_tools(documents: Sequence[JsonObject]) -> bool:
    """Return True if all tools certainly have a name that every provider accepts and a plain schema of an object.

    All are checked in one call, which takes half as long as one for each.

    Args:
        documents: The tools in OpenAI's form, as `json.loads` returns them.
    """
    return _is_valid(_tools_validator(), documents)


def _is_valid(validator: jsonschema_rs.Draft202012Validator, value: Any) -> bool:
    try:
        return validator.is_valid(value)
    except ValueError:
        # It cannot look into every mapping, nor at a name with half of a surrogate pair.
        return False


@cache
def _schema_validator() -> jsonschema_rs.Draft202012Validator:
    return _compiled(_PLAIN)


@cache
def _tools_validator() -> jsonschema_rs.Draft202012Validator:
    of_object = _object_with(type={"const": "object"}, properties={"type": "object"})
    name = {"type": "string", "pattern": f"^{PLAIN_NAME}$"}
    function = _object_with(name=name, parameters={"allOf": [_PLAIN, of_object]})
    return _compiled({"items": _object_with(function=function)})


def _compiled(schema: JsonObject) -> jsonschema_rs.Draft202012Validator:
    levels = {str(depth): _level(depth) for depth in range(_MAX_DEPTH + 1)}
    return jsonschema_rs.Draft202012Validator(cast(Any, {**schema, "$defs": levels}))


def _object_with(**properties: JsonValue) -> JsonObject:
    return {"type": "object", "properties": properties, "required": [*properties]}


def _level(depth: int) -> JsonObject:
    """Return the schema of plain schemas with up to `depth` levels inside.

    Each level refers to the one below instead of to itself, because the validator itself counts no levels.
    """
    return {"type": ["object", "boolean"], "properties": _known(depth), "additionalProperties": False}


def _known(depth: int) -> JsonObject:
    if not depth:
        return _KEYWORDS
    inner = {"$ref": f"#/$defs/{depth - 1}"}
    several = {"type": "array", "items": inner, "minItems": 1}
    return {
        **_KEYWORDS,
        **dict.fromkeys(("additionalProperties", "items", "not"), inner),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), several),
        "properties": {"type": "object", "additionalProperties": inner},
    }


_PLAIN: Final = {"$ref": f"#/$defs/{_MAX_DEPTH}"}
_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0, "exclusiveMaximum": _LARGEST}
_EXACT: Final = {"exclusiveMinimum": -_LARGEST, "exclusiveMaximum": _LARGEST}
_BOUND: Final = {"type": "number", **_EXACT}
_CONSTANT: Final = {"type": ["string", "boolean", "null", "number"], **_EXACT}
_TYPE: Final = {"enum": sorted(ALL_TYPES)}
_KEYWORDS: Final[dict[str, JsonValue]] = {
    "$comment": _TEXT,
    # Those that mean a draft from 6 on.
    "$schema": {
        "type": "string",
        "pattern": r"^https?://json-schema\.org/(draft-0[67]/|draft/20(19-09|20-12)/)?schema#?$",
    },
    "const": _CONSTANT,
    "default": True,
    "deprecated": {"type": "boolean"},
    "description": _TEXT,
    "enum": {"type": "array", "items": _CONSTANT, "minItems": 1},
    "examples": {"type": "array"},
    "exclusiveMaximum": _BOUND,
    "exclusiveMinimum": _BOUND,
    "maxItems": _COUNT,
    "maxLength": _COUNT,
    "maximum": _BOUND,
    "minItems": _COUNT,
    "minLength": _COUNT,
    "minimum": _BOUND,
    "required": {"type": "array", "items": _TEXT, "uniqueItems": True},
    "title": _TEXT,
    "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1, "uniqueItems": True}]},
}
"""Keywords that both validators interpret in the same way, with what their values may be.

Patterns, formats and references are not among them. *Source:* the meta-schema of JSON Schema Draft 2020-12,
https://json-schema.org/draft/2020-12/schema
"""
NESTING: Final = frozenset(_known(1)) - _KEYWORDS.keys()
"""Keywords of plain schemas whose values are schemas, or contain them."""
