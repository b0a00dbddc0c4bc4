"""Session logs as agents write them, and what is read from them. Each is the lines of one file."""

import json
from typing import Any

from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.row import TrainingRow
from workbench.trajectory.row_reading import read_trajectory

Line = dict[str, Any]
ID = "11111111-1111-4111-8111-111111111111"


def claude(kind: str, uuid: str, parent: str | None, **members: Any) -> Line:
    """Return an event of Claude Code 2.1."""
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ann/shop",
        "sessionId": ID,
        "version": "2.1.197",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": f"2026-06-29T19:00:{int(uuid[1:]):02}.123Z",
        **members,
    }


def asked(uuid: str, parent: str | None, content: Any, **members: Any) -> Line:
    """Return an event of the user, or with results."""
    return claude("user", uuid, parent, message={"role": "user", "content": content}, **members)


def spoken(uuid: str, parent: str, message_id: str, block: Line, **members: Any) -> Line:
    """Return an event with a block of the model's message."""
    message = {
        "model": "claude-opus-4-6",
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "content": [block],
        "stop_reason": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
    return claude("assistant", uuid, parent, message=message, requestId="req_1", **members)


def text(value: str) -> Line:
    """Return a block of text."""
    return {"type": "text", "text": value}


def result(call_id: str, content: Any, **members: Any) -> Line:
    """Return a block with the result of a call."""
    return {"tool_use_id": call_id, "type": "tool_result", "content": content, **members}


BASH = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "pytest -q"}}
READ = {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {"file_path": "a.py"}}
CLAUDE_CODE: list[Line] = [
    {"type": "permission-mode", "permissionMode": "default", "sessionId": ID},
    {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {"trackedFileBackups": {}}},
    asked("u1", None, "Fix the failing test"),
    spoken("u2", "u1", "msg_1", {"type": "thinking", "thinking": "Run it first.", "signature": "Eu4E"}),
    spoken("u3", "u2", "msg_1", text("I will run the tests.")),
    spoken("u4", "u3", "msg_1", BASH),
    asked("u5", "u4", [result("toolu_1", "1 failed", is_error=True)], toolUseResult="Error: 1 failed"),
    spoken("u6", "u4", "msg_1", READ),
    asked("u7", "u6", [result("toolu_2", [text("def f(): pass")])]),
    spoken("u8", "u7", "msg_2", text("The function is empty.")),
    {"type": "ai-title", "aiTitle": "Fix the failing test", "sessionId": ID},
]
"""A session with two calls in one message, whose first result came before the second call."""

CODEX_ID = "019d24c3-0000-7000-8000-000000000001"


def codex(second: int, kind: str, **payload: Any) -> Line:
    """Return an event of Codex CLI 0.171."""
    return {"timestamp": f"2026-10-01T09:00:{second:02}.000Z", "type": kind, "payload": payload}


def item(second: int, kind: str, **members: Any) -> Line:
    """Return an item of the Responses API as an event."""
    return codex(second, "response_item", **{"type": kind, **members})


def said(second: int, role: str, value: str) -> Line:
    """Return a message as an event."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, "message", role=role, content=[{"type": kind, "text": value}])


CODEX: list[Line] = [
    codex(
        0,
        "session_meta",
        id=CODEX_ID,
        cwd="/home/ann/shop",
        originator="codex_cli_rs",
        cli_version="0.171.0",
        source="cli",
        base_instructions={"text": "You are Codex."},
        git={"branch": "main"},
    ),
    said(1, "developer", "<permissions instructions>read-only</permissions instructions>"),
    said(1, "user", "<environment_context>\n  <cwd>/home/ann/shop</cwd>\n</environment_context>"),
    codex(2, "turn_context", cwd="/home/ann/shop", model="gpt-5.5", effort="high"),
    said(2, "user", "List the files"),
    codex(2, "event_msg", type="user_message", message="List the files"),
    item(3, "reasoning", summary=[{"type": "summary_text", "text": "Listing"}], encrypted_content="gAAA"),
    item(4, "function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="call_1"),
    codex(4, "event_msg", type="token_count", info=None),
    item(5, "function_call_output", call_id="call_1", output="a.py\n"),
    item(6, "custom_tool_call", status="completed", call_id="call_2", name="apply_patch", input="*** Begin"),
    item(7, "custom_tool_call_output", call_id="call_2", output="Success"),
    item(
        8,
        "local_shell_call",
        call_id="call_3",
        status="completed",
        action={"type": "exec", "command": ["ls"]},
    ),
    item(9, "function_call_output", call_id="call_3", output=[{"type": "input_text", "text": "a.py"}]),
    item(10, "ghost_snapshot", ghost_commit={"id": "abc"}),
    said(11, "assistant", "There is a.py."),
]

SPEC = {
    "type": "function",
    "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}},
}
SESSION_TRACE: list[Line] = [
    {"type": "session", "harness": "my-agent", "id": "abc123", "name": "what time is it", "tools": [SPEC]},
    {
        "type": "message",
        "message": {"role": "user", "content": "what time is it?", "timestamp": 1790845200000},
    },
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "content": "",
            "reasoningContent": "Ask the clock.",
            "toolCalls": [{"id": "t1", "function": {"name": "get_time", "arguments": "{}"}}],
            "model": "tiny",
        },
    },
    {"type": "message", "message": {"role": "tool", "toolCallId": "t1", "content": "2026-07-01T15:00:00Z"}},
    {"type": "message", "message": {"role": "assistant", "content": "it is 15:00 UTC", "model": "tiny"}},
]
"""The example of https://huggingface.co/docs/hub/session-traces-format with all keys of its tables."""

PI: list[Line] = [
    {"type": "session", "version": 3, "id": "pi-1", "timestamp": "2026-04-01T10:00:00Z", "cwd": "/home/ann"},
    {"type": "model_change", "id": "1", "parentId": None, "provider": "hf", "modelId": "tiny"},
    {
        "type": "message",
        "id": "2",
        "parentId": "1",
        "message": {"role": "user", "content": [text("List files")]},
    },
    {
        "type": "message",
        "id": "3",
        "parentId": "2",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Use ls."},
                {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
            ],
            "model": "tiny",
        },
    },
    {
        "type": "message",
        "id": "4",
        "parentId": "3",
        "message": {
            "role": "toolResult",
            "toolCallId": "c1",
            "content": [text("no such file")],
            "isError": True,
        },
    },
    {
        "type": "message",
        "id": "5",
        "parentId": "4",
        "message": {"role": "assistant", "content": [text("None.")]},
    },
]

HERMES_SNAPSHOT: Line = {
    "session_id": "20260420_211037_de8721",
    "model": "hermes-4",
    "base_url": "http://127.0.0.1:8080/v1",
    "platform": "cli",
    "session_start": "2026-04-20T21:10:37.123456",
    "last_updated": "2026-04-20T21:18:42.654321",
    "system_prompt": "You are Hermes.",
    "tools": [SPEC],
    "message_count": 4,
    "messages": [
        {"role": "user", "content": "What time is it?"},
        {
            "role": "assistant",
            "content": "",
            "reasoning": "Ask the clock.",
            "finish_reason": "tool_calls",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "tool_name": "get_time", "content": "15:00"},
        {"role": "assistant", "content": "It is 15:00.", "finish_reason": "stop"},
    ],
}
"""`~/.hermes/sessions/session_*.json` of hermes-agent 0.19."""

LOGS = {"claude-code": CLAUDE_CODE, "codex": CODEX, "session-trace": SESSION_TRACE}


def read(*lines: Any) -> TrainingRow:
    row = {"traces": [*lines]}
    found = detect_format(row)
    assert found is not None
    return found.read(row)


def said_in(row: TrainingRow) -> list[tuple[str, str, str]]:
    """Return role, thought and text of each message, or its calls and results."""
    found = []
    for message in read_trajectory(row).trajectory.messages:
        calls = " ".join(f"{call.name}{dict(call.arguments)}" for call in message.calls)
        texts = "".join(prose.text for prose in message.prose) + (
            message.result.text if message.result else ""
        )
        found.append(
            (str(message.role), "".join(thought.text for thought in message.thoughts), texts + calls)
        )
    return found


def reported(row: TrainingRow) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in row.findings if finding.code != "log-members"]


def lines_of(*events: Line | str) -> bytes:
    """Return the bytes of a file. A text is a line that is not JSON."""
    return "".join(f"{event if isinstance(event, str) else json.dumps(event)}\n" for event in events).encode()
