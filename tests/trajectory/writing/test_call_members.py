"""A member of a call beside its name and arguments is reported by the check, and as a loss by a conversion."""

import json
from typing import Any

import pytest

from workbench.trajectory.formats.known import FORMATS, WRITTEN, detect_format
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.validate.check import check_completely
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions

SPEC: dict[str, Any] = {
    "name": "move",
    "description": "d",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
}
TOOLS = [{"type": "function", "function": SPEC}]
CALL = {"name": "move", "arguments": {"a": 1}}
TEXT_FORMATS = ("sharegpt", "hermes-agent", "hermes-messages", "raw")
CHAT_FORMATS = ("openai", "trl")
TARGETS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


def tagged(members: dict[str, Any]) -> str:
    return f"<tool_call>\n{json.dumps({**CALL, **members})}\n</tool_call>"


def chat(call: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", **call, **more}],
    }
    return {"messages": [{"role": "user", "content": "go"}, message], "tools": TOOLS}


def sharegpt(members: dict[str, Any]) -> dict[str, Any]:
    spoken = [{"from": "human", "value": "go"}, {"from": "gpt", "value": tagged(members)}]
    return {"conversations": spoken, "tools": json.dumps(TOOLS)}


def openai(members: dict[str, Any]) -> dict[str, Any]:
    return chat({"function": {**CALL, "arguments": '{"a": 1}', **members}})


def legacy(members: dict[str, Any]) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": None,
        "function_call": {**CALL, "arguments": '{"a": 1}', **members},
    }
    return {"messages": [{"role": "user", "content": "go"}, message], "functions": [SPEC]}


def llamafactory(members: dict[str, Any]) -> dict[str, Any]:
    spoken = [
        {"from": "human", "value": "go"},
        {"from": "function_call", "value": json.dumps({**CALL, **members})},
    ]
    return {"conversations": spoken, "tools": json.dumps([SPEC])}


def xlam(members: dict[str, Any]) -> dict[str, Any]:
    return {"query": "go", "tools": json.dumps([SPEC]), "answers": json.dumps([{**CALL, **members}])}


def glaive(members: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps({**CALL, **members})
    return {
        "system": f"SYSTEM: You have these functions - {json.dumps(SPEC)}",
        "chat": f"USER: go\n\n\nASSISTANT: <functioncall> {text} <|endoftext|>",
    }


ROWS = {
    "sharegpt": sharegpt,
    "raw": lambda members: {
        "text": f"<|im_start|>user\ngo<|im_end|>\n<|im_start|>assistant\n{tagged(members)}<|im_end|>\n",
        "tools": json.dumps(TOOLS),
    },
    "hermes-messages": lambda members: {
        "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": tagged(members)}],
        "tools": TOOLS,
    },
    "openai": openai,
    "openai-call": lambda members: chat({"function": {**CALL, "arguments": '{"a": 1}'}}, **members),
    "trl": lambda members: chat({"function": {**CALL, **members}}),
    "legacy": legacy,
    "llamafactory": llamafactory,
    "xlam": xlam,
    "glaive": glaive,
}


def codes(row: dict[str, Any]) -> list[str]:
    form = detect_format(row)
    assert form is not None
    return [finding.code for finding in check_completely(form.read(row)).findings]


@pytest.mark.parametrize("name", ROWS)
def test_the_check_reports_each_member_of_a_call_that_is_not_used(name: str) -> None:
    plain = codes(ROWS[name]({}))
    assert codes(ROWS[name]({"id": "c", "x": 2, "y": {"z": 1}})) == [
        *plain,
        "unknown-member",
        "unknown-member",
    ]
    assert codes(ROWS[name]({"b": 2})) == [*plain, "call-not-strict"]


@pytest.mark.parametrize("name", ["openai", "openai-call", "trl", "legacy"])
def test_a_null_that_arrow_filled_in_is_no_member(name: str) -> None:
    assert codes(ROWS[name]({"x": None})) == codes(ROWS[name]({}))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ROWS)
def test_a_conversion_keeps_the_members_of_calls_or_lists_what_it_drops(name: str, target: str) -> None:
    row = ROWS[name]({"b": 2, "x": "deep"})
    form = detect_format(row)
    assert form is not None
    done = convert_row(row, form, FORMATS[target], RowOptions())
    assert done.row is not None, done.problems
    lost = [loss.detail for loss in done.losses if loss.code == "call-members"]
    is_kept = target in CHAT_FORMATS or (name in TEXT_FORMATS and target in TEXT_FORMATS)
    assert lost == ([] if is_kept else ["'b' of 'move'", "'x' of 'move'"])
    assert ("deep" in json.dumps(done.row)) is is_kept
