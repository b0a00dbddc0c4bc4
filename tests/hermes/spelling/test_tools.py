"""How tools are written, in cases that no corpus row covers."""

import json

import pytest

from workbench.hermes.spelling.tools import (
    function_elements,
    json_array,
    json_lines,
    python_list,
    python_type,
    signature_lines,
    template_json,
)
from workbench.toolspec.spec import OfferedTools, ToolSpec


def offered(*functions: dict[str, object]) -> OfferedTools:
    return OfferedTools(specs=tuple(ToolSpec.of_function(function) for function in functions))


def test_json_lines_contain_one_spec_each() -> None:
    lines = json_lines(offered({"name": "a"}, {"name": "é\n"})).split("\n")
    assert [json.loads(line)["function"]["name"] for line in lines] == ["a", "é\n"]


def test_a_json_array_is_one_line() -> None:
    assert json_array(offered({"name": "a"})) == '[{"type": "function", "function": {"name": "a"}}]'
    assert json_array(offered()) == "[]"


def test_a_python_list_is_a_literal() -> None:
    assert python_list(offered({"name": "a", "strict": True})) == (
        "[{'type': 'function', 'function': {'name': 'a', 'strict': True}}]"
    )


def test_html_characters_are_not_escaped() -> None:
    assert template_json({"q": "a<b> & it's é"}) == '{"q": "a<b> & it\'s é"}'


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "string"}, "str"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "object"}, "dict"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object", "additionalProperties": True}, "dict[str, Union[]]"),
        ({"type": "object", "additionalProperties": False}, "dict[str, Union[]]"),
        ({"type": "array", "items": {"type": "string"}}, "list[Union[]]"),
        ({"type": ["string", "integer"]}, "Union[str,int]"),
        ({"type": []}, "Union[]"),
        ({"anyOf": [{"type": "string"}]}, "Union[]"),
        ({"enum": ["a", "b"]}, "Union[]"),
        ({"type": 7}, "Any"),
        (True, "Union[]"),
    ],
)
def test_types_are_written_as_in_the_published_template(schema: object, word: str) -> None:
    assert python_type(schema) == word  # type: ignore[arg-type]


def test_a_signature_includes_the_return_value() -> None:
    line = signature_lines(
        offered({"name": "f", "description": "F.", "return": {"type": "string", "description": "Text."}})
    )
    assert 'f() -> str - F.\n\n\n    Returns:\n        Text."' in line


def test_xml_writes_objects_as_json_and_other_values_as_python() -> None:
    schema = {"type": ["string", "null"], "enum": ["a", None], "x": {"y": True}, "description": " D. "}
    parameters = {
        "type": "object",
        "properties": {"p": schema},
        "required": ["p"],
        "additionalProperties": False,
    }
    text = function_elements(offered({"name": "f", "parameters": parameters, "strict": True}))
    assert text == (
        "<function>\n<name>f</name>\n<parameters>\n"
        "<parameter>\n<name>p</name>\n<type>['string', 'null']</type>\n<description>D.</description>\n"
        "<enum>['a', None]</enum>\n<x>{\"y\": true}</x>\n</parameter>\n"
        "<required>['p']</required>\n<additionalProperties>False</additionalProperties>\n"
        "</parameters>\n<strict>True</strict>\n</function>"
    )
