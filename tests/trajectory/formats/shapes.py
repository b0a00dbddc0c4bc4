"""One conversation in each shape that people have it in, as the vendors' own libraries write it.

`talk` is what each of them means: a system text, a question, two calls after a thought and a text, their results, of
which the second is an error, and an answer.
"""

import json

import pytest

from workbench.chat.message import Role
from workbench.trajectory.trajectory import Call, Prose, Result, RowMessage, Thought

SYSTEM = "You answer questions about the weather."
QUESTION = "Is it warmer in Oslo or in Bergen?"
THOUGHT = "I need both temperatures."
PREFACE = "Let me look."
ANSWER = "Oslo has 4 °C; Bergen is unknown."
OSLO, BERGEN = {"city": "Oslo", "days": 2}, {"city": "Bergen"}
RESULTS = ('{"celsius": 4}', "no such station")
IDS = ("call_1", "call_2")
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
FUNCTION = {"name": "get_weather", "description": "Get the weather.", "parameters": PARAMETERS}
TOOL = {"type": "function", "function": FUNCTION}


def message(role, *parts):
    """Return a message."""
    return RowMessage(role=Role(role), parts=parts)


def talk(*, has_ids=True):
    """Return the messages that each row means."""
    ids = IDS if has_ids else (None, None)
    calls = [
        Call(name="get_weather", arguments=arguments, id=call_id)
        for arguments, call_id in zip((OSLO, BERGEN), ids, strict=True)
    ]
    results = [
        Result(text=text, id=call_id, name="get_weather") for text, call_id in zip(RESULTS, ids, strict=True)
    ]
    return (
        message("system", Prose(text=SYSTEM)),
        message("user", Prose(text=QUESTION)),
        message("assistant", Thought(text=THOUGHT), Prose(text=PREFACE), *calls),
        message("tool", results[0]),
        message("tool", results[1]),
        message("assistant", Prose(text=ANSWER)),
    )


CACHE = {"type": "ephemeral"}
ANTHROPIC = {
    "model": "claude-opus-4-6",
    "max_tokens": 2048,
    "system": [{"type": "text", "text": SYSTEM, "cache_control": CACHE}],
    "messages": [
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": THOUGHT, "signature": "EqoBCkgIBRABGAIiQ"},
                {"type": "text", "text": PREFACE},
                {"type": "tool_use", "id": IDS[0], "name": "get_weather", "input": OSLO},
                {
                    "type": "tool_use",
                    "id": IDS[1],
                    "name": "get_weather",
                    "input": BERGEN,
                    "cache_control": CACHE,
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": IDS[0],
                    "content": [{"type": "text", "text": RESULTS[0]}],
                },
                {"type": "tool_result", "tool_use_id": IDS[1], "content": RESULTS[1], "is_error": True},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ],
    "tools": [{"name": "get_weather", "description": "Get the weather.", "input_schema": PARAMETERS}],
}
RESPONSES = {
    "model": "gpt-5.1",
    "instructions": SYSTEM,
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": THOUGHT}],
            "encrypted_content": "gAAAAABo",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": PREFACE, "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": IDS[0],
            "name": "get_weather",
            "arguments": json.dumps(OSLO),
            "status": "completed",
        },
        {
            "type": "function_call",
            "id": "fc_2",
            "call_id": IDS[1],
            "name": "get_weather",
            "arguments": json.dumps(BERGEN),
        },
        {"type": "function_call_output", "call_id": IDS[0], "output": RESULTS[0]},
        {
            "type": "function_call_output",
            "call_id": IDS[1],
            "output": [{"type": "input_text", "text": RESULTS[1]}],
        },
    ],
    "output": [
        {
            "type": "message",
            "id": "msg_2",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
        }
    ],
    "tools": [{"type": "function", **FUNCTION, "strict": True}],
}
_CHAT_CALLS = [
    {
        "id": call_id,
        "type": "function",
        "function": {"name": "get_weather", "arguments": json.dumps(arguments)},
    }
    for call_id, arguments in zip(IDS, (OSLO, BERGEN), strict=True)
]
_KWARGS = [
    {"content": SYSTEM, "type": "system"},
    {"content": QUESTION, "type": "human", "name": "ana"},
    {
        "content": PREFACE,
        "additional_kwargs": {"reasoning_content": THOUGHT, "refusal": None, "tool_calls": _CHAT_CALLS},
        "response_metadata": {"model_name": "gpt-4o", "finish_reason": "tool_calls"},
        "type": "ai",
        "id": "run-1",
        "tool_calls": [
            {"name": "get_weather", "args": OSLO, "id": IDS[0], "type": "tool_call"},
            {"name": "get_weather", "args": BERGEN, "id": IDS[1], "type": "tool_call"},
        ],
        "invalid_tool_calls": [],
        "usage_metadata": {"input_tokens": 90, "output_tokens": 31, "total_tokens": 121},
    },
    {"content": RESULTS[0], "type": "tool", "name": "get_weather", "tool_call_id": IDS[0]},
    {
        "content": RESULTS[1],
        "type": "tool",
        "tool_call_id": IDS[1],
        "artifact": {"code": 404},
        "status": "error",
    },
    {"content": ANSWER, "type": "ai", "tool_calls": [], "invalid_tool_calls": []},
]
_CLASSES = ("SystemMessage", "HumanMessage", "AIMessage", "ToolMessage", "ToolMessage", "AIMessage")


def _langchain(messages):
    return {"messages": messages, "tools": [TOOL], "thread": "t1"}


LANGCHAIN_LC = _langchain(
    [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", name],
            "kwargs": fields,
        }
        for name, fields in zip(_CLASSES, _KWARGS, strict=True)
    ]
)
LANGCHAIN_BLOCKS = _langchain(
    [
        *_KWARGS[:2],
        {
            "content": ANTHROPIC["messages"][1]["content"],
            "type": "ai",
            "tool_calls": _KWARGS[2]["tool_calls"],
        },
        *_KWARGS[3:],
    ]
)
LANGCHAIN_OLD = _langchain(
    [
        *_KWARGS[:2],
        {"content": PREFACE, "additional_kwargs": _KWARGS[2]["additional_kwargs"], "type": "ai"},
        *_KWARGS[3:],
    ]
)
CHAT = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": PREFACE,
        "reasoning_content": THOUGHT,
        "tool_calls": _CHAT_CALLS,
    },
    {"role": "tool", "tool_call_id": IDS[0], "content": RESULTS[0]},
    {"role": "tool", "tool_call_id": IDS[1], "content": RESULTS[1]},
    {"role": "assistant", "content": ANSWER},
]
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1764239000,
    "model": "gpt-4o-2024-08-06",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": ANSWER, "refusal": None, "annotations": []},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 90, "completion_tokens": 14, "total_tokens": 104},
}
_REQUEST = {"model": "gpt-4o", "messages": CHAT[:-1], "tools": [TOOL], "temperature": 0.2}
LOG = {"timestamp": "2026-11-27T10:00:00Z", "request": _REQUEST, "response": COMPLETION}
LOG_BATCH = {
    "custom_id": "row-1",
    "request": {"method": "POST", "url": "/v1/chat/completions", "body": _REQUEST},
    "response": {"status_code": 200, "request_id": "req_1", "body": COMPLETION},
}
LOG_LITELLM = {
    "id": "chatcmpl-1",
    "trace_id": "t-1",
    "call_type": "acompletion",
    "status": "success",
    "response_cost": 0.0004,
    "model": "gpt-4o",
    "messages": CHAT[:-1],
    "response": COMPLETION,
    "model_parameters": {"temperature": 0.2, "tools": [TOOL]},
    "startTime": 1764239000.1,
}
LOG_STORED = {**COMPLETION, "messages": CHAT[:-1], "tools": [TOOL], "metadata": {"suite": "weather"}}
LOG_ANTHROPIC = {
    "request": {**ANTHROPIC, "messages": ANTHROPIC["messages"][:-1]},
    "response": {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": ANTHROPIC["messages"][-1]["content"],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 90, "output_tokens": 14},
    },
}
LOG_RESPONSES = {
    "request": {key: RESPONSES[key] for key in ("model", "instructions", "input", "tools")},
    "response": {"id": "resp_1", "object": "response", "output": RESPONSES["output"], "status": "completed"},
}
_CALLS = [json.dumps({"name": "get_weather", "arguments": arguments}) for arguments in (OSLO, BERGEN)]
SWIFT = {
    "messages": [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": f"<think>\n{THOUGHT}\n</think>\n{PREFACE}"},
        {"role": "tool_call", "content": _CALLS[0]},
        {"role": "tool_call", "content": _CALLS[1]},
        {"role": "tool_response", "content": RESULTS[0]},
        {"role": "tool_response", "content": RESULTS[1]},
        {"role": "assistant", "content": ANSWER},
    ],
    "tools": json.dumps([TOOL]),
    "channel": "weather",
}
V1 = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "value": SYSTEM}], "loss_weight": 0.0},
        {"role": "user", "content": [{"type": "text", "value": QUESTION}], "loss_weight": 0.0},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "value": THOUGHT},
                {"type": "text", "value": PREFACE},
                {"type": "tool_call", "value": _CALLS[0]},
                {"type": "tool_call", "value": _CALLS[1]},
            ],
            "loss_weight": 1.0,
        },
        {"role": "tool", "content": [{"type": "text", "value": RESULTS[0]}], "loss_weight": 0.0},
        {"role": "tool", "content": [{"type": "text", "value": RESULTS[1]}], "loss_weight": 0.0},
        {"role": "assistant", "content": [{"type": "text", "value": ANSWER}], "loss_weight": 1.0},
    ],
    "tools": json.dumps([TOOL]),
}
IPYTHON = {
    "messages": [{**fields, "role": "ipython"} if fields["role"] == "tool" else fields for fields in CHAT],
    "tools": [json.dumps(TOOL)],
}
SERVER = {"row_idx": 17, "row": {"messages": CHAT, "tools": [TOOL], "source": "x"}, "truncated_cells": []}
TEXT = {"messages": json.dumps(CHAT), "tools": json.dumps([TOOL]), "source": "x"}

SHAPES = {
    "anthropic": ("anthropic-messages", ANTHROPIC),
    "responses": ("openai-responses", RESPONSES),
    "langchain-dump": ("langchain", _langchain(_KWARGS)),
    "langchain-dicts": (
        "langchain",
        _langchain([{"type": fields["type"], "data": fields} for fields in _KWARGS]),
    ),
    "langchain-lc": ("langchain", LANGCHAIN_LC),
    "langchain-blocks": ("langchain", LANGCHAIN_BLOCKS),
    "langchain-old": ("langchain", LANGCHAIN_OLD),
    "log": ("request-log", LOG),
    "log-text": ("request-log", {key: json.dumps(LOG[key]) for key in ("request", "response")}),
    "log-batch": ("request-log", LOG_BATCH),
    "log-litellm": ("request-log", LOG_LITELLM),
    "log-stored": ("request-log", LOG_STORED),
    "log-anthropic": ("request-log", LOG_ANTHROPIC),
    "log-responses": ("request-log", LOG_RESPONSES),
    "swift": ("ms-swift", SWIFT),
    "llamafactory-v1": ("llamafactory-v1", V1),
    "ipython": ("openai", IPYTHON),
    "server": ("datasets-rows", SERVER),
    "text": ("json-texts", TEXT),
}
"""By a word for the shape: the name of its format, and the row."""

each_shape = pytest.mark.parametrize(("name", "row"), SHAPES.values(), ids=SHAPES)
"""Runs a test with each shape."""


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
