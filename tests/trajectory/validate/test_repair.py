"""Safe repairs are applied in the row's own format, guesses are not."""

import json
from typing import Any

import pytest

from tests.trajectory.validate.rows import OPENAI, SHAREGPT, SPEC, TRL, VALID, changed, findings_of
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import RepairedRow, repair_row

CALLING = SHAREGPT["conversations"][2]["value"]


def repaired(row: dict[str, Any]) -> RepairedRow:
    form = detect_format(row)
    assert form
    return repair_row(parse_texts(form.read(row)))


WITHOUT_OPEN_TAG = (
    "I look.\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>"
)


def speaking(text: str) -> dict[str, Any]:
    return changed(SHAREGPT, "conversations", 2, "value", to=text)


def given(arguments: object, row: dict[str, Any]) -> dict[str, Any]:
    return changed(row, "messages", 2, "tool_calls", 0, "function", "arguments", to=arguments)


@pytest.mark.parametrize("name", VALID)
def test_a_valid_row_is_returned_unchanged(name: str) -> None:
    assert repaired(VALID[name]) == RepairedRow(fields=VALID[name])


@pytest.mark.parametrize(
    ("row", "wanted", "codes"),
    [
        (speaking(CALLING.replace("2}", "2,}")), SHAREGPT, ["call-not-strict"]),
        (speaking(CALLING.replace("2}", '2, "unit": null}')), SHAREGPT, ["none-filled"]),
        (speaking(CALLING.replace("2}", '2, "unit": null,}')), SHAREGPT, ["call-not-strict", "none-filled"]),
        (given('{"city": "Paris", "days": 2,}', OPENAI), OPENAI, ["call-not-strict"]),
        (given('{"city": "Paris", "days": 2, "unit": null}', OPENAI), OPENAI, ["none-filled"]),
        (given({"city": "Paris", "days": 2, "zone": None}, TRL), TRL, ["none-filled"]),
    ],
)
def test_a_safe_repair_is_made(row: dict[str, Any], wanted: dict[str, Any], codes: list[str]) -> None:
    result = repaired(row)
    assert result.fields == wanted
    assert [repair.code for repair in result.repairs] == codes
    assert {repair.entry for repair in result.repairs} == {2}
    assert findings_of(dict(result.fields)) == []


@pytest.mark.parametrize(
    "text",
    [
        CALLING.replace('"Paris"', '"Pa"ris"'),
        CALLING.replace('"arguments": {"city": "Paris", "days": 2}', '"city": "Paris"'),
        CALLING.replace('{"city": "Paris", "days": 2}', "[1]"),
        WITHOUT_OPEN_TAG,
        "<think>\nI need the weather. It is 18 degrees.",
    ],
)
def test_guesses_and_lost_calls_are_not_repaired(text: str) -> None:
    assert repaired(speaking(text)) == RepairedRow(fields=speaking(text))


def test_the_original_row_is_not_modified() -> None:
    row = speaking(CALLING.replace("2}", "2,}"))
    repaired(row)
    assert row == speaking(CALLING.replace("2}", "2,}"))


def test_check_proposes_a_repair_only_where_it_is_made() -> None:
    broken = '{"name": "get_weather", "arguments": {"city": "Rome",}}'
    question: dict[str, Any] = {"role": "user", "content": "Weather?"}
    answer: dict[str, Any] = {"role": "assistant", "content": "Sun."}
    swift = [
        question,
        {"role": "tool_call", "content": broken},
        {"role": "tool_response", "content": "sun"},
        answer,
    ]
    parts = [{"type": "tool_call", "value": broken}]
    v1 = [
        {"role": "user", "content": [{"type": "text", "value": "Weather?"}]},
        {"role": "assistant", "content": parts},
        {"role": "tool", "content": [{"type": "text", "value": "sun"}]},
        {"role": "assistant", "content": [{"type": "text", "value": "Sun."}]},
    ]
    rows = [{"messages": messages, "tools": json.dumps([SPEC])} for messages in (swift, v1)]
    rows += [given('{"city": "Rome",}', OPENAI), speaking(f"<tool_call>\n{broken}\n</tool_call>")]
    for row in rows:
        [message] = {found.message for found in findings_of(row) if found.code == "call-not-strict"}
        assert ("--fix-out" in message) == bool(repaired(row).repairs)
    assert [bool(repaired(row).repairs) for row in rows] == [False, False, True, True]


def test_a_null_among_the_required_names_is_removed() -> None:
    tool = changed(SPEC, "function", "parameters", "required", to=["city", None])
    assert repaired(changed(TRL, "tools", 0, to=tool)).fields == TRL


def shapes(arguments: str, parameters: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """One question, call, result and answer, in forms whose calls are texts, and whose tools are those of other APIs."""
    call = f'{{"name": "get_weather", "arguments": {arguments}}}'
    function = {"name": "get_weather", "description": "Weather of a city.", "parameters": parameters}
    tools = json.dumps([{"type": "function", "function": function}])
    question: dict[str, Any] = {"role": "user", "content": "Weather?"}
    answer: dict[str, Any] = {"role": "assistant", "content": "Sun."}
    spoken = [("human", "Weather?"), ("function_call", call), ("observation", "sun"), ("gpt", "Sun.")]
    both = [("human", "Weather?"), ("function_call", f"[{call}, {call}]"), ("observation", '["sun", "sun"]'), ("gpt", "Sun.")]  # fmt: skip
    parts = [("user", "text", "Weather?"), ("assistant", "tool_call", call), ("tool", "text", "sun"), ("assistant", "text", "Sun.")]  # fmt: skip
    used = {"type": "tool_use", "id": "c1", "name": "get_weather", "input": json.loads(arguments)}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "sun"}
    item = {"type": "function_call", "call_id": "c1", "name": "get_weather", "arguments": arguments}
    output = {"type": "function_call_output", "call_id": "c1", "output": "sun"}
    anthropic = {"name": "get_weather", "description": "Weather of a city.", "input_schema": parameters}
    return {
        "llamafactory": {"conversations": [{"from": who, "value": text} for who, text in spoken], "tools": tools},
        "two calls in a text": {"conversations": [{"from": who, "value": text} for who, text in both], "tools": tools},
        "llamafactory-v1": {
            "messages": [{"role": role, "content": [{"type": kind, "value": text}]} for role, kind, text in parts],
            "tools": tools,
        },
        "ms-swift": {
            "messages": [question, {"role": "tool_call", "content": call}, {"role": "tool_response", "content": "sun"}, answer],
            "tools": tools,
        },
        "anthropic": {
            "messages": [question, {"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}, answer],
            "tools": [anthropic],
        },
        "responses": {"input": [question, item, output, answer], "tools": [{"type": "function", "strict": None, **function}]},
    }  # fmt: skip


PLAIN = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
FILLED = changed(
    PLAIN,
    "properties",
    to={"city": {"type": "string", "enum": None}, "days": {"type": "integer"}, "zone": None},
)
FILLED_SHAPES = shapes('{"city": "Oslo", "days": null}', FILLED)


@pytest.mark.parametrize("name", FILLED_SHAPES)
def test_nulls_of_arrow_are_removed_in_each_form_of_calls_and_tools(name: str) -> None:
    assert {found.code for found in findings_of(FILLED_SHAPES[name])} >= {"none-filled", "spec-unusual"}
    fixed = dict(repaired(FILLED_SHAPES[name]).fields)
    assert fixed == shapes('{"city": "Oslo"}', PLAIN)[name]
    assert not {found.code for found in findings_of(fixed)} & {"none-filled", "spec-unusual"}


XML = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>"


@pytest.mark.parametrize("name", ["llamafactory", "llamafactory-v1", "ms-swift"])
def test_xml_in_a_place_for_json_is_no_call(name: str) -> None:
    """LLaMA-Factory and ms-swift parse such a text as JSON. Without its schema, 3 would become a text, too."""
    call = '{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}'
    row = json.loads(
        json.dumps(shapes('{"city": "Oslo", "days": 3}', PLAIN)[name]).replace(
            json.dumps(call)[1:-1], json.dumps(XML)[1:-1]
        )
    )
    assert [found.code for found in findings_of(row)] == ["call-unreadable"]
    assert repaired(row).repairs == ()
