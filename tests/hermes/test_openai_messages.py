"""Messages of chat APIs are read and written."""

from typing import Any

import pytest

from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.hermes.openai_messages import parse_messages, to_messages
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES, family_named


def one(fields: dict[str, Any]) -> tuple[Message, list[tuple[str, str | None]]]:
    read = parse_messages([fields])
    (message,) = read.conversation.messages
    return message, [(finding.code, finding.pointer) for finding in read.findings]


def call(arguments: Any, **function: Any) -> dict[str, Any]:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments, **function}}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


@pytest.mark.parametrize("role", list(Role))
def test_a_message_with_text_is_read(role: Role) -> None:
    assert one({"role": role.value, "content": "x"}) == (Message(role=role, text="x"), [])


def test_thought_and_name_are_read() -> None:
    message, findings = one({"role": "assistant", "content": "x", "reasoning_content": "why", "name": "n"})
    assert (message.thought, message.name, findings) == ("why", "n", [])


def test_arguments_given_as_an_object_are_read() -> None:
    message, findings = one(call({"a": 1}))
    assert message.calls == (ToolCall(name="f", arguments={"a": 1}),)
    assert findings == []


def test_arguments_given_as_text_are_decoded_and_the_text_is_kept() -> None:
    message, findings = one(call('{"a":  1}'))
    assert message.calls == (ToolCall(name="f", arguments={"a": 1}, arguments_text='{"a":  1}'),)
    assert findings == []


@pytest.mark.parametrize("arguments", ["not json", "[1]", "", [1], 7, '{"a": ' * 10_000])
def test_arguments_that_are_not_an_object_are_reported(arguments: Any) -> None:
    message, findings = one(call(arguments))
    assert message.calls[0].arguments == {}
    assert findings == [("arguments-not-object", "/0/tool_calls/0/function/arguments")]


@pytest.mark.parametrize("function", [{"name": "f"}, {"name": "f", "arguments": None}])
def test_missing_arguments_are_an_empty_object_and_reported(function: dict[str, Any]) -> None:
    message, findings = one({"role": "assistant", "content": "", "tool_calls": [{"function": function}]})
    assert message.calls == (ToolCall(name="f", arguments={}),)
    assert findings == [("arguments-not-object", "/0/tool_calls/0/function/arguments")]


def test_a_call_without_a_function_wrapper_is_read() -> None:
    fields = {"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": {"a": 1}}]}
    assert one(fields)[0].calls == (ToolCall(name="f", arguments={"a": 1}),)


@pytest.mark.parametrize("empty", [[], None, {}])
def test_empty_tool_calls_are_left_out_and_reported(empty: Any) -> None:
    message, findings = one({"role": "assistant", "content": "x", "tool_calls": empty})
    assert message == Message(role=Role.ASSISTANT, text="x")
    assert findings == [("empty-tool-calls", "/0/tool_calls")]


@pytest.mark.parametrize(
    ("content", "text", "code"),
    [
        (None, "", "content-missing"),
        ({"t": 18}, '{"t": 18}', "content-not-text"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab", "content-not-text"),
        ([{"type": "image_url"}], '[{"type": "image_url"}]', "content-not-text"),
        ([], "", "content-missing"),
        ([[]], "[[]]", "content-not-text"),
    ],
)
def test_content_that_is_not_text_is_converted_and_reported(content: Any, text: str, code: str) -> None:
    message, findings = one({"role": "tool", "content": content})
    assert message.text == text
    assert findings == [(code, "/0/content")]


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        ("x", "messages, /0"),
        ({"role": "robot", "content": "x"}, "messages, /0/role"),
        ({"content": "x"}, "messages, /0/role"),
        ({"role": ["user"], "content": "x"}, "messages, /0/role"),
        ({"role": "assistant", "content": "", "tool_calls": [{"function": {}}]}, "messages, /0/tool_calls/0"),
    ],
)
def test_an_invalid_message_raises_bad_input(entry: Any, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_messages([entry])
    assert caught.value.where == where


def test_a_conversation_survives_conversion_to_messages_and_back() -> None:
    conversation = Conversation(
        messages=(
            Message(role=Role.SYSTEM, text="s"),
            Message(
                role=Role.ASSISTANT,
                text="",
                calls=(
                    ToolCall(name="f", arguments={"a": [1, None]}),
                    ToolCall(name="g", arguments={"a": 1}, arguments_text='{"a":1}'),
                ),
                thought="why",
            ),
            Message(role=Role.TOOL, text="r", name="f"),
        )
    )
    assert parse_messages(to_messages(conversation)) == (conversation, ())


@pytest.mark.parametrize(
    ("content", "family", "expected"),
    [
        (None, None, []),
        (None, "qwen2.5", []),
        (None, "qwen3", [("template-would-crash", "/0/content")]),
        ("", "qwen3", []),
        ([], None, [("content-not-text", "/0/content")]),
        ([{"type": "text", "text": ""}], None, [("content-not-text", "/0/content")]),
    ],
)
def test_null_and_empty_content_beside_calls_is_an_empty_text(
    content: Any, family: str | None, expected: list[tuple[str, str]]
) -> None:
    message = {"role": "assistant", "content": content, "tool_calls": [{"name": "f", "arguments": {}}]}
    read = parse_messages([message], family=family_named(family) if family else None)
    assert read.conversation.messages[0].text == ""
    assert [(finding.code, finding.pointer) for finding in read.findings] == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_an_empty_list_of_content_is_written_as_no_text(family: str) -> None:
    def prompt(content: Any) -> str:
        calls = [{"name": "f", "arguments": {}}]
        messages = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": content, "tool_calls": calls},
            {"role": "tool", "content": content},
            {"role": "assistant", "content": content},
        ]
        return render(parse_messages(messages).conversation, family=family).text

    assert prompt([]) == prompt("")
