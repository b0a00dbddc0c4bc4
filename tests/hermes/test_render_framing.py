"""Framing with a contract, thoughts in the history, and the opened turn."""

import pytest

from workbench.chat.finding import Span
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.hermes.prompt_writer import PromptPart
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES
from workbench.toolspec.spec import OfferedTools, ToolSpec

SYSTEM = Message(role=Role.SYSTEM, text="Use <tools>\n…\n</tools>.")
HI = Message(role=Role.USER, text="Hi")
RAW_CALL = Message(role=Role.ASSISTANT, text='<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>')
RESULT = Message(role=Role.TOOL, text="12:00", name="now")
TOOLS = OfferedTools(specs=(ToolSpec.of_function({"name": "now"}),))


def conversation(*messages: Message) -> Conversation:
    return Conversation(messages=messages)


def test_with_a_contract_only_its_system_text_is_written_and_no_tools() -> None:
    prompt = render(conversation(SYSTEM, HI), family="hermes-3", has_contract=True, tools=TOOLS)
    assert prompt.text == (
        "<|im_start|>system\nUse <tools>\n…\n</tools>.<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt.findings == ()


@pytest.mark.parametrize("family", [name for name in FAMILIES if name.startswith("qwen")])
def test_with_a_contract_no_default_system_text_is_added(family: str) -> None:
    assert "system" not in render(conversation(HI), family=family, has_contract=True, tools=TOOLS).text


def test_hermes_lines_renders_a_call_and_its_result_in_a_user_turn() -> None:
    prompt = render(conversation(SYSTEM, HI, RAW_CALL, RESULT), family="hermes-lines", has_contract=True)
    assert prompt.text == (
        "<|im_start|>system\nUse <tools>\n…\n</tools>.<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n"
        '<|im_start|>assistant\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n12:00\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_hermes_3_renders_a_result_in_a_tool_turn() -> None:
    prompt = render(conversation(HI, RAW_CALL, RESULT), family="hermes-3", has_contract=True)
    assert prompt.text.endswith(
        "<|im_start|>tool\n<tool_response>\n12:00\n</tool_response><|im_end|><|im_start|>assistant\n"
    )


def test_a_models_own_text_keeps_its_white_space() -> None:
    raw = Message(role=Role.ASSISTANT, text="  Hello \n")
    prompt = render(conversation(HI, raw), family="hermes-lines", has_contract=True)
    assert "<|im_start|>assistant\n  Hello \n<|im_end|>" in prompt.text


def test_each_part_has_its_role_and_message() -> None:
    prompt = render(conversation(SYSTEM, HI, RAW_CALL, RESULT, RESULT), family="qwen3", has_contract=True)
    assert [(part.role, part.message_index) for part in prompt.parts] == [
        (Role.SYSTEM, 0),
        (Role.USER, 1),
        (Role.ASSISTANT, 2),
        (Role.TOOL, 3),
        (Role.TOOL, 4),
        (Role.ASSISTANT, None),
    ]


def test_an_empty_conversation_without_a_turn_to_open_is_an_empty_prompt() -> None:
    prompt = render(conversation(), family="hermes-lines", has_contract=True, generation_prompt=False)
    assert (prompt.text, prompt.parts, prompt.marks, prompt.findings) == ("", (), (), ())


def test_the_opened_turn_is_a_separate_part() -> None:
    prompt = render(conversation(), family="hermes-lines", has_contract=True)
    assert prompt.parts == (PromptPart(span=Span(0, 22), role=Role.ASSISTANT, message_index=None),)
    assert [mark.of(prompt.text) for mark in prompt.marks] == ["<|im_start|>"]


def test_an_unknown_family_raises_bad_input() -> None:
    with pytest.raises(BadInput, match="family 'x'"):
        render(conversation(HI), family="x", has_contract=True)


def test_qwen36_opens_a_thought() -> None:
    prompt = render(conversation(HI), family="qwen3.6", has_contract=True)
    assert prompt.starts_in_thought
    assert prompt.text.endswith("<|im_start|>assistant\n<think>\n")


@pytest.mark.parametrize("family", ["qwen3", "qwen3.6"])
def test_thinking_can_be_switched_off(family: str) -> None:
    prompt = render(conversation(HI), family=family, has_contract=True, thinking=False)
    assert prompt.text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert not prompt.starts_in_thought


THOUGHTFUL = Message(role=Role.ASSISTANT, text="<think>\nwhy\n</think>\n\nBecause.")
APART = Message(role=Role.ASSISTANT, text="Because.", thought="why")


@pytest.mark.parametrize("message", [THOUGHTFUL, APART])
@pytest.mark.parametrize("family", ["qwen3", "qwen3.6"])
def test_a_thought_of_a_previous_turn_is_not_written(family: str, message: Message) -> None:
    prompt = render(conversation(HI, message, HI), family=family, has_contract=True)
    assert "<|im_start|>assistant\nBecause.<|im_end|>" in prompt.text
    assert prompt.findings == ()


@pytest.mark.parametrize("message", [THOUGHTFUL, APART])
@pytest.mark.parametrize("family", ["qwen3", "qwen3.6"])
def test_a_thought_of_the_running_turn_is_written(family: str, message: Message) -> None:
    prompt = render(conversation(HI, message, RESULT), family=family, has_contract=True)
    assert "<|im_start|>assistant\n<think>\nwhy\n</think>\n\nBecause.<|im_end|>" in prompt.text


def test_a_completion_that_started_inside_a_thought_is_written_completely() -> None:
    raw = Message(role=Role.ASSISTANT, text="why\n</think>\n\nBecause.")
    prompt = render(conversation(HI, raw, RESULT), family="qwen3.6", has_contract=True)
    assert "<|im_start|>assistant\n<think>\nwhy\n</think>\n\nBecause.<|im_end|>" in prompt.text


def test_a_tool_result_in_a_user_message_is_not_a_question() -> None:
    written = Message(role=Role.USER, text="<tool_response>\n1\n</tool_response>")
    prompt = render(conversation(HI, THOUGHTFUL, written), family="qwen3", has_contract=True)
    assert "why" in prompt.text


@pytest.mark.parametrize("family", ["hermes-lines", "hermes-array", "nous-python", "hermes-3-sane"])
def test_our_own_families_write_a_separate_thought(family: str) -> None:
    prompt = render(conversation(HI, APART), family=family, has_contract=True)
    assert "<think>\nwhy\n</think>\n\nBecause.<|im_end|>" in prompt.text


def test_nous_python_writes_results_as_python_with_the_name_of_the_tool() -> None:
    results = (
        Message(role=Role.TOOL, text='{"ok": true, "x": null}', name="now"),
        Message(role=Role.TOOL, text="12:00"),
    )
    prompt = render(conversation(HI, *results), family="nous-python", has_contract=True)
    assert '{"name": "now", "content": {\'ok\': True, \'x\': None}}\n' in prompt.text
    assert '{"content": 12:00}\n' in prompt.text


def test_structured_calls_are_written_after_the_text() -> None:
    call = ToolCall(name="now", arguments={"zone": "é", "deep": [1, True, None]})
    message = Message(role=Role.ASSISTANT, text="Wait.", calls=(call, call))
    body = '<tool_call>\n{"name": "now", "arguments": {"zone": "é", "deep": [1, true, null]}}\n</tool_call>'
    prompt = render(conversation(HI, message), family="hermes-lines", has_contract=True)
    assert f"<|im_start|>assistant\nWait.\n{body}\n{body}<|im_end|>\n" in prompt.text


@pytest.mark.parametrize(
    ("family", "values"),
    [
        ("qwen3-coder", ("None", "True", "[1, None]", '{"a": null}')),
        ("qwen3.5", ("None", "True", "[1, null]", '{"a": null}')),
        ("qwen3.6", ("null", "true", "[1, null]", '{"a": null}')),
    ],
)
def test_values_in_xml_calls_are_written_as_in_the_family(family: str, values: tuple[str, ...]) -> None:
    arguments = {"n": None, "b": True, "l": [1, None], "o": {"a": None}}
    message = Message(role=Role.ASSISTANT, text="", calls=(ToolCall(name="f", arguments=arguments),))
    prompt = render(conversation(HI, message), family=family, has_contract=True)
    parameters = "".join(
        f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in zip(arguments, values, strict=True)
    )
    assert f"<tool_call>\n<function=f>\n{parameters}</function>\n</tool_call>" in prompt.text
