"""A value of the XML form is read as its schema says, and rendering reports what cannot be read back."""

import copy
import json
from typing import Any

import pytest

from tests.hermes.test_render_then_parse import HEADER, XML, of
from tests.hermes.xml_values import SCHEMAS, VALUES, parameters
from workbench.chat.finding import Finding
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import CallStatus, Reading
from workbench.hermes.render import render
from workbench.hermes.spelling.family import Family
from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import OfferedTools, ToolSpec

CODE = "value-not-readable-back"
ANY: Any = {}
TEXT_OR = {
    kind: {"anyOf": [{"type": "string"}, {"type": kind}]}
    for kind in ("integer", "number", "boolean", "object", "array", "null")
}


def tool(schema: Any, **more: Any) -> ToolSpec:
    return ToolSpec.of_function(
        {"name": "f", "description": "F.", "parameters": {**parameters(schema), **more}}
    )


def read(schema: Any, text: str, **more: Any) -> Reading:
    body = f"<tool_call>\n<function=f>\n<parameter=v>\n{text}\n</parameter>\n</function>\n</tool_call>"
    return parse(body, tools=OfferedTools(specs=(tool(schema, **more),)))


def rendered(
    family: Family, arguments: dict[str, Any], spec: ToolSpec | None
) -> tuple[Reading, list[Finding]]:
    """Return the reading of a rendered call, and what rendering reported about its values."""
    call = ToolCall(name="f", arguments=arguments)
    messages = (Message(role=Role.USER, text="Hi"), Message(role=Role.ASSISTANT, text="", calls=(call,)))
    tools = OfferedTools(specs=(spec,)) if spec else None
    prompt = render(
        Conversation(messages=messages),
        family=family,
        has_contract=True,
        generation_prompt=False,
        tools=tools,
    )
    turn = next(part for part in prompt.parts if part.message_index == 1)
    text = turn.span.of(prompt.text).removeprefix(HEADER)
    return parse(text, tools=tools, dialect="xml"), [f for f in prompt.findings if f.code == CODE]


def is_read_back(reading: Reading, arguments: dict[str, Any]) -> bool:
    calls = [json.dumps(dict(call.arguments)) for call in reading.calls]
    return calls == [json.dumps(arguments)]


def test_the_table_is_large() -> None:
    assert len(SCHEMAS) >= 60
    assert len(VALUES) >= 60


@of(XML)
@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_rendered_value_is_read_back_or_reported_and_never_both(family: Family, schema: Any) -> None:
    spec = tool(schema)
    valid = [value for value in VALUES if not check_arguments(spec, {"v": value})]
    assert valid
    for value in valid:
        arguments = {"w": "x", "v": value}
        reading, findings = rendered(family, arguments, spec)
        assert is_read_back(reading, arguments) is not bool(findings), value
        if not findings:
            assert reading.calls[0].status is CallStatus.READY


@of(XML)
def test_the_report_names_the_argument(family: Family) -> None:
    spec = tool(TEXT_OR["null"])
    _, findings = rendered(family, {"w": "ok", "v": "null"}, spec)
    assert ["'v'" in finding.message for finding in findings] == [True]
    _, findings = rendered(family, {"w": "A </parameter></function></tool_call>", "v": "x"}, spec)
    assert ["'w'" in finding.message for finding in findings] == [True]


@of(XML)
def test_without_tools_only_texts_are_checked(family: Family) -> None:
    assert rendered(family, {"v": 5, "w": "null"}, None)[1] == []
    assert len(rendered(family, {"v": 5, "w": "A </parameter></function></tool_call>"}, None)[1]) == 1


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (TEXT_OR["integer"], "5", 5),
        (TEXT_OR["integer"], "-12", -12),
        (TEXT_OR["number"], "0.5", 0.5),
        (TEXT_OR["boolean"], "true", True),
        (TEXT_OR["boolean"], "False", False),
        (TEXT_OR["object"], '{"k": 1}', {"k": 1}),
        (TEXT_OR["object"], '\n{\n  "k": 1\n}\n', {"k": 1}),
        (TEXT_OR["array"], "['a', None]", ["a", None]),
        (TEXT_OR["number"], "3.10", "3.10"),
        (TEXT_OR["number"], "1e5", "1e5"),
        (ANY, "5", "5"),
        (ANY, "true", "true"),
        (ANY, '{"k": 1}', '{"k": 1}'),
        (ANY, "null", None),
        ({"enum": ["5", 5]}, "5", 5),
    ],
)
def test_a_value_with_two_readings_is_reported(schema: Any, text: str, value: Any) -> None:
    reading = read(schema, text)
    (call,) = reading.calls
    assert (call.arguments, call.status) == ({"v": value}, CallStatus.READY)
    assert type(copy.deepcopy(call.arguments["v"])) is type(value)
    assert [finding.code for finding in reading.findings] == ["ambiguous-value"]
    assert reading.fixes == ()


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (TEXT_OR["null"], "null", None),
        ({"oneOf": [{"enum": [None]}, {"enum": [None, "null"]}]}, "null", "null"),
        (TEXT_OR["null"], "None", None),
        (TEXT_OR["null"], "none", "none"),
        (TEXT_OR["null"], " null", " null"),
        ({"type": "string", "nullable": True}, "null", None),
        ({"type": "integer", "nullable": True}, "null", None),
        (TEXT_OR["integer"], "007", "007"),
        (TEXT_OR["integer"], "+4912345", "+4912345"),
        (TEXT_OR["integer"], "2.0", "2.0"),
        (TEXT_OR["integer"], "5 apples", "5 apples"),
        (TEXT_OR["boolean"], "1", "1"),
        (TEXT_OR["boolean"], "TRUE", "TRUE"),
        (TEXT_OR["object"], "{not JSON}", "{not JSON}"),
        (TEXT_OR["object"], '{"k": 1,}', '{"k": 1,}'),
        (TEXT_OR["array"], "(1, 2)", "(1, 2)"),
        (TEXT_OR["array"], "[1] and [2]", "[1] and [2]"),
        ({"anyOf": [{"type": "integer"}, {"enum": ["auto"]}]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, {"enum": ["auto"]}]}, "auto", "auto"),
        ({"enum": ["a", 1, None]}, "1", 1),
        ({"enum": ["a", 1, None]}, "null", None),
        ({"enum": ["1", "null"]}, "1", "1"),
        ({"enum": ["1", "null"]}, "null", "null"),
        ({"oneOf": [{"type": "array"}, {"const": "all"}]}, "[1, 2]", [1, 2]),
        ({"anyOf": [{"type": "object"}, {"enum": ["none"]}]}, '{"a": 1}', {"a": 1}),
        ({"anyOf": [{"type": "string", "pattern": "^[0-9]{3}$"}, {"type": "integer", "minimum": 1000}]}, "123", "123"),
        ({"anyOf": [{"type": "string", "pattern": "^[0-9]{3}$"}, {"type": "integer", "minimum": 1000}]}, "1234", 1234),
        ({"$ref": "#/$defs/either/anyOf/1"}, "true", True),
        ({"$ref": "#/$defs/My%20Type"}, "5", 5),
        ({"$ref": "#/$defs/a~1b~0c"}, "null", None),
        ({"type": "string"}, "null", "null"),
        ({"type": "boolean"}, "True", True),
    ],
)  # fmt: skip
def test_a_value_with_one_reading_is_not_reported(schema: Any, text: str, value: Any) -> None:
    reading = read(schema, text)
    (call,) = reading.calls
    assert (call.arguments, call.status) == ({"v": value}, CallStatus.READY)
    assert type(copy.deepcopy(call.arguments["v"])) is type(value)
    assert (reading.findings, reading.fixes) == ((), ())


@pytest.mark.parametrize(
    ("schema", "text", "value", "code"),
    [
        ({"type": "boolean"}, "TRUE", True, "constant-case"),
        ({"type": ["boolean", "null"]}, "NULL", None, "constant-case"),
        ({"anyOf": [{"type": "boolean"}, {"enum": ["auto"]}]}, "FALSE", False, "constant-case"),
        ({"anyOf": [{"type": "integer"}, {"enum": ["auto"]}]}, "+5", 5, "lenient-number"),
        ({"enum": ["a", "b"]}, '"a"', "a", "double-encoded-value"),
        ({"enum": ["a", 1, None]}, '"a"', "a", "double-encoded-value"),
    ],
)
def test_a_value_that_needs_a_fix_is_read_if_its_text_is_not_allowed(
    schema: Any, text: str, value: Any, code: str
) -> None:
    reading = read(schema, text)
    assert [call.arguments for call in reading.calls] == [{"v": value}]
    assert [fix.code for fix in reading.fixes] == [code]
    again = parse(fixed(reading.text, reading), tools=OfferedTools(specs=(tool(schema),)), level="strict")
    assert [call.arguments for call in again.calls] == [{"v": value}]


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ({"additionalProperties": {"type": "integer"}}, 5),
        ({"patternProperties": {"^v$": {"type": "integer"}}}, 5),
        ({"patternProperties": {"^w$": {"type": "integer"}}}, "5"),
        ({"allOf": [{"properties": {"v": {"type": "integer"}}}]}, 5),
        ({"anyOf": [{"properties": {"v": {"type": "integer"}}}, {"required": ["w"]}]}, 5),
        (
            {"$ref": "#/$defs/arguments", "$defs": {"arguments": {"properties": {"v": {"type": "integer"}}}}},
            5,
        ),
        ({}, "5"),
        ({"additionalProperties": True}, "5"),
    ],
)
def test_the_schema_of_a_parameter_is_found_wherever_it_is(more: dict[str, Any], value: Any) -> None:
    schema = {"type": "object", "properties": {}, **more}
    spec = ToolSpec.of_function({"name": "f", "parameters": schema})
    text = "<tool_call>\n<function=f>\n<parameter=v>\n5\n</parameter>\n</function>\n</tool_call>"
    reading = parse(text, tools=OfferedTools(specs=(spec,)))
    assert [call.arguments for call in reading.calls] == [{"v": value}]
    assert reading.findings == ()
