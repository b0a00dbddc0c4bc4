"""Figures of a data set, compared with a count of its own; the fast and the complete reading of a row agree."""

import json
from collections import Counter

import pytest

from tests.bench.data_rows import lines
from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT, TRL, changed
from workbench.chat.message import Role
from workbench.toolspec.spec import ToolSpec
from workbench.trajectory.compress import estimate_tokens
from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.sets.enums import enums_of, used_values
from workbench.trajectory.sets.row_facts import facts_of
from workbench.trajectory.sets.stats import RowStats, rows_over
from workbench.trajectory.validate.check import check_fields
from workbench.trajectory.validate.glance import Glance
from workbench.trajectory.validate.parsed_row import parse_texts


def parsed_facts(row):
    return facts_of(parse_texts(detect_format(row).read(row)), len)


def spec_with(**properties):
    parameters = {"type": "object", "properties": properties}
    return ToolSpec.of_function({"name": "f", "parameters": parameters})


@pytest.mark.parametrize("own_tools", [False, True])
def test_a_glance_and_a_complete_reading_give_the_same_facts(own_tools):
    rows = [json.loads(line) for line in lines(60, own_tools=own_tools)]
    glances = 0
    for row in [*rows, SHAREGPT]:
        checked = check_fields(row, detect_format(row))
        glances += isinstance(checked.content, Glance)
        quick, complete = facts_of(checked.content, estimate_tokens), parsed_facts(row)
        assert quick.text == complete.text
        assert (quick.format, quick.answers, quick.turns, quick.values, dict(quick.characters)) == (
            complete.format, complete.answers, complete.turns, complete.values, dict(complete.characters)
        )  # fmt: skip
        assert quick.tokens == len(complete.text.text) // 4
    assert glances > 50


def test_a_row_with_a_mask_is_not_measured_by_a_glance():
    masked = changed(SHAREGPT, "conversations", 4, to={"from": "gpt", "value": "Sun.", "weight": 0})
    checked = check_fields(masked, detect_format(masked))
    assert facts_of(checked.content, len).text == parsed_facts(masked).text
    assert parsed_facts(masked).text.trained != parsed_facts(SHAREGPT).text.trained


def test_the_figures_equal_an_independent_count():
    rows = [json.loads(line) for line in lines(200, own_tools=False)]
    stats = RowStats()
    for row in rows:
        stats.add(detect_format(row).read(row), estimate_tokens, "rows.jsonl", 1)
    calls, per_row, turns, values, characters = Counter(), Counter(), Counter(), Counter(), Counter()
    for row in rows:
        names = []
        enums = {
            (tool["function"]["name"], name): schema
            for tool in json.loads(row["tools"])
            for name, schema in tool["function"]["parameters"]["properties"].items()
        }
        for entry in row["conversations"]:
            characters[entry["from"]] += len(entry["value"])
            for block in entry["value"].split("<tool_call>")[1:] if entry["from"] == "gpt" else ():
                call = json.loads(block.partition("</tool_call>")[0])
                names.append(call["name"])
                for name, value in call["arguments"].items():
                    schema = enums[call["name"], name]
                    if "enum" in schema or schema["type"] == "boolean":
                        values[call["name"], name, json.dumps(value)] += 1
        calls.update(names)
        per_row[len(names)] += 1
        turns[sum(entry["from"] == "human" for entry in row["conversations"])] += 1
    assert (stats.calls, stats.row_calls, stats.turns) == (calls, per_row, turns)
    counted = {
        (*name, value): number
        for name, counts in stats.enums.parameters.items()
        for value, number in counts.items()
        if number
    }
    assert counted == values
    words = {"system": Role.SYSTEM, "human": Role.USER, "gpt": Role.ASSISTANT, "tool": Role.TOOL}
    assert {words[word]: number for word, number in characters.items()} == dict(stats.roles)


@pytest.mark.parametrize("row", [SHAREGPT, AGENT, OPENAI, TRL], ids=["sharegpt", "agent", "openai", "trl"])
def test_rows_of_every_format_are_measured(row):
    found = parsed_facts(row)
    assert found.called == ("get_weather", "get_weather")
    assert found.tokens == len(found.text.text)
    assert set(found.characters) == {Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL}


def test_unused_enum_values_are_counted_as_zero():
    stats = RowStats()
    with_unit = changed(
        OPENAI, "messages", 2, "tool_calls", 0, "function", "arguments", to='{"city": "A", "unit": "F"}'
    )
    for row in (OPENAI, with_unit):
        stats.add(detect_format(row).read(row), len, "a.jsonl", 1)
    assert stats.enums.parameters == {("get_weather", "unit"): {'"C"': 0, '"F"': 1}}
    assert stats.to_json()["enums"] == [
        {
            "tool": "get_weather",
            "parameter": "unit",
            "used": 1,
            "values": [{"value": "C", "calls": 0}, {"value": "F", "calls": 1}],
        }
    ]


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"type": "string"}, None),
        ({"enum": ["a", 1, True]}, {"p": ('"a"', "1", "true")}),
        ({"type": "boolean"}, {"p": ("true", "false")}),
        ({"type": "array", "items": {"enum": ["a"]}}, {"p[]": ('"a"',)}),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, {"p": ('"a"',)}),
        ({"$ref": "#/$defs/Unit"}, {"p": ('"C"', '"F"')}),
        ({"$ref": "#/$defs/Loop"}, None),
        ({"$ref": "https://example.com/x"}, None),
    ],
)
def test_values_are_found_where_schemas_list_them(schema, values):
    parameters = {
        "type": "object",
        "properties": {"p": schema},
        "$defs": {"Unit": {"enum": ["C", "F"]}, "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}]}},
    }
    assert dict(enums_of(ToolSpec.of_function({"name": "f", "parameters": parameters}))) == (values or {})


def test_numbers_texts_and_truth_values_are_different_values():
    spec = spec_with(p={"enum": ["1", 1, True]}, q={"type": "array", "items": {"enum": ["a", "b"]}})
    used = list(used_values(spec, {"p": 1, "q": ["b", "b", "c"], "r": 1}))
    assert [(value.parameter, value.value) for value in used] == [("p", "1"), ("q[]", '"b"')]
    assert list(used_values(spec, {"p": "2", "q": "a"})) == [("f", "q[]", '"a"')]


def test_rows_beyond_a_length_are_counted():
    assert rows_over({4096: 5, 4097: 2, 9000: 1}, 4096) == 3
    assert rows_over({}, 4096) == 0
