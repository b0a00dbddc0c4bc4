"""The content of an answer: what was not read as a call arrives as the model wrote it."""

import pytest

from tests.engines.remote.scripted_server import delta, said, scripted_server
from tests.gateway.answers import answered, complete, pieces_of
from tests.gateway.serving import CALL, WEATHER, message_of
from tests.gateway.upstream import answered as server_answer
from tests.gateway.upstream import in_front_of, text
from workbench.gateway.answer import CallRules

LOST = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
"""What Qwen3-Coder writes if it leaves out the opening tag."""
PROSE = [
    "then <parameter=x> and </function>. A generic is List<function=3>.",
    "</tool_call> alone, and `<tool_call>` in code",
    "Hello.<|im_end|>",
    "I see <tool_response>3</tool_response>",
    "<tool_call>no json</tool_call>",
    "  two blanks before, a line break after\n",
    "```json\n{}\n```\n",
    "a fence that is not closed\n```js\n",
    "<tools>[]</tools> <tool_call> never closed",
]


@pytest.mark.parametrize("prose", PROSE)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_prose_arrives_byte_for_byte(prose, size):
    writer, pieces = answered(pieces_of(prose, size))
    assert writer.sent.message.text == complete(pieces).text == prose
    assert not writer.sent.calls or not writer.has_complete_calls


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("written", "content"),
    [
        (f"I look.\n{CALL}\nDone.", "I look.\n\nDone."),
        (f"```json\n{CALL}\n```", ""),
        (f"So:\n```xml\n{CALL}\n{CALL}\n```\nDone.", "So:\nDone."),
        (f"```json\n{CALL}\nand no end of the fence", "```json\n\nand no end of the fence"),
        (f"{CALL}\n<tool_call>no json</tool_call>\n", "<tool_call>no json</tool_call>\n"),
        (f"<think>\nHm. </tool_call>\n</think>\n\n{CALL}", ""),
    ],
)
def test_only_calls_and_what_surrounds_them_leave_the_content(written, content, size):
    writer, pieces = answered(pieces_of(written, size))
    assert writer.sent.message.text == complete(pieces).text == content
    assert writer.has_complete_calls


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_call_that_is_cut_off_stays_in_the_content(size, reason):
    cut = 'I look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os'
    writer, pieces = answered(pieces_of(cut, size), finish_reason=reason)
    assert writer.sent.message.text == complete(pieces).text == cut
    assert not writer.has_complete_calls


def test_a_thought_of_the_server_arrives_byte_for_byte(tmp_path):
    thought = f"\nI think.\n\n{LOST}\n"
    answer = server_answer(delta(reasoning_content=thought), *text("So."))
    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=[WEATHER]).json()["choices"][0]["message"]
        streamed = message_of(gateway.stream(model="hermes", tools=[WEATHER]))
    assert plain["reasoning_content"] == streamed["reasoning_content"] == thought
    assert plain["content"] == streamed["content"] == "So."


def test_a_call_that_lost_its_opening_tag_is_read_at_the_lenient_level(tmp_path):
    other = LOST.replace("get_weather", "no_tool_of_ours")
    with scripted_server(said(f"I look.\n\n{other}")) as server, in_front_of(tmp_path, server) as gateway:
        strict = gateway.chat(model="hermes", tools=[WEATHER], headers={"X-Hermes-Level": "strict"}).json()
        assert strict["choices"][0]["message"]["content"] == f"I look.\n\n{other}"
    with scripted_server(said(f"I look.\n\n{LOST}")) as server, in_front_of(tmp_path, server) as gateway:
        lenient = gateway.chat(model="hermes", tools=[WEATHER], headers={"X-Hermes-Level": "lenient"}).json()
        message = lenient["choices"][0]["message"]
        assert (message["content"], len(message["tool_calls"])) == ("I look.", 1)
        assert "missing-open-tag" in lenient["hermes"]["fixes"]
        wrong = gateway.chat(model="hermes", tools=[WEATHER], headers={"X-Hermes-Level": "most"})
        assert wrong.status_code == 400 and "X-Hermes-Level" in wrong.json()["error"]["message"]


THOUGHT_AND_CALL = f"<think>\nHm.\n</think>\n\nI look.\n{CALL}\n"


@pytest.mark.parametrize("offer", [{}, {"tools": []}, {"tools": [WEATHER], "tool_choice": "none"}])
def test_a_client_that_offers_no_tools_gets_the_text_as_the_server_writes_it(tmp_path, offer):
    with (
        scripted_server(server_answer(*text(THOUGHT_AND_CALL))) as server,
        in_front_of(tmp_path, server) as gateway,
    ):
        plain = gateway.chat(model="hermes", **offer).json()
        message = plain["choices"][0]["message"]
        assert message["content"] == message_of(gateway.stream(model="hermes", **offer))["content"]
        assert message["content"] == THOUGHT_AND_CALL
        assert "tool_calls" not in message and "reasoning_content" not in message
        assert plain["choices"][0]["finish_reason"] == "stop"
        read = gateway.chat(model="hermes", **offer, headers={"X-Hermes-Calls": "always"}).json()
        [call] = read["choices"][0]["message"]["tool_calls"]
        assert call["function"]["name"] == "get_weather"
        assert read["choices"][0]["message"]["content"] == "I look."


def test_a_setting_leaves_calls_in_the_text(tmp_path):
    answer = server_answer(*text(THOUGHT_AND_CALL))
    with (
        scripted_server(answer) as server,
        in_front_of(tmp_path, server, WORKBENCH_GATEWAY_CALLS="never") as gateway,
    ):
        message = gateway.chat(model="hermes", tools=[WEATHER]).json()["choices"][0]["message"]
    assert message["content"] == THOUGHT_AND_CALL and "tool_calls" not in message


def test_calls_stay_in_the_text_while_thoughts_are_read():
    rules = CallRules(are_taken=False)
    writer, pieces = answered(pieces_of(THOUGHT_AND_CALL, 4), rules=rules)
    assert writer.sent.message.text == complete(pieces).text == f"\n\nI look.\n{CALL}\n"
    assert writer.sent.message.thought == "Hm."
