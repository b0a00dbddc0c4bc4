"""A fast path: recognize schemas and arguments that are certainly valid, so that jsonschema need not run."""

from collections.abc import Mapping
from typing import Any, Final, cast

import jsonschema_rs

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.normal_schema import NormalSchema
from workbench.toolspec.plain_schema import NESTING, is_surely_valid_schema
from workbench.toolspec.spec import ToolSpec

_CACHE_KEY: Final = "_quick"
_MAX_CHECKS: Final = 400_000
"""Values that may need more checks are left to jsonschema. The compiled validator cannot be interrupted and blocks all
other Python threads. A check takes at most 0.6 µs, for comparing a number with a list of numbers."""
_PROPERTIES_PER_CHECK: Final = 8
"""Number of names that can be looked up in the time of one check."""
_FEW_CHECKS: Final = 200
"""With at most this many checks per value, no arguments of ordinary length need too many."""


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
        cache[_CACHE_KEY] = _build(spec.normal)
    quick, checks = cast("tuple[jsonschema_rs.Draft202012Validator | None, int]", cache[_CACHE_KEY])
    if quick is None:
        return not spec.schema
    if checks > _FEW_CHECKS and _has_over(arguments, _MAX_CHECKS // checks):
        return False
    try:
        return quick.is_valid(arguments)
    except ValueError:
        # It cannot convert some values, such as half of a surrogate pair. jsonschema checks those.
        return False


def _build(normal: NormalSchema) -> "tuple[jsonschema_rs.Draft202012Validator | None, int]":
    """Return the compiled validator, or None if it cannot be used, and the maximum number of checks per value."""
    schema = normal.schema
    if not schema or not (normal.is_plain or is_surely_valid_schema(schema)):
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
    if not isinstance(schema, dict):
        return 1
    checks = 1
    for key, value in schema.items():
        if key in ("enum", "required"):
            checks += len(cast("list[JsonValue]", value))
        elif key in ("allOf", "anyOf", "oneOf"):
            checks += sum(map(_checks, cast("list[JsonValue]", value)))
        elif key == "properties":
            inner = cast("dict[str, JsonValue]", value)
            checks += len(inner) // _PROPERTIES_PER_CHECK + max(map(_checks, inner.values()), default=0)
        elif key in NESTING:
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
