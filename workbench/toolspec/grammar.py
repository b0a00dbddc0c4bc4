"""Offered tools to one JSON Schema of a call, for constrained decoding."""

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.spec import OfferedTools, ToolSpec


def call_schema(tools: OfferedTools) -> JsonObject:
    """JSON Schema of `{"name", "arguments"}`, one branch a tool, the name a constant in each.

    An object schema that says nothing of other keys is closed here: a model held to the grammar
    would else be free to invent parameters.

    >>> from workbench.toolspec.spec import ToolSpec
    >>> call_schema(OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),)))["properties"]["name"]
    {'const': 'now'}
    """
    branches: list[JsonValue] = [_branch(spec) for spec in tools.specs]
    if len(branches) == 1:
        only = branches[0]
        assert isinstance(only, dict)
        return only
    return {"oneOf": branches}


def _branch(spec: ToolSpec) -> JsonObject:
    arguments: dict[str, JsonValue] = {"type": "object", "properties": {}, **spec.parameters}
    arguments.setdefault("additionalProperties", False)
    return {
        "type": "object",
        "properties": {"name": {"const": spec.name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
