"""Conversations as ShareGPT rows; what a trainer must not learn stays out."""

import json
import re

import pytest

from workbench.chat.message import Message, Role
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.sharegpt import FinishedMessage, to_sharegpt

TOOLS = OfferedTools(specs=(ToolSpec.of_function({"name": "f", "parameters": {"type": "object"}}),))
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "é"}}\n</tool_call>'


def said(*pairs, finish="stop"):
    """Messages from (role, text); the last one's finish reason is `finish`."""
    messages = [FinishedMessage(message=Message(role=Role(role), text=text)) for role, text in pairs]
    messages[-1] = FinishedMessage(message=messages[-1].message, finish_reason=finish)
    return messages


def test_a_conversation_becomes_a_row_with_results_merged():
    row = to_sharegpt(
        said(
            ("system", " S\r\n"),
            ("user", "q"),
            ("assistant", CALL + "\n" + CALL),
            ("tool", '{"t": 1}'),
            ("tool", "two"),
            ("assistant", "done"),
        ),
        TOOLS,
        source="test",
    ).row
    assert row["conversations"] == [
        {"from": "system", "value": " S\r\n"},
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": CALL + "\n" + CALL},
        {
            "from": "tool",
            "value": '<tool_response>\n{"t": 1}\n</tool_response>\n<tool_response>\ntwo\n</tool_response>',
        },
        {"from": "gpt", "value": "done"},
    ]
    assert json.loads(row["tools"]) == [spec.document for spec in TOOLS.specs]
    assert row["source"] == "test"


def test_a_safe_fix_is_applied_and_told():
    exported = to_sharegpt(
        said(("user", "q"), ("assistant", CALL.replace('"é"}}', '"é",}}'))), TOOLS, source="test"
    )
    assert exported.row["conversations"][1]["value"] == CALL
    assert exported.fixed_entries == (1,)


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        (said(("system", "s")), "has not said anything"),
        (said(("user", "q"), ("assistant", CALL), ("tool", "1")), "the last message is the tool's"),
        (said(("user", "q"), ("assistant", "half"), finish="cancelled"), "message 2: .*not finished"),
        (said(("user", "q"), ("assistant", "half"), finish="length"), "message 2: .*not finished"),
        (
            said(("user", "q"), ("assistant", "<tool_call>\n{bad}\n</tool_call>")),
            "message 2: 1 call block.*invalid-json",
        ),
        (said(("user", "q"), ("assistant", CALL.replace('"f"', '"g"'))), "the call of 'g' .*unknown-tool"),
        (
            said(("user", "q"), ("assistant", CALL.replace('"é"', '"he said "hi" to me"'))),
            "a fix is a guess .unescaped-quote",
        ),
    ],
)
def test_what_a_trainer_must_not_learn_stays_out_and_says_why(messages, problem):
    exported = to_sharegpt(messages, TOOLS, source="test")
    assert exported.row is None
    assert re.search(problem, exported.problem), exported.problem
