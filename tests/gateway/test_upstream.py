"""In front of a server: calls that it left in its text become tool calls, parsed ones are passed on."""

import json

import pytest

from tests.engines.remote import scripted_server as servers
from tests.engines.remote.scripted_server import DONE, delta, stream, usage
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER, message_of, same_message
from tests.gateway.upstream import answered, in_front_of, more, opened, text

TOOLS = [WEATHER]
ARGUMENTS = '{"city": "Rome"}'

UNPARSED = answered(*text(f"I look.\n{CALL}"))
"""vLLM and SGLang without a parser."""
PARSED = answered(opened("get_weather"), more('{"city": '), more('"Rome"}'), finish="tool_calls")
"""vLLM with the parser `hermes`."""
APART = answered(delta(reasoning_content="Rome is "), delta(reasoning_content="a city."), *text(ANSWER))
"""vLLM and SGLang with a parser for thoughts."""
APART_UNPARSED = answered(delta(reasoning_content="Hm."), *text(CALL))
MIXED = answered(*text(CALL), opened("get_weather", 0, '{"city": "Oslo"}'), finish="tool_calls")
"""A parser that reads the second call only."""
TWO = answered(
    opened("get_weather", 0, ARGUMENTS),
    opened("get_weather", 1),
    more('{"city": "Oslo"}', 1),
    finish="tool_calls",
)
NO_ARGUMENTS = answered(opened("get_weather"), finish="tool_calls")
XML = answered(
    *text(
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>"
    )
)
"""Qwen3-Coder behind the parser `hermes`."""
BROKEN_JSON = answered(
    *text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome",}\n</tool_call>')
)

IN_BOTH = answered(*text(CALL), opened("get_weather", 0, '{"city":'), more('"Rome"}'), finish="tool_calls")
"""A server that parses a call and leaves it in its content."""
IN_BOTH_PARSED_FIRST = answered(opened("get_weather", 0, ARGUMENTS), *text(CALL), finish="tool_calls")
"""The same, where the content follows."""
IN_BOTH_MIXED = answered(
    opened("get_weather", 0, '{"city":'), *text(CALL), more('"Rome"}'), *text(" Wait."), finish="tool_calls"
)
"""The same, where the content arrives between the pieces of the call."""
IN_BOTH_FIXED = answered(
    opened("get_weather", 0, '{"city": "Rome", "days": "2"}'),
    *text('<tool_call>{"name": "get_weather", "arguments": {"city": "Rome", "days": "2",}}</tool_call>'),
    finish="tool_calls",
)
"""The same, where the reader fixes the call in the content."""
PARSED_THEN_OTHERS = answered(
    opened("get_weather", 0, ARGUMENTS),
    *text(CALL.replace("Rome", "Oslo")),
    *text(CALL),
    *text(CALL),
    finish="tool_calls",
)
"""A parser that reads one of the calls in the content, which has two equal ones."""

CASES = {
    "in both fields": (IN_BOTH, None, None, [ARGUMENTS], "tool_calls"),
    "in both fields, parsed first": (IN_BOTH_PARSED_FIRST, None, None, [ARGUMENTS], "tool_calls"),
    "in both fields, mixed": (IN_BOTH_MIXED, "Wait.", None, [ARGUMENTS], "tool_calls"),
    "in both fields, one fixed": (IN_BOTH_FIXED, None, None, ['{"city": "Rome", "days": "2"}'], "tool_calls"),
    "one parsed, three in the text": (
        PARSED_THEN_OTHERS,
        None,
        None,
        [ARGUMENTS, '{"city": "Oslo"}', ARGUMENTS],
        "tool_calls",
    ),
    "unparsed": (UNPARSED, "I look.", None, [ARGUMENTS], "tool_calls"),
    "parsed": (PARSED, None, None, [ARGUMENTS], "tool_calls"),
    "reasoning apart": (APART, ANSWER, "Rome is a city.", [], "stop"),
    "reasoning apart, call unparsed": (APART_UNPARSED, None, "Hm.", [ARGUMENTS], "tool_calls"),
    "one parsed, one not": (MIXED, None, None, [ARGUMENTS, '{"city": "Oslo"}'], "tool_calls"),
    "two parsed": (TWO, None, None, [ARGUMENTS, '{"city": "Oslo"}'], "tool_calls"),
    "parsed without arguments": (NO_ARGUMENTS, None, None, ["{}"], "tool_calls"),
    "xml": (XML, None, None, [ARGUMENTS], "tool_calls"),
    "broken JSON": (BROKEN_JSON, None, None, [ARGUMENTS], "tool_calls"),
}


@pytest.mark.parametrize("name", CASES)
def test_calls_are_read_or_passed_on(tmp_path, name):
    answer, content, reasoning, arguments, finish = CASES[name]
    with servers.scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS).json()
        chunks = gateway.stream(model="hermes", tools=TOOLS)
    message = plain["choices"][0]["message"]
    assert message["content"] == content and message.get("reasoning_content") == reasoning
    calls = [call["function"] for call in message.get("tool_calls", ())]
    assert [json.loads(call["arguments"]) for call in calls] == [json.loads(text) for text in arguments]
    assert all(call["name"] == "get_weather" for call in calls)
    assert plain["choices"][0]["finish_reason"] == finish
    assert plain["usage"] == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "prompt_tokens_details": {"cached_tokens": 4}}  # fmt: skip
    same_message(chunks, plain["choices"][0])


@pytest.mark.parametrize("answer", [IN_BOTH, IN_BOTH_PARSED_FIRST, IN_BOTH_MIXED])
def test_a_call_in_both_fields_is_one_call_for_a_client_that_allows_one(tmp_path, answer):
    with servers.scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS, parallel_tool_calls=False).json()
    assert plain["hermes"] == {"fixes": [], "findings": ["call-repeated"], "dropped": 0}
    assert len(plain["choices"][0]["message"]["tool_calls"]) == 1


def test_another_call_in_the_text_does_not_wait_for_the_end(tmp_path):
    answer = answered(
        opened("get_weather", 0, ARGUMENTS),
        *text(CALL.replace("Rome", "Oslo")),
        *text("I look."),
        finish="tool_calls",
    )
    with servers.scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        chunks = gateway.stream(model="hermes", tools=TOOLS)
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    [opening] = [
        place
        for place, delta in enumerate(deltas)
        for call in delta.get("tool_calls", ())
        if call["index"] == 1 and "id" in call
    ]
    assert not any(delta.get("content") for delta in deltas[:opening])
    assert message_of(chunks)["content"] == "I look."


@pytest.mark.parametrize("end", [[None], []], ids=["cut", "silent end"])
def test_an_answer_that_breaks_off_is_an_error_in_both_forms(tmp_path, end):
    answer = stream(delta(role="assistant", content=""), *text(CALL[:40]), *end)
    with servers.scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", tools=TOOLS)
        assert plain.status_code == 502 and plain.json()["error"]["code"] == "upstream_error"
        chunks = gateway.stream(model="hermes", tools=TOOLS)
        assert chunks[-1]["error"]["code"] == "upstream_error"
        for call in message_of(chunks[:-1])["tool_calls"]:
            with pytest.raises(ValueError):
                json.loads(call["function"]["arguments"])


def test_a_server_that_refuses_is_quoted(tmp_path):
    with (
        servers.scripted_server(servers.refused(400, "no such model")) as server,
        in_front_of(tmp_path, server) as gateway,
    ):
        for is_stream in (False, True):
            refused = gateway.chat(model="hermes", stream=is_stream)
            assert refused.status_code == 400 and "no such model" in refused.json()["error"]["message"]


def test_the_server_gets_what_the_client_sent_and_nothing_else(tmp_path):
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    with (
        servers.scripted_server(servers.said("Hello.")) as server,
        in_front_of(tmp_path, server, WORKBENCH_OPENAI_KIND="vllm") as gateway,
    ):
        gateway.chat(
            [{"role": "system", "content": "Be kind."}, *QUESTION],
            model="hermes",
            tools=TOOLS,
            temperature=0.5,
        )
        gateway.chat(model="openai:hermes", max_tokens=7, top_k=3, stop="END", seed=4, response_format=schema)
        gateway.chat(model="minimal/hermes", tools=TOOLS)
        first, second, third = (request.body for request in server.requests)
    streamed = {"stream": True, "stream_options": {"include_usage": True}}
    assert first == {"model": "hermes", "messages": [{"role": "system", "content": "Be kind."}, *QUESTION], "tools": TOOLS,
                     "tool_choice": "auto", "temperature": 0.5, "skip_special_tokens": False, **streamed}  # fmt: skip
    assert second == {"model": "hermes", "messages": QUESTION, "max_tokens": 7, "top_k": 3, "stop": ["END"], "seed": 4,
                      "response_format": schema, "skip_special_tokens": False, **streamed}  # fmt: skip
    assert third["messages"][0]["role"] == "system" and third["tools"] == TOOLS
    assert third["messages"][0]["content"].startswith("You can call tools.")


def test_a_server_of_an_unknown_kind_gets_the_sampling_that_the_client_sent(tmp_path):
    sampling = {"top_k": 20, "min_p": 0.1, "typical_p": 0.9, "repetition_penalty": 1.1}
    with servers.scripted_server(servers.said("Hello.")) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", **sampling)
        [request] = server.requests
    assert {name: request.body.get(name) for name in sampling} == sampling
    assert "repeat_penalty" not in request.body
    assert "ignored" not in plain.json()["hermes"]


def test_likely_tokens_of_the_server_are_passed_on(tmp_path):
    top = [{"token": "Hi", "logprob": -0.5}, {"token": "Hello", "logprob": -1.5}]
    logprobs = {"content": [{"token": "Hi", "logprob": -0.5, "top_logprobs": top}]}
    chunk = servers.event({"choices": [{"index": 0, "delta": {"content": "Hi"}, "logprobs": logprobs}]})
    answer = stream(chunk, delta("stop"), usage(10, 1), DONE)
    with servers.scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes", logprobs=True, top_logprobs=2).json()
        [request] = server.requests
    assert (request.body["logprobs"], request.body["top_logprobs"]) == (True, 2)
    [entry] = plain["choices"][0]["logprobs"]["content"]
    assert [(likely["token"], likely["logprob"]) for likely in entry["top_logprobs"]] == [
        ("Hi", -0.5),
        ("Hello", -1.5),
    ]


def test_the_models_of_the_server_are_listed(tmp_path):
    with servers.scripted_server(servers.said("x")) as server, in_front_of(tmp_path, server) as gateway:
        names = [model["id"] for model in gateway.client.get("/v1/models").json()["data"]]
    assert names[0] == "hermes" and "minimal/hermes" in names


def test_counts_that_a_server_does_not_report_are_estimated_and_marked(tmp_path):
    answer = stream(delta(role="assistant", content="It is 21 °C."), delta("stop"), DONE)
    with servers.scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        plain = gateway.chat(model="hermes").json()
        options = {"stream_options": {"include_usage": True}}
        last = gateway.stream(model="hermes", **options)[-1]
        body = {"model": "hermes", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
        anthropic = gateway.client.post("/v1/messages", json=body).json()["usage"]
        response = gateway.client.post("/v1/responses", json={"model": "hermes", "input": "hi"}).json()[
            "usage"
        ]
    usage = plain["usage"]
    assert usage == last["usage"]
    assert usage["estimated"] and usage["completion_tokens"] == 3 and usage["prompt_tokens"] > 0
    assert "prompt_tokens_details" not in usage
    assert (
        anthropic["estimated"]
        and anthropic["output_tokens"] == 3
        and anthropic["cache_read_input_tokens"] is None
    )
    assert response["estimated"] and response["output_tokens"] == 3
