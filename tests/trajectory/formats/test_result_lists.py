"""A JSON list of the results of parallel calls is read as one result for each call."""

import json
from typing import Any

import pytest

from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.formats.shared.result_lists import list_items
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

SPEC = {
    "name": "f",
    "description": "d",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
}
TOOLS = [{"type": "function", "function": SPEC}]
CALLS = [{"name": "f", "arguments": {"a": number}} for number in (1, 2)]
LIST = '[{"t": 1.50, "u": "x"},\n {"t":2}]'
ITEMS = ['{"t": 1.50, "u": "x"}', '{"t":2}']
TEXT = "\n".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in CALLS)
TARGETS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


def entries(calls: str, result: str, call_from: str, result_from: str) -> dict[str, Any]:
    spoken = [("human", "q"), (call_from, calls), (result_from, result), ("gpt", "done")]
    listed = [{"from": speaker, "value": value} for speaker, value in spoken]
    return {"conversations": listed, "tools": json.dumps(TOOLS)}


def llamafactory(result: str = LIST) -> dict[str, Any]:
    return entries(json.dumps(CALLS), result, "function_call", "observation")


def sharegpt(result: str = LIST) -> dict[str, Any]:
    return entries(TEXT, result, "gpt", "tool")


def chat(result: Any = LIST, **more: Any) -> dict[str, Any]:
    calls = [{"type": "function", "function": call} for call in CALLS]
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": result, **more},
        {"role": "assistant", "content": "done"},
    ]
    return {"messages": messages, "tools": TOOLS}


ROWS = {
    "llamafactory": llamafactory(),
    "sharegpt": sharegpt(),
    "sharegpt, within tags": sharegpt(f"<tool_response>\n{LIST}\n</tool_response>"),
    "trl": chat(),
    "hermes-messages": {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": TEXT},
            {"role": "user", "content": f"<tool_response>\n{LIST}\n</tool_response>"},
            {"role": "assistant", "content": "done"},
        ],
        "tools": TOOLS,
    },
}


def codes(row: Any) -> list[str]:
    form = detect_format(row)
    assert form is not None
    return [finding.code for finding in check_completely(form.read(row)).findings]


def results_of(name: str, row: Any) -> list[str]:
    trajectory = read_trajectory(FORMATS[name].read(json.loads(json.dumps(row)))).trajectory
    return [message.result.text for message in trajectory.messages if message.result]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ROWS)
def test_a_list_of_as_many_results_as_calls_is_written_as_one_each(name: str, target: str) -> None:
    row = ROWS[name]
    form = detect_format(row)
    assert form is not None and name.startswith(form.name)
    assert codes(row) == []
    done = convert_row(row, form, FORMATS[target], RowOptions())
    assert done.row is not None, done.problems
    assert [change.entry for change in done.changes if change.code.value == "results-split"] == [2]
    assert results_of(target, done.row) == ITEMS
    assert codes(done.row) == []
    again = convert_row(done.row, FORMATS[target], FORMATS["llamafactory"], RowOptions())
    assert again.row is not None, again.problems
    [observation] = [entry for entry in again.row["conversations"] if entry["from"] == "observation"]
    # *Source:* LLaMA-Factory's converter of OpenAI messages.
    assert observation["value"] == "\n</tool_response>\n<tool_response>\n".join(ITEMS)


@pytest.mark.parametrize(
    "row",
    [
        llamafactory('[{"t": 1}]'),
        llamafactory('[{"t": 1}, {"t": 2}, {"t": 3}]'),
        llamafactory('{"t": [1, 2]}'),
        llamafactory("[1, 2"),
        chat(tool_call_id="a"),
        entries(json.dumps(CALLS[0]), LIST, "function_call", "observation"),
    ],
)
def test_any_other_result_is_left_alone(row: dict[str, Any]) -> None:
    form = detect_format(row)
    assert form is not None
    reading = read_trajectory(form.read(row))
    assert "results-split" not in [change.code.value for change in reading.changes]
    assert len([message for message in reading.trajectory.messages if message.result]) == 1


def test_a_list_beside_another_result_is_left_alone() -> None:
    row = chat()
    row["messages"].insert(3, {"role": "tool", "content": "x"})
    assert results_of("trl", row) == [LIST, "x"]
    wrapped = sharegpt(f"<tool_response>\n{LIST}\n</tool_response>\n<tool_response>\nx\n</tool_response>")
    assert results_of("sharegpt", wrapped) == [LIST, "x"]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (' [ "a\\n" , 2.50 ,[3, 4],null] ', ["a\n", "2.50", "[3, 4]", "null"]),
        ('["a], b", "c"]', ["a], b", "c"]),
        ("[]", []),
        ("{}", []),
        ("[1, 2] and", []),
        ("[NaN, 1e999]", ["NaN", "1e999"]),
        ("x", []),
    ],
)
def test_items_keep_their_bytes(text: str, items: list[str]) -> None:
    assert list_items(text) == items
