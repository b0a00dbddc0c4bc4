"""Rows of other APIs, libraries and servers are read completely, with pointers into the row itself."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trajectory.formats.shapes import (
    ANSWER,
    ANTHROPIC,
    BERGEN,
    CACHE,
    COMPLETION,
    OSLO,
    QUESTION,
    RESPONSES,
    RESULTS,
    SHAPES,
    SYSTEM,
    TOOL,
    talk,
)
from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.row_pointer import leads_somewhere, pointer_parts, value_at, with_value
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Call
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

rows = pytest.mark.parametrize(("name", "row"), SHAPES.values(), ids=SHAPES)


def without_others(messages):
    """Return messages without the members that only some shapes have."""
    return tuple(
        replace(
            message,
            others={},
            parts=tuple(
                replace(part, others={}) if isinstance(part, Call) else part for part in message.parts
            ),
        )
        for message in messages
    )


def pointers(row):
    """Yield all pointers of a row that was read."""
    for entry in row.all_entries:
        yield entry.pointer
        yield entry.text_pointer
        for call in entry.calls:
            yield call.pointer
            yield call.arguments_pointer
        for result in entry.results:
            yield result.pointer
    for declaration in row.declarations:
        yield declaration.pointer
    for finding in row.findings:
        yield finding.pointer


@rows
def test_each_shape_is_recognised_and_means_the_same(name, row):
    assert detect_format(row).name == name
    reading = read_trajectory(FORMATS[name].read(row))
    assert reading.problems == ()
    assert reading.changes == ()
    has_ids = name not in ("ms-swift", "llamafactory-v1")
    assert without_others(reading.trajectory.messages) == talk(has_ids=has_ids)
    (spec,) = reading.trajectory.tools.specs
    assert spec.function == {**TOOL["function"], **({"strict": True} if "strict" in spec.function else {})}


@rows
def test_each_shape_is_checked_without_a_finding(name, row):
    assert check_completely(FORMATS[name].read(row)).findings == ()


@rows
@pytest.mark.parametrize("to", ["sharegpt", "trl", "llamafactory"])
def test_each_shape_can_be_converted(name, row, to):
    done = convert_row(row, FORMATS[name], FORMATS[to], RowOptions())
    back = read_trajectory(FORMATS[to].read(done.row)).trajectory
    assert [prose.text for message in back.messages for prose in message.prose][-1] == ANSWER
    assert [call.arguments for message in back.messages for call in message.calls] == [OSLO, BERGEN]


@rows
def test_pointers_lead_into_the_row_itself(name, row):
    read = FORMATS[name].read(row)
    assert all(leads_somewhere(row, pointer) for pointer in pointers(read))
    system, question, call, *results, _answer = read.entries
    assert SYSTEM in json.dumps(value_at(row, system.pointer))
    assert value_at(row, question.text_pointer) == QUESTION
    for given_call, arguments in zip(call.calls, (OSLO, BERGEN), strict=True):
        written = value_at(row, given_call.arguments_pointer)
        written = json.loads(written) if isinstance(written, str) else written
        assert written.get("arguments", written) == arguments
    for entry, text in zip(results, RESULTS, strict=True):
        assert value_at(row, entry.results[0].pointer) == text


def others_of(row):
    """Return the other members of the row's messages by index; no call has any."""
    messages = read_trajectory(detect_format(row).read(row)).trajectory.messages
    assert not any(call.others for message in messages for call in message.calls)
    return {index: message.others for index, message in enumerate(messages) if message.others}


def test_what_only_anthropic_has_is_kept():
    assert others_of(ANTHROPIC) == {
        0: {"cache_control": CACHE},
        2: {"signature": "EqoBCkgIBRABGAIiQ", "cache_control": CACHE},
        4: {"is_error": True},
    }
    assert detect_format(ANTHROPIC).read(ANTHROPIC).columns == {
        "model": "claude-opus-4-6",
        "max_tokens": 2048,
    }


def test_what_only_responses_have_is_kept():
    assert others_of(RESPONSES) == {
        2: {
            "reasoning.id": "rs_1",
            "encrypted_content": "gAAAAABo",
            "message.id": "msg_1",
            "status": ["completed", "completed"],
            "function_call.id": ["fc_1", "fc_2"],
        },
        5: {"message.id": "msg_2", "status": "completed"},
    }
    assert detect_format(RESPONSES).read(RESPONSES).columns == {"model": "gpt-5.1"}


@pytest.mark.parametrize("name", ["langchain-dump", "langchain-dicts", "langchain-lc"])
def test_what_only_langchain_has_is_kept(name):
    row = SHAPES[name][1]
    assert others_of(row) == {
        1: {"name": "ana"},
        2: {
            "response_metadata": {"model_name": "gpt-4o", "finish_reason": "tool_calls"},
            "id": "run-1",
            "usage_metadata": {"input_tokens": 90, "output_tokens": 31, "total_tokens": 121},
        },
        4: {"artifact": {"code": 404}, "status": "error"},
    }
    assert detect_format(row).read(row).columns == {"thread": "t1"}


def test_a_log_keeps_all_but_the_conversation_in_its_columns():
    rest = {key: value for key, value in COMPLETION.items() if key != "choices"}
    choice = {"index": 0, "logprobs": None, "finish_reason": "stop"}
    columns = {name: detect_format(row).read(row).columns for name, (_format, row) in SHAPES.items()}
    assert columns["log"] == {
        "timestamp": "2026-11-27T10:00:00Z",
        "request": {"model": "gpt-4o", "temperature": 0.2},
        "response": {**rest, "choices": [choice]},
    }
    assert columns["log-text"] == {key: columns["log"][key] for key in ("request", "response")}
    assert columns["log-batch"]["request"] == {
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "gpt-4o", "temperature": 0.2},
    }
    assert columns["log-litellm"]["model_parameters"] == {"temperature": 0.2}
    assert columns["log-stored"] == {**rest, "choices": [choice], "metadata": {"suite": "weather"}}
    assert columns["log-anthropic"]["response"]["stop_reason"] == "end_turn"
    assert columns["log-responses"]["response"] == {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
    }
    assert columns["server"] == {"source": "x", "row_idx": 17}
    assert columns["text"] == {"source": "x"}


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


@rows
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
