"""Faults in rows of other APIs, libraries and servers are found at their place or kept, and can be repaired there."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trajectory.formats.shapes import (
    ANTHROPIC,
    BERGEN,
    CHAT,
    QUESTION,
    SHAPES,
    TOOL,
    each_shape,
    pointers,
)
from workbench.chat.json_value import pointer_parts
from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.row_pointer import leads_somewhere, with_value
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.validate.parsed_row import parse_texts
from workbench.trajectory.validate.repair import repair_row
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

MARK = "4711"


SAY_NOTHING = ("/tool_calls/-/type", "/messages/-/lc", "/messages/-/type", "/messages/-/id/-")
"""Places whose value says nothing beside what is read: the type of a function call, and LangChain's class path."""


def places(value, pointer=""):
    """Yield the pointer to each value inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        here = f"{pointer}/{key}"
        yield here
        yield from places(inner, here)


def damaged(row, value):
    """Yield the row with the value at each place, once, with the pointer to it."""
    for pointer in places(row):
        yield pointer, with_value(row, pointer_parts(pointer), value)


@each_shape
@pytest.mark.parametrize("value", [None, int(MARK), True, MARK, [], [MARK], {}, {"x": MARK}], ids=repr)
def test_a_wrong_type_anywhere_is_found_or_kept(name, row, value):
    form = FORMATS[name]
    vanished = []
    for pointer, wrong in damaged(row, value):
        read = form.read(wrong)
        assert read.fields is wrong
        if name != "openai":
            assert [there for there in pointers(read) if not leads_somewhere(wrong, there)] == [], pointer
        reading = read_trajectory(read)
        # What is not in the trajectory is reported.
        if MARK in str(value) and not read.findings and MARK not in str(reading.trajectory):
            vanished.append(re.sub(r"/\d+", "/-", pointer))
        check_completely(read)
    assert [pointer for pointer in vanished if not pointer.endswith(SAY_NOTHING)] == []


VALUES = st.sampled_from(sorted(set(re.findall(r'"([^"\\]+)"', json.dumps(list(SHAPES.values()))))))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(VALUES, inner, max_size=5),
    max_leaves=25,
)
NAMES = sorted({name for name, _row in SHAPES.values()} - {"openai"})


@pytest.mark.slow
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(row=st.dictionaries(VALUES, JSON, max_size=5))
def test_no_row_with_these_keys_raises(row):
    before = json.dumps(row)
    for name in NAMES:
        read = FORMATS[name].read(row)
        assert all(leads_somewhere(row, pointer) for pointer in pointers(read))
        assert [entry.place for entry in read.entries if entry.place >= 0] == [
            *range(sum(entry.place >= 0 for entry in read.entries))
        ]
        check_completely(read)
        done = convert_row(row, FORMATS[name], FORMATS["trl"], RowOptions())
        assert (done.row is None) == bool(done.problems)
    assert json.dumps(row) == before


@pytest.mark.parametrize(
    ("name", "row", "pointer"),
    [
        ("ms-swift", {"messages": [{"role": "tool_call", "content": "call f"}]}, "/messages/0/content"),
        ("ms-swift", {"messages": [{"role": "tool_call", "content": "[]"}]}, "/messages/0/content"),
        (
            "llamafactory-v1",
            {
                "messages": [
                    {"role": "assistant", "content": [{"type": "tool_call", "value": '[{"name": "f"}]'}]}
                ]
            },
            "/messages/0/content/0/value",
        ),
        (
            "anthropic-messages",
            {
                "messages": [
                    {"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": "x"}]}
                ]
            },
            "/messages/0/content/0/input",
        ),
        (
            "openai-responses",
            {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{a"}]},
            "/input/0/arguments",
        ),
        (
            "langchain",
            {
                "messages": [
                    {
                        "type": "ai",
                        "content": "",
                        "invalid_tool_calls": [{"name": "f", "args": "{a", "id": "c", "error": "bad"}],
                    }
                ]
            },
            "/messages/0/invalid_tool_calls/0/args",
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_found_at_its_place(name, row, pointer):
    assert detect_format(row).name == name
    read = FORMATS[name].read(row)
    assert [(finding.code, finding.pointer) for finding in read.findings] == [("call-unreadable", pointer)]
    assert read.entries[0].tagged_text is None or "<tool_call>" in read.entries[0].tagged_text


def test_parts_in_another_order_are_reported():
    content = [
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "text", "text": "I asked f."},
    ]
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": content}]}
    reading = read_trajectory(FORMATS["anthropic-messages"].read(row))
    assert [(change.code, change.entry) for change in reading.changes] == [("part-order", 1)]
    items = [{"role": "user", "content": "q"}, *({"role": "assistant", "content": text} for text in "ab")]
    reading = read_trajectory(FORMATS["openai-responses"].read({"input": items}))
    assert [message.prose[0].text for message in reading.trajectory.messages] == ["q", "a\n\nb"]
    assert [(change.code, change.entry) for change in reading.changes] == [("part-order", 1)]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"input": QUESTION, "ideal": 5}, [("missing-field", "/ideal")]),
        ({"input": QUESTION, "ideal": []}, [("missing-field", "/ideal")]),
        ({"row_idx": 1, "row": {"x": 1}}, [("unknown-format", "")]),
        (
            {"row_idx": 1, "row": {"messages": CHAT[:2]}, "truncated_cells": ["messages"]},
            [("missing-field", "/truncated_cells")],
        ),
        ({"messages": "[{'role': 'user'}]"}, [("missing-field", "/messages")]),
        ({"request": {"messages": 5}, "response": {"choices": []}}, [("missing-field", "/request/messages")]),
        (
            {"input": {}, "preferred_output": "x", "non_preferred_output": None},
            [
                ("missing-field", "/input/messages"),
                ("missing-field", "/preferred_output"),
                ("missing-field", "/non_preferred_output"),
            ],
        ),
    ],
)
def test_what_is_missing_is_found(row, found):
    read = detect_format(row).read(row)
    assert [(finding.code, finding.pointer) for finding in read.findings] == found


def test_a_repair_changes_the_row_where_the_shape_has_it():
    null = {**BERGEN, "days": None}
    calls = ANTHROPIC["messages"][1]["content"]
    wrong = with_value(ANTHROPIC, pointer_parts("/messages/1/content/3/input"), null)
    repaired = repair_row(parse_texts(FORMATS["anthropic-messages"].read(wrong)))
    assert [(repair.code, repair.pointer) for repair in repaired.repairs] == [
        ("none-filled", "/messages/1/content/3/input")
    ]
    assert repaired.fields == ANTHROPIC
    assert calls == ANTHROPIC["messages"][1]["content"]
    text = {"messages": json.dumps(CHAT), "tools": [TOOL]}
    wrong = with_value(text, pointer_parts("/messages/2/tool_calls/1/function/arguments"), json.dumps(null))
    repaired = repair_row(parse_texts(FORMATS["json-texts"].read(wrong)))
    assert json.loads(repaired.fields["messages"]) == CHAT
    # Tools in another form keep it.
    python = with_value(ANTHROPIC, pointer_parts("/tools/0/input_schema/properties/days/type"), "int")
    assert repair_row(parse_texts(FORMATS["anthropic-messages"].read(python))).fields == ANTHROPIC
    texts = {"messages": CHAT, "tools": [json.dumps(TOOL).replace('"integer"', '"int"')]}
    assert repair_row(parse_texts(FORMATS["openai"].read(texts))).fields["tools"] == [json.dumps(TOOL)]
