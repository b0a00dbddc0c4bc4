"""Sessions of agents are read as rows: one message for what is several events, and a report of what is left out."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from tests.trajectory.formats.agent_logs import (
    CLAUDE_CODE,
    CODEX,
    HERMES_SNAPSHOT,
    ID,
    LOGS,
    PI,
    SESSION_TRACE,
    asked,
    claude,
    codex,
    item,
    read,
    reported,
    result,
    said,
    said_in,
    spoken,
    text,
)
from workbench.trajectory.formats.known import FORMATS, detect_format, log_format
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions


def test_of_claude_code() -> None:
    row = read(*CLAUDE_CODE)
    assert row.format == "claude-code"
    assert said_in(row) == [
        ("user", "", "Fix the failing test"),
        (
            "assistant",
            "Run it first.",
            "I will run the tests.Bash{'command': 'pytest -q'} Read{'file_path': 'a.py'}",
        ),
        ("tool", "", "1 failed"),
        ("tool", "", "def f(): pass"),
        ("assistant", "", "The function is empty."),
    ]
    assert dict(row.columns) == {
        "harness": "claude_code",
        "id": "11111111-1111-4111-8111-111111111111",
        "cwd": "/home/ann/shop",
        "git_branch": "main",
        "cli_version": "2.1.197",
        "timestamp": "2026-06-29T19:00:01.123Z",
        "model": "claude-opus-4-6",
        "name": "Fix the failing test",
    }
    calls = row.entries[1].calls
    assert [call.pointer for call in calls] == ["/traces/5/message/content/0", "/traces/7/message/content/0"]
    assert row.entries[2].others["is_error"] is True
    assert row.entries[0].others == {"timestamp": "2026-06-29T19:00:01.123Z"}
    assert reported(row) == [("tools-unlisted", "/traces/0")]
    unread = next(finding.message for finding in row.findings if finding.code == "log-members")
    assert unread.endswith("requestId, stop_reason, toolUseResult, usage, userType")


def test_of_what_claude_code_adds_and_the_user_undoes() -> None:
    row = read(
        asked("u1", None, "Hi"),
        spoken("u2", "u1", "m1", text("Hello.")),
        asked("u3", "u2", "Remove it"),
        spoken("u4", "u3", "m2", text("Deleted.")),
        asked("u5", "u2", "Fix it"),
        claude("attachment", "u6", "u5", attachment={"type": "todo_reminder", "content": []}),
        spoken("u7", "u6", "m3", text("Fixed.")),
        claude("attachment", "u8", "u7", attachment={"type": "queued_command", "prompt": "Quickly"}),
        asked("u9", "u8", "Thanks"),
        claude(
            "assistant", "u10", "u9", message={"model": "<synthetic>", "content": [text("API Error: 529")]}
        ),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": "u11",
            "parentUuid": None,
            "logicalParentUuid": "u9",
        },
        asked("u12", "u11", "This session is being continued.", isCompactSummary=True),
        spoken("u13", "u12", "m4", text("Done.")),
    )
    assert said_in(row) == [
        ("user", "", "Hi"),
        ("assistant", "", "Hello."),
        ("user", "", "Fix it"),
        ("assistant", "", "Fixed."),
        ("user", "", "Quickly\n\nThanks\n\nThis session is being continued."),
        ("assistant", "", "Done."),
    ]
    assert reported(row) == [
        ("log-left-out", "/traces/2"),
        ("log-left-out", "/traces/5"),
        ("log-left-out", "/traces/9"),
        ("log-compacted", "/traces/10"),
        ("tools-unlisted", "/traces/0"),
    ]
    lost = [change.detail for change in row.changes if change.code == "log-events"]
    assert lost[0] == "messages that the user went back from are not in the row: lines 3, 4"


def test_a_subagent_of_claude_code_in_the_same_file_is_a_session_of_its_own() -> None:
    task = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look around"}}
    lines = [
        asked("u1", None, "Hi"),
        spoken("u2", "u1", "m1", task),
        asked("u3", None, "Look around", isSidechain=True),
        spoken("u4", "u3", "m2", text("Nothing here."), isSidechain=True),
        None,
        asked("u5", None, "Look again", isSidechain=True, agentId="a2"),
        spoken("u6", "u5", "m3", text("Nothing again."), isSidechain=True, agentId="a2"),
        asked("u7", "u2", [result("t1", "Nothing here.")]),
        '{"type": "assis',
    ]
    form = log_format(lines[0])
    assert form is not None
    assert form.log is not None
    sessions = list(form.log.sessions(lines))
    assert [[place for place, line in enumerate(session) if line is not None] for session in sessions] == [
        [0, 1, 7, 8],
        [2, 3],
        [5, 6],
    ]
    assert all(len(session) == len(lines) for session in sessions)
    assert [said_in(read(*session))[-1][2] for session in sessions] == [
        "Nothing here.",
        "Nothing here.",
        "Nothing again.",
    ]
    ids = [read(*session).columns for session in sessions]
    assert [columns["id"] for columns in ids] == [ID, "agent-u3", "agent-a2"]
    assert [columns.get("parent_id") for columns in ids] == [None, ID, ID]
    # A file with one subagent only, as newer versions write it, is one session.
    assert len(list(form.log.sessions(lines[2:4]))) == 1


def test_of_codex() -> None:
    row = read(*CODEX)
    assert row.format == "codex"
    assert said_in(row) == [
        ("system", "", "You are Codex.\n\n<permissions instructions>read-only</permissions instructions>"),
        (
            "user",
            "",
            "<environment_context>\n  <cwd>/home/ann/shop</cwd>\n</environment_context>\n\nList the files",
        ),
        ("assistant", "Listing", "exec_command{'cmd': 'ls'}"),
        ("tool", "", "a.py\n"),
        ("assistant", "", "apply_patch{'input': '*** Begin'}"),
        ("tool", "", "Success"),
        ("assistant", "", "local_shell{'type': 'exec', 'command': ['ls']}"),
        ("tool", "", "a.py"),
        ("assistant", "", "There is a.py."),
    ]
    assert row.columns["model"] == "gpt-5.5"
    assert row.columns["git"] == {"branch": "main"}
    assert row.entries[2].calls[0].pointer == "/traces/7/payload"
    assert row.entries[2].others["timestamp"] == "2026-10-01T09:00:03.000Z"
    assert reported(row) == [("tools-unlisted", "/traces/0")]


def test_of_what_codex_lists_takes_back_and_does_not_say() -> None:
    now = {"name": "now", "description": "The time", "inputSchema": {"type": "object", "properties": {}}}
    row = read(
        codex(0, "session_meta", id="s1", dynamic_tools=[now]),
        said(1, "user", "Hi"),
        said(2, "assistant", "Hello."),
        said(3, "user", "Remove it"),
        said(4, "assistant", "Deleted."),
        codex(5, "event_msg", type="thread_rolled_back", num_turns=1),
        codex(5, "turn_context", model="small"),
        item(6, "web_search_call", status="completed", action={"type": "search", "query": "x"}),
        item(6, "agent_message", author="/root/judge", recipient="/root", content="Fine."),
        codex(7, "compacted", message="", replacement_history=[]),
        codex(8, "session_meta", id="s0", cwd="/of/the/forked/session"),
        item(8, "dream", text="x"),
        said(9, "user", "Thanks"),
        codex(9, "turn_context", model="large"),
        said(10, "assistant", "You are welcome."),
        codex(11, "weather", x=1),
    )
    assert [message[2] for message in said_in(row)] == ["Hi", "Hello.", "Thanks", "You are welcome."]
    assert row.tools.names == ("now",)
    assert row.columns["id"] == "s1"
    assert (row.columns["model"], row.entries[-1].others["model"]) == ("small", "large")
    assert reported(row) == [
        ("log-left-out", "/traces/5"),
        ("log-left-out", "/traces/7"),
        ("log-left-out", "/traces/8"),
        ("log-compacted", "/traces/9"),
        ("log-event", "/traces/11"),
        ("log-event", "/traces/15"),
    ]


def test_of_codex_before_september_2025() -> None:
    row = read(
        {"id": "s1", "timestamp": "2025-07-01T10:00:00Z", "instructions": "Be brief.", "git": {}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
    )
    assert row.format == "codex"
    assert [message[2] for message in said_in(row)] == ["Be brief.", "Hi", "shell{'command': ['ls']}", "a.py"]


@pytest.mark.parametrize("lines", [SESSION_TRACE, PI], ids=["session-trace", "pi"])
def test_of_traces_with_envelopes(lines: list[dict[str, Any]]) -> None:
    row = read(*lines)
    assert row.format == "session-trace"
    asks, calls, gets, ends = said_in(row)
    assert (asks[0], gets[0]) == ("user", "tool")
    assert calls[1]
    assert calls[2].startswith(("get_time{", "bash{'command': 'ls'}"))
    assert ends[2] in ("it is 15:00 UTC", "None.")
    assert row.columns["model"] == "tiny"
    assert row.entries[2].others.get("is_error", False) is (lines is PI)
    assert reported(row) == ([("tools-unlisted", "/traces/0")] if lines is PI else [])


NOT_READ = ("permission-mode", "file-history-snapshot", "ai-title", "event_msg", "ghost_snapshot")
"""Kinds of events and items that are not read at all."""
NAMED_AS_ONE = ("usage", "summary")
"""Members that are reported or refused with all that is in them."""
MORE = {
    "claude-code": [
        claude("attachment", "u9", "u8", attachment={"type": "queued_command", "prompt": "Quickly"}),
        asked("u10", "u9", "Thanks"),
    ],
    "codex": [
        item(12, "tool_search_call", call_id="call_4", arguments={"query": "x"}),
        item(13, "tool_search_output", call_id="call_4", tools=[{"name": "now"}]),
        item(14, "local_shell_call", call_id="call_5", action={"type": "exec"}),
        item(15, "local_shell_call_output", call_id="call_5", output="a.py"),
    ],
}


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value, without those of events that are not read."""
    if isinstance(value, dict):
        if value.get("type") not in NOT_READ and value.get("payload", value).get("type") not in NOT_READ:
            yield value
            for key, member in value.items():
                yield from () if key in NAMED_AS_ONE else objects_of(member)
    elif isinstance(value, list):
        for member in value:
            yield from objects_of(member)


@pytest.mark.parametrize("name", LOGS)
def test_each_member_of_a_log_is_in_the_row_once_or_its_loss_is_reported(name: str) -> None:
    lines = [*LOGS[name], *MORE.get(name, ())]
    for place, _ in enumerate(objects_of(lines)):
        changed = deepcopy(lines)
        list(objects_of(changed))[place]["new_key"] = "new value"
        done = convert_row({"traces": changed}, FORMATS[name], FORMATS["trl"], RowOptions())
        kept = json.dumps(done.row).count("new value")
        lost = [loss for loss in done.losses if "new_key" in loss.detail]
        assert (done.row is None, kept + len(lost)) == (False, 1), list(objects_of(lines))[place]


def test_codex_reports_what_begins_a_log_and_a_turn() -> None:
    row = read(
        {
            **codex(
                0,
                "session_meta",
                id="s1",
                timestamp="2026-10-01T08:59:59Z",
                cwd="/shop",
                instructions="Be brief.",
                base_instructions={"text": "You are Codex.", "version": 2},
                model_provider="openai",
                git={},
            ),
            "ordinal": 1,
        },
        codex(1, "turn_context", cwd="/shop", model="small", effort="high", summary=None),
        codex(2, "turn_context", cwd="/other", model="large", effort="high"),
        said(3, "user", "Hi"),
    )
    assert row.columns["timestamp"] == "2026-10-01T08:59:59Z"
    (note,) = (finding.message for finding in row.findings if finding.code == "log-members")
    assert note.endswith(": cwd, effort, instructions, model_provider, ordinal, version")


def test_what_codex_calls_differently_is_read_once() -> None:
    row = read(*CODEX, *MORE["codex"])
    assert [dict(call.arguments or {}) for entry in row.entries for call in entry.calls][2:] == [
        {"type": "exec", "command": ["ls"]},
        {"query": "x"},
        {"type": "exec"},
    ]
    assert not {"action", "tools", "output"} & {key for entry in row.entries for key in entry.others}
    assert [call.others for entry in row.entries for call in entry.calls if call.others] == []


@pytest.mark.parametrize("name", LOGS)
def test_events_may_be_json_texts_as_in_parquet(name: str) -> None:
    lines = LOGS[name]
    row = read(*map(json.dumps, lines), '{"type": "cut o')
    assert (row.format, said_in(row)) == (name, said_in(read(*lines)))
    assert ("log-line", f"/traces/{len(lines)}") in reported(row)


def test_of_sessions_of_hermes_agent() -> None:
    exported = {
        **{key: HERMES_SNAPSHOT[key] for key in ("model", "system_prompt", "messages")},
        "id": "20260420_211037_de8721",
        "source": "cli",
        "parent_session_id": None,
        "started_at": 1776719437.5,
    }
    for row in (HERMES_SNAPSHOT, exported):
        found = detect_format(row)
        assert found is not None
        assert found.name == "hermes-session"
        read_row = found.read(row)
        assert said_in(read_row) == [
            ("system", "", "You are Hermes."),
            ("user", "", "What time is it?"),
            ("assistant", "Ask the clock.", "get_time{}"),
            ("tool", "", "15:00"),
            ("assistant", "", "It is 15:00."),
        ]
        assert read_row.entries[0].pointer == "/system_prompt"
        assert read_row.columns["model"] == "hermes-4"
        done = convert_row(row, found, FORMATS["session-trace"], RowOptions())
        assert done.row["traces"][0]["harness"] == "hermes"
        assert done.row["traces"][0]["id"] == "20260420_211037_de8721"
