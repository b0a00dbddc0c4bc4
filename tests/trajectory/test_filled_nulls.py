"""Nulls that Arrow filled into arguments are found at every depth, and those that the schema allows are left alone."""

import json
from typing import Any

import pytest

from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.filled_nulls import filled_nulls, without_nulls_at
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.convert_rows import convert_rows
from workbench.trajectory.writing.row_draft import RowOptions

POINT = {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "note": {"type": ["string", "null"]},
        "hint": {"type": "string", "nullable": True},
        "unit": {"enum": ["C", "F"]},
        "place": POINT,
        "where": {"anyOf": [{**POINT, "required": ["lat"]}, {"type": "string"}]},
        "stops": {"type": "array", "items": {"oneOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
            {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": ["string", "null"]}},
             "required": ["b"], "additionalProperties": False},
        ]}},
        "shape": {"$ref": "#/$defs/shape"},
        "free": {"type": "object"},
    },
    "required": ["city"],
    "$defs": {"shape": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
                        "required": ["x"]}},
}  # fmt: skip
SPEC = {
    "type": "function",
    "function": {"name": "get_weather", "description": "Weather.", "parameters": PARAMETERS},
}
CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"city": "Oslo", "days": 2}, []),
    ({"city": "Oslo", "days": None, "unit": None}, ["/days", "/unit"]),
    ({"city": "Oslo", "zone": None, "query": None}, ["/zone", "/query"]),
    ({"city": "Oslo", "note": None, "hint": None, "free": {"a": None}}, []),
    ({"city": None}, []),
    ({"city": None, "days": None, "note": None}, ["/days"]),
    ({"city": "Oslo", "place": None}, ["/place"]),
    ({"city": "Oslo", "place": {"lat": None, "lon": 1, "zone": None}}, ["/place/lat", "/place/zone"]),
    ({"city": "Oslo", "where": None}, ["/where"]),
    ({"city": "Oslo", "where": {"lat": 1, "lon": None}}, ["/where/lon"]),
    ({"city": "Oslo", "where": {"lat": None, "lon": 1}}, []),
    ({"city": "Oslo", "where": {"lat": None, "lon": None}}, ["/where"]),
    ({"city": "Oslo", "shape": {"x": None, "y": None}}, ["/shape/y", "/shape"]),
    ({"city": "Oslo", "shape": {"x": None, "y": 1}}, []),
    ({"city": "Oslo", "stops": [{"a": "x", "b": None}, {"a": None, "b": "x", "c": None}]},
     ["/stops/0/b", "/stops/1/a"]),
    ({"city": "Oslo", "stops": [None]}, []),
    ({"city": "Oslo", "shape": {"x": 1, "y": None}}, ["/shape/y"]),
    ({"city": "Oslo", "shape": {"x": None}}, []),
    ({"city": 7, "days": None}, ["/days"]),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "expected"), CASES, ids=[json.dumps(case[0]) for case in CASES])
def test_nulls_that_the_schema_does_not_allow_are_found(
    arguments: dict[str, Any], expected: list[str]
) -> None:
    assert filled_nulls(ToolSpec(document=SPEC), arguments) == tuple(expected)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"type": "object", "properties": {}}, ("/city", "/days")),
        ({}, ()),
        ({"type": "object", "properties": {"city": None, "days": None}}, ("/city", "/days")),
        ({"type": "object"}, ()),
        ({"type": "object", "properties": {}, "additionalProperties": {"type": ["string", "null"]}}, ()),
    ],
)
def test_the_arguments_of_other_tools_are_found_in_calls_of_a_tool_without_parameters(
    parameters: dict[str, Any], expected: tuple[str, ...]
) -> None:
    spec = ToolSpec.of_function({"name": "now", "description": "Now.", "parameters": parameters})
    assert filled_nulls(spec, {"city": None, "days": None}) == expected


FILLED = {"city": "Oslo", "days": None, "note": None, "place": {"lat": 1, "lon": None}, "zone": None}
PLAIN = {"city": "Oslo", "note": None, "place": {"lat": 1}}


def trl(arguments: object) -> dict[str, Any]:
    call = {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    return {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "So:", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "4"},
            {"role": "assistant", "content": "4"},
        ],
        "tools": [SPEC],
    }


def sharegpt(arguments: object) -> dict[str, Any]:
    call = json.dumps({"name": "get_weather", "arguments": arguments})
    return {
        "conversations": [
            {"from": "human", "value": "q"},
            {"from": "gpt", "value": f"So:\n<tool_call>\n{call}\n</tool_call>"},
            {"from": "tool", "value": "<tool_response>\n4\n</tool_response>"},
            {"from": "gpt", "value": "4"},
        ],
        "tools": json.dumps([SPEC]),
    }


ROWS = {
    "trl": trl,
    "openai": lambda arguments: trl(json.dumps(arguments)),
    "sharegpt": sharegpt,
    "llamafactory": lambda arguments: {
        "conversations": [
            {"from": "human", "value": "q"},
            {
                "from": "function_call",
                "value": json.dumps({"name": "get_weather", "arguments": arguments}),
            },
            {"from": "observation", "value": "4"},
            {"from": "gpt", "value": "4"},
        ],
        "tools": json.dumps([SPEC["function"]]),
    },
}
TARGETS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


def codes(row: Any) -> list[str]:
    form = detect_format(row)
    assert form is not None
    return [finding.code for finding in check_completely(form.read(row)).findings]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ROWS)
def test_a_conversion_removes_them_and_says_where(name: str, target: str) -> None:
    done = convert_row(ROWS[name](FILLED), FORMATS[name], FORMATS[target], RowOptions())
    assert done.row is not None, done.problems
    assert [change.entry for change in done.changes if change.code.value == "none-filled"] == [1]
    back = read_trajectory(FORMATS[target].read(json.loads(json.dumps(done.row)))).trajectory
    assert [call.arguments for message in back.messages for call in message.calls] == [PLAIN]
    assert codes(ROWS[name](FILLED)) == ["none-filled"]
    assert codes(done.row) == []
    again = convert_row(ROWS[name](PLAIN), FORMATS[name], FORMATS[target], RowOptions())
    assert [change.code.value for change in again.changes if change.code.value == "none-filled"] == []


def test_rows_in_memory_are_converted_without_them_too() -> None:
    [done] = convert_rows([trl(FILLED)], "openai")
    assert [change.code.value for change in done.changes] == ["none-filled"]


@pytest.mark.parametrize("name", ["trl", "openai", "sharegpt"])
def test_fix_out_removes_them(name: str) -> None:
    repaired = repair_row(parse_texts(FORMATS[name].read(ROWS[name](FILLED))))
    assert repaired.fields == ROWS[name](PLAIN)
    assert [repair.code for repair in repaired.repairs] == ["none-filled"]


def test_members_are_removed_at_their_places_only() -> None:
    value = {"a/b": None, "c": [{"d": None, "e": 1}, None]}
    assert without_nulls_at(value, ["/a~1b", "/c/0/d", "/c/1", "/x/y"]) == {"c": [{"e": 1}, None]}
