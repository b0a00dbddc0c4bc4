"""A conversation becomes the request of a chat API, whichever engine wrote it."""

import json

import pytest

from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.openai_messages import to_chat_request

CALL = '<tool_call>\n{"name": "now", "arguments": {"zone": "CET"}}\n</tool_call>'
USER = Message(role=Role.USER, text="What time is it?")
RESULT = Message(role=Role.TOOL, text="12:00", name="now")
STRUCTURED = Message(
    role=Role.ASSISTANT,
    text="One moment.",
    calls=(ToolCall(name="now", arguments={"zone": "CET"}),),
    thought="Hm.",
)


def request_of(*messages):
    return to_chat_request(Conversation(messages=messages))


@pytest.mark.parametrize(
    "answer",
    [
        STRUCTURED,
        Message(role=Role.ASSISTANT, text=f"One moment.\n{CALL}"),
        Message(role=Role.ASSISTANT, text=f"<think>\nHm.\n</think>\n\nOne moment.\n{CALL}"),
    ],
)
def test_a_call_gets_an_id_that_its_result_refers_to(answer):
    question, call, result = request_of(USER, answer, RESULT)
    assert question == {"role": "user", "content": "What time is it?"}
    assert call["content"] == "One moment."
    (sent,) = call["tool_calls"]
    assert json.loads(sent["function"]["arguments"]) == {"zone": "CET"}
    assert result == {"role": "tool", "tool_call_id": sent["id"], "content": "12:00"}


def test_each_id_has_exactly_one_result_in_a_long_conversation():
    two = Message(role=Role.ASSISTANT, text=f"{CALL}\n{CALL}")
    sent = request_of(USER, two, RESULT, RESULT, STRUCTURED, RESULT)
    ids = [call["id"] for entry in sent for call in entry.get("tool_calls", ())]
    assert ids == [entry["tool_call_id"] for entry in sent if entry["role"] == "tool"]
    assert len(set(ids)) == 3


def test_calls_without_all_of_their_results_are_sent_as_text():
    two = Message(role=Role.ASSISTANT, text=f"{CALL}\n{CALL}")
    sent = request_of(USER, two, RESULT, USER)
    assert [entry["role"] for entry in sent] == ["user", "assistant", "user", "user"]
    assert sent[1]["content"] == two.text
    assert "12:00" in sent[2]["content"]


def test_thoughts_are_left_out_of_an_answer():
    (sent,) = request_of(Message(role=Role.ASSISTANT, text="<think>\nHm.\n</think>\n\nNoon."))
    assert sent == {"role": "assistant", "content": "Noon."}
