"""Specs with some of the repairs of `normal_schema` written into them, for rows that are converted."""

from workbench.chat.json_value import JsonObject
from workbench.toolspec.normal_schema import NULLS, TYPE_NAMES, repaired
from workbench.toolspec.spec import ToolSpec, cached_on


def with_json_types(spec: ToolSpec) -> ToolSpec:
    """Return the spec with type names of JSON Schema; the same object if it has no others."""
    return cached_on(spec, "_with_json_types", _with_json_types)


def _with_json_types(spec: ToolSpec) -> ToolSpec:
    parameters = json_schema_of(spec.parameters)
    return (
        spec if parameters is spec.parameters else _with_parameters(spec.document, spec.function, parameters)
    )


def without_nulls(spec: ToolSpec) -> ToolSpec:
    """Return the spec without keys that are null; the same object if there are none.

    Arrow gives all objects of a column the same keys and fills gaps with null.
    """
    return cached_on(spec, "_without_nulls", _without_nulls)


def _without_nulls(spec: ToolSpec) -> ToolSpec:
    document, function = _without(spec.document), _without(spec.function)
    parameters = repaired(spec.parameters, NULLS)
    if document is spec.document and function is spec.function and parameters is spec.parameters:
        return spec
    if "parameters" in function:
        return _with_parameters(document, function, parameters)
    return ToolSpec(document={**document, "function": function})


def json_schema_of(schema: JsonObject) -> JsonObject:
    """Return a schema with the type names of JSON Schema; the same object if nothing had to be changed.

    >>> json_schema_of({"type": "dict", "properties": {"a": {"type": "List[int]"}}})
    {'type': 'object', 'properties': {'a': {'type': 'array', 'items': {'type': 'integer'}}}}
    """
    return repaired(schema, TYPE_NAMES)


def _with_parameters(document: JsonObject, function: JsonObject, parameters: JsonObject) -> ToolSpec:
    return ToolSpec(document={**document, "function": {**function, "parameters": parameters}})


def _without(fields: JsonObject) -> JsonObject:
    return (
        {key: value for key, value in fields.items() if value is not None}
        if None in fields.values()
        else fields
    )
