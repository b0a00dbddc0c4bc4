"""Offered tools as the schema of a call."""

from jsonschema import Draft202012Validator

from workbench.toolspec.grammar import call_schema
from workbench.toolspec.spec import OfferedTools, ToolSpec

CITY = ToolSpec.of_function(
    {"name": "city", "parameters": {"type": "object", "properties": {"c": {"type": "string"}}}}
)
OPEN = ToolSpec.of_function({"name": "open", "parameters": {"type": "object", "additionalProperties": True}})


def allows(*specs: ToolSpec, call: object) -> bool:
    return Draft202012Validator(dict(call_schema(OfferedTools(specs=specs)))).is_valid(call)


def test_a_call_of_each_tool_is_allowed_and_of_no_other() -> None:
    assert allows(CITY, OPEN, call={"name": "city", "arguments": {"c": "P"}})
    assert allows(CITY, OPEN, call={"name": "open", "arguments": {"x": 1}})
    assert not allows(CITY, OPEN, call={"name": "nope", "arguments": {}})
    assert not allows(CITY, call={"name": "city", "arguments": {}, "id": 1})


def test_arguments_are_those_of_the_named_tool() -> None:
    assert not allows(CITY, OPEN, call={"name": "city", "arguments": {"c": 5}})
    assert not allows(CITY, OPEN, call={"name": "city", "arguments": {"x": 1}})


def test_a_tool_without_a_schema_takes_no_arguments() -> None:
    bare = ToolSpec.of_function({"name": "now"})
    assert allows(bare, call={"name": "now", "arguments": {}})
    assert not allows(bare, call={"name": "now", "arguments": {"x": 1}})
