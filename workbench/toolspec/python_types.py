"""Turn schemas that use the type names of Python and other languages into JSON Schema.

Datasets often declare arguments as `"type": "dict"`, `"int, optional"` or `"List[str]"`, which no validator and no
model server accepts. Only names with one meaning are converted; other names stay, and the validator reports them.
"""

import re
from collections.abc import Mapping
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.toolspec.spec import ToolSpec, cached_on

TYPES: Final[Mapping[str, str]] = {
    "str": "string",
    "string": "string",
    "char": "string",
    "int": "integer",
    "integer": "integer",
    "long": "integer",
    "short": "integer",
    "byte": "integer",
    "bigint": "integer",
    "float": "number",
    "double": "number",
    "number": "number",
    "complex": "string",
    "bool": "boolean",
    "boolean": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "array": "array",
    "arraylist": "array",
    "dict": "object",
    "object": "object",
    "hashmap": "object",
    "none": "null",
    "nonetype": "null",
    "null": "null",
}
"""Type names in lower case, and the type of JSON Schema that they mean.

*Source:* rows of Salesforce/xlam-function-calling-60k and Team-ACE/ToolACE; the function documents of the Berkeley
Function-Calling Leaderboard, which also use Java's and JavaScript's names."""
_ANY: Final = frozenset({"any", "object type", "mixed"})
_TYPE: Final = re.compile(r"\s*+(?P<word>\w+)\s*+(?:\[(?P<inside>.*)\])?\s*+", re.DOTALL)
_OPTIONAL: Final = re.compile(r",\s*optional\b.*", re.IGNORECASE | re.DOTALL)
_SCHEMAS: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""Keywords whose values are schemas by name."""
_SCHEMA: Final = frozenset({"items", "additionalProperties", "not", "contains"})
_CHOICES: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_MAX_DEPTH: Final = 50
_VALUES: Final = frozenset({"const", "default", "enum", "examples"})
"""Keywords of schemas whose values may contain nulls that mean something."""


def with_json_types(spec: ToolSpec) -> ToolSpec:
    """Return the spec with type names of JSON Schema; the same object if it has no others."""
    return cached_on(spec, "_with_json_types", _with_json_types)


def _with_json_types(spec: ToolSpec) -> ToolSpec:
    parameters = json_schema_of(spec.parameters)
    if parameters is spec.parameters:
        return spec
    return ToolSpec(document={**spec.document, "function": {**spec.function, "parameters": parameters}})


def without_nulls(spec: ToolSpec) -> ToolSpec:
    """Return the spec without keys that are null; the same object if there are none.

    Arrow gives all objects of a column the same keys and fills gaps with null. No key of a spec or of a schema may
    be null, except for values inside `enum` and the like, and a `default`.
    """
    return cached_on(spec, "_without_nulls", _without_nulls)


def _without_nulls(spec: ToolSpec) -> ToolSpec:
    document = cast(JsonObject, _filled(spec.document, _MAX_DEPTH))
    return spec if document is spec.document else ToolSpec(document=document)


def _filled(value: JsonValue, depth: int) -> JsonValue:
    """Return a value without keys that are null, the same object if there are none."""
    if not depth:
        return value
    if isinstance(value, list):
        items = [_filled(item, depth - 1) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    if not isinstance(value, dict):
        return value
    fields = cast(JsonObject, value)
    result = {
        key: inner if key in _VALUES else _filled(inner, depth - 1)
        for key, inner in fields.items()
        if inner is not None or key == "default" or (key == "const" and "null" in _names(fields.get("type")))
    }
    is_same = len(result) == len(fields) and all(result[key] is fields[key] for key in result)
    return fields if is_same else result


def _names(kind: JsonValue) -> list[JsonValue]:
    return list(kind) if isinstance(kind, list) else [kind]


def json_schema_of(schema: JsonObject) -> JsonObject:
    """Return a schema with the type names of JSON Schema; the same object if nothing had to be changed.

    >>> json_schema_of({"type": "dict", "properties": {"a": {"type": "List[int]"}}})
    {'type': 'object', 'properties': {'a': {'type': 'array', 'items': {'type': 'integer'}}}}
    """
    return cast(JsonObject, _converted(schema, _MAX_DEPTH))


def type_of(written: str) -> JsonObject:
    """Return the schema that a type name of Python stands for; empty if it allows anything or is not known.

    >>> type_of("Optional[List[str]]"), type_of("any")
    ({'type': 'array', 'items': {'type': 'string'}}, {})
    """
    match = _TYPE.fullmatch(_OPTIONAL.sub("", written))
    word = match["word"].lower() if match else ""
    inside = (match["inside"] if match else None) or ""
    if word == "optional":
        return type_of(inside)
    kind = TYPES.get(word)
    if kind == "array" and inside and "," not in inside:
        return {"type": "array", "items": type_of(inside)}
    return {"type": kind} if kind else {}


def is_optional(parameter: JsonObject) -> bool:
    """Whether a parameter that has its own entry, without a list `required`, may be left out."""
    kind = str(parameter.get("type"))
    return bool(_OPTIONAL.search(kind)) or kind.startswith("Optional") or "default" in parameter


def _converted(schema: JsonValue, depth: int) -> JsonValue:
    if not isinstance(schema, dict) or not depth:
        return schema
    fields = cast(JsonObject, schema)
    changed: dict[str, JsonValue] = {}
    for key, value in fields.items():
        if key in _SCHEMAS:
            new = _each(value, depth)
        elif key in _SCHEMA:
            new = _converted(value, depth - 1)
        elif key in _CHOICES and isinstance(value, list):
            new = _listed(value, depth)
        else:
            continue
        if new is not value:
            changed[key] = new
    kind = _kind(fields.get("type"))
    if kind is None and not changed:
        return fields
    if kind is None:
        return {**fields, **changed}
    # An own `items` says more than the type name does.
    more = {key: value for key, value in kind.items() if key != "items" or "items" not in fields}
    result = {**fields, **changed, **more}
    if "type" not in kind:
        del result["type"]
    return result


def _kind(written: JsonValue) -> JsonObject | None:
    """Return what replaces the `type`, which is empty if it allows anything; None if the type stays."""
    if isinstance(written, list):
        names = [TYPES.get(name.lower()) if isinstance(name, str) else None for name in written]
        if None in names or names == written:
            return None
        # `["int", "long"]` is one type, and a list must not repeat a type.
        return {"type": cast(JsonValue, list(dict.fromkeys(names)))}
    if not isinstance(written, str) or TYPES.get(written) == written:
        return None
    if written.lower() in _ANY:
        return {}
    return type_of(written) or None


def _each(value: JsonValue, depth: int) -> JsonValue:
    schemas = as_object(value)
    converted = {name: _converted(schema, depth - 1) for name, schema in schemas.items()}
    return converted if any(converted[name] is not schemas[name] for name in schemas) else value


def _listed(value: list[JsonValue], depth: int) -> JsonValue:
    converted = [_converted(schema, depth - 1) for schema in value]
    same = all(new is old for new, old in zip(converted, value, strict=True))
    return value if same else converted
