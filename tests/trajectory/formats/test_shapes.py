"""Rows of other APIs, libraries and servers are read and written completely, with pointers into the row itself."""

import json
from dataclasses import replace

import pytest

from tests.trajectory.formats.shapes import (
    ANSWER,
    ANTHROPIC,
    BERGEN,
    CACHE,
    CHAT,
    COMPLETION,
    OSLO,
    QUESTION,
    RESPONSES,
    RESULTS,
    SHAPES,
    SWIFT,
    SYSTEM,
    THOUGHT,
    TOOL,
    V1,
    each_shape,
    pointers,
    talk,
)
from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_pointer import leads_somewhere, value_in_row
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Call, is_same_trajectory
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions


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


@each_shape
def test_each_shape_is_recognised_and_means_the_same(name, row):
    assert detect_format(row).name == name
    reading = read_trajectory(FORMATS[name].read(row))
    assert reading.problems == ()
    assert reading.changes == ()
    has_ids = name not in ("ms-swift", "llamafactory-v1")
    assert without_others(reading.trajectory.messages) == talk(has_ids=has_ids)
    (spec,) = reading.trajectory.tools.specs
    assert spec.function == {**TOOL["function"], **({"strict": True} if "strict" in spec.function else {})}


@each_shape
def test_each_shape_is_checked_without_a_finding(name, row):
    assert check_completely(FORMATS[name].read(row)).findings == ()


@each_shape
@pytest.mark.parametrize("to", [to for to in WRITTEN if FORMATS[to].content is RowContent.CONVERSATION])
def test_each_shape_can_be_converted(name, row, to):
    done = convert_row(row, FORMATS[name], FORMATS[to], RowOptions())
    back = read_trajectory(FORMATS[to].read(done.row)).trajectory
    # What is left of the shape in the columns does not make it look like one.
    assert is_same_trajectory(read_trajectory(detect_format(done.row).read(done.row)).trajectory, back)
    assert [prose.text for message in back.messages for prose in message.prose][-1] == ANSWER
    assert [call.arguments for message in back.messages for call in message.calls] == [OSLO, BERGEN]


@each_shape
def test_pointers_lead_into_the_row_itself(name, row):
    read = FORMATS[name].read(row)
    assert all(leads_somewhere(row, pointer) for pointer in pointers(read))
    system, question, call, *results, _answer = read.entries
    assert SYSTEM in json.dumps(value_in_row(row, system.pointer))
    assert value_in_row(row, question.text_pointer) == QUESTION
    for given_call, arguments in zip(call.calls, (OSLO, BERGEN), strict=True):
        written = value_in_row(row, given_call.arguments_pointer)
        written = json.loads(written) if isinstance(written, str) else written
        assert written.get("arguments", written) == arguments
    for entry, text in zip(results, RESULTS, strict=True):
        assert value_in_row(row, entry.results[0].pointer) == text


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


def test_a_member_of_a_call_of_langchain_is_kept_once():
    text = json.dumps(SHAPES["langchain-lc"][1]).replace('"args": ', '"tk": "mine", "args": ', 1)
    row = json.loads(text)
    done = convert_row(row, detect_format(row), FORMATS["openai"], RowOptions())
    assert json.dumps(done.row).count("mine") == 1


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


def written(to, row=SHAPES["log"][1], **options):
    """Return a row converted to a format, without the columns that only it has."""
    done = convert_row(row, detect_format(row), FORMATS[to], RowOptions(**options))
    assert done.problems == ()
    return {key: done.row[key] for key in done.row if key in ("messages", "tools")}, done.changes


def test_ms_swift_is_written_as_its_documentation_shows_it():
    row, changes = written("ms-swift")
    assert row == {key: SWIFT[key] for key in ("messages", "tools")}
    assert {change.code for change in changes} == {"ids"}
    done = convert_row(SWIFT, FORMATS["ms-swift"], FORMATS["ms-swift"], RowOptions())
    assert (done.row, done.changes) == (SWIFT, ())


def test_llamafactory_s_version_1_is_written_as_its_demo_shows_it():
    row, changes = written("llamafactory-v1")
    assert row == V1
    assert {change.code for change in changes} == {"ids"}
    done = convert_row(V1, FORMATS["llamafactory-v1"], FORMATS["llamafactory-v1"], RowOptions())
    assert (done.row, done.changes) == (V1, ())


def test_a_mask_is_written_in_the_trainer_s_own_convention():
    masked = [*CHAT[:2], {**CHAT[2], "weight": 0}, *CHAT[3:]]
    swift, _changes = written("ms-swift", {"messages": masked, "tools": [TOOL]})
    assert [message.get("loss") for message in swift["messages"]] == [None, None, False, *[None] * 5]
    v1, changes = written("llamafactory-v1", {"messages": masked, "tools": [TOOL]})
    assert [message["loss_weight"] for message in v1["messages"]] == [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert {change.code for change in changes} == {"ids"}
    for row in (swift, v1):
        assert written("openai", row)[0]["messages"][2]["weight"] == 0
    trained = [CHAT[0], {**CHAT[1], "weight": 1}, *CHAT[2:]]
    v1, changes = written("llamafactory-v1", {"messages": trained, "tools": [TOOL]})
    assert v1["messages"][1]["loss_weight"] == 1.0
    assert {change.code for change in changes} == {"ids"}


def test_a_thought_before_calls_only_is_a_message_of_its_own_in_ms_swift():
    bare = [*CHAT[:2], {**CHAT[2], "content": None}, *CHAT[3:]]
    row, _changes = written("ms-swift", {"messages": bare, "tools": [TOOL]})
    assert row["messages"][2] == {"role": "assistant", "content": f"<think>\n{THOUGHT}\n</think>\n"}
    reading = read_trajectory(FORMATS["ms-swift"].read(row)).trajectory
    assert [type(part).__name__ for part in reading.messages[2].parts] == ["Thought", "Call", "Call"]
