"""Sessions of agents are written as session traces, and what a trace cannot hold is reported."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trajectory.formats.agent_logs import (
    BASH,
    CLAUDE_CODE,
    CODEX,
    LOGS,
    PI,
    SESSION_TRACE,
    asked,
    read,
    said_in,
    spoken,
    text,
)
from workbench.trajectory.formats.known import FORMATS, log_format
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions


def test_members_of_events_are_carried_or_reported_as_lost() -> None:
    header = {"type": "session", "harness": "a", "id": "s"}
    asks = {"type": "message", "id": "e1", "requestId": "r", "message": {"role": "user", "content": "Hi"}}
    says = {"type": "message", "cost": 1, "message": {"role": "assistant", "content": "Hello.", "cost": 2}}
    row = {"traces": [header, asks, says]}
    done = convert_row(row, FORMATS["session-trace"], FORMATS["openai"], RowOptions())
    assert done.row is not None
    assert done.row["messages"] == [
        {"role": "user", "content": "Hi", "requestId": "r"},
        {"role": "assistant", "content": "Hello.", "cost": 2},
    ]
    assert [loss.name for loss in done.losses] == ["key cost"]
    done = convert_row(row, FORMATS["session-trace"], FORMATS["session-trace"], RowOptions())
    assert [loss.name for loss in done.losses] == ["key cost", "key requestId", "key cost"]
    log = {
        "traces": [
            {**asked("u1", None, "Hi"), "userType": "external"},
            spoken("u2", "u1", "m1", text("Hello.")),
        ]
    }
    done = convert_row(log, FORMATS["claude-code"], FORMATS["openai"], RowOptions())
    assert "key userType" in [loss.name for loss in done.losses]


@pytest.mark.parametrize("name", LOGS)
def test_a_log_becomes_a_session_trace_that_says_the_same(name: str) -> None:
    before = read(*LOGS[name])
    done = convert_row(before.fields, FORMATS[name], FORMATS["session-trace"], RowOptions())
    assert done.row is not None
    header, *messages = done.row["traces"]
    assert {"type", "harness", "id"} <= header.keys()
    assert {message["type"] for message in messages} == {"message"}
    for message in (envelope["message"] for envelope in messages):
        assert message["role"] in ("user", "assistant", "system", "tool")
        assert isinstance(message["content"], str)
        assert isinstance(message.get("timestamp", 0), int)
        keys = {"role", "content", "reasoningContent", "toolCalls", "toolCallId", "timestamp", "model"}
        assert message.keys() <= keys
        assert ("toolCallId" in message) is (message["role"] == "tool")
        for call in message.get("toolCalls", ()):
            assert call.keys() == {"id", "function"}
            assert isinstance(call["function"]["arguments"], str)
    assert said_in(read(*done.row["traces"])) == said_in(before)
    assert dict(read(*done.row["traces"]).columns) == dict(before.columns)
    again = convert_row(done.row, FORMATS["session-trace"], FORMATS["session-trace"], RowOptions())
    assert again.row == done.row
    assert again.changes == ()


def test_the_example_of_the_hub_reads_and_writes_back_unchanged() -> None:
    row = {"traces": SESSION_TRACE}
    done = convert_row(row, FORMATS["session-trace"], FORMATS["session-trace"], RowOptions())
    assert done.changes == ()
    messages = [line["message"] for line in done.row["traces"][1:]]
    assert messages == [line["message"] for line in SESSION_TRACE[1:]]
    assert done.row["traces"][0] == {**SESSION_TRACE[0], "model": "tiny"}


def test_a_session_without_an_id_gets_one_that_depends_on_what_it_says() -> None:
    def made(answer: str) -> Any:
        messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": answer}]
        done = convert_row({"messages": messages}, FORMATS["openai"], FORMATS["session-trace"], RowOptions())
        assert [str(change.code) for change in done.changes] == ["session-id"]
        return done.row["traces"][0]["id"]

    assert made("Hello.") == made("Hello.") != made("Bye.")


KINDS = (
    *("user", "assistant", "system", "attachment", "summary", "session_meta", "response_item", "event_msg"),
    *(
        "turn_context",
        "compacted",
        "session",
        "message",
        "model_change",
        "reasoning",
        "function_call",
        "tool_use",
    ),
    *("custom_tool_call", "local_shell_call", "function_call_output", "tool_result", "thinking", "text"),
    *("thread_rolled_back", "queued_command", "toolCall", "tool_search_output"),
)
NAMES = st.sampled_from(
    [
        *(
            "type",
            "message",
            "payload",
            "content",
            "role",
            "id",
            "uuid",
            "parentUuid",
            "isSidechain",
            "agentId",
        ),
        *("sessionId", "attachment", "prompt", "name", "input", "arguments", "call_id", "output", "summary"),
        *("toolCalls", "toolCallId", "function", "timestamp", "model", "tools", "num_turns", "dynamic_tools"),
        *("text", "thinking", "base_instructions", "instructions", "action", "subtype", "tool_use_id"),
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(KINDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)
EVENTS = JSON | st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={"payload": JSON, "message": JSON, "uuid": JSON, "sessionId": JSON},
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    events=st.lists(EVENTS | st.sampled_from([*CLAUDE_CODE, *CODEX, *PI]), max_size=6),
    start=st.sampled_from([CLAUDE_CODE[0], CODEX[0], PI[0], BASH]),
)
def test_no_events_raise_and_a_session_trace_is_read_as_it_was_written(events: list[Any], start: Any) -> None:
    for name in LOGS:
        form = FORMATS[name]
        assert form.log is not None
        for lines in form.log.sessions([start, *events]):
            row = {"traces": list(lines)}
            read_row = form.read(row)
            assert [entry.place for entry in read_row.entries] == list(range(len(read_row.entries)))
            done = convert_row(row, form, FORMATS["session-trace"], RowOptions())
            assert (done.row is None) == bool(done.problems)
    for event in events:
        log_format(event)
