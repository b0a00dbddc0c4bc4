"""A client behind the gateway gets what it would get from the server: parameters, messages and errors."""

import httpx
import openai
import pytest

from tests.engines.remote.scripted_server import delta, refused, said, scripted_server
from tests.gateway.serving import ANSWER, QUESTION, WEATHER, gateway_over
from tests.gateway.upstream import answered, in_front_of

OTHERS = {
    "chat_template_kwargs": {"enable_thinking": False},
    "reasoning_effort": "low",
    "guided_json": {"type": "object"},
    "priority": 3,
    "user": "ann",
    "an_unknown_parameter": [1, None],
}


def sent_through(tmp_path, messages=QUESTION, **request):
    with scripted_server(said(ANSWER)) as server, in_front_of(tmp_path, server) as gateway:
        answer = gateway.chat(messages, model="hermes", **request)
        assert answer.status_code == 200, answer.text
        [recorded] = server.requests
    return recorded.body, answer.json()


def test_parameters_that_the_gateway_does_not_use_reach_the_server(tmp_path):
    body, answer = sent_through(tmp_path, **OTHERS, tools=[WEATHER])
    assert {name: body.get(name) for name in OTHERS} == OTHERS
    assert "ignored" not in answer["hermes"]


def test_parameters_that_a_local_model_cannot_use_are_named(tmp_path):
    with gateway_over(tmp_path, ANSWER) as gateway:
        plain = gateway.chat(**OTHERS).json()
        chunks = gateway.stream(**OTHERS)
        assert gateway.chat(user="ann").json()["hermes"] == {"fixes": [], "findings": [], "dropped": 0}
    names = sorted(set(OTHERS) - {"user"})
    assert plain["hermes"]["ignored"] == chunks[-1]["hermes"]["ignored"] == names


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def test_messages_reach_the_server_as_the_client_wrote_them(tmp_path):
    call = {
        "id": "mine",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{ "city":"Rome" }'},
    }
    messages = [
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {"role": "user", "name": "ann", "content": [{"type": "text", "text": "Here:"}, IMAGE]},
        {"role": "assistant", "content": None, "reasoning_content": "Hm.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "mine", "content": "18", "cache_control": {"type": "ephemeral"}},
    ]
    body, _ = sent_through(tmp_path, messages, tools=[WEATHER])
    # The server of llama-cpp-python refuses null.
    assert body["messages"] == [*messages[:2], {**messages[2], "content": ""}, messages[3]]


def test_a_local_model_refuses_images(tmp_path):
    with gateway_over(tmp_path, ANSWER) as gateway:
        refused_request = gateway.chat([{"role": "user", "content": [IMAGE]}])
    assert refused_request.status_code == 400 and "Send text only" in refused_request.text


TOO_LONG = "This model's maximum context length is 4096 tokens."


@pytest.mark.parametrize("is_stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, "bad", "upstream_error"),
        (400, TOO_LONG, "context_length_exceeded"),
        (401, "no key", "invalid_api_key"),
        (403, "not you", "upstream_error"),
        (404, "no model hermes", "model_not_found"),
        (408, "slow", "upstream_error"),
        (413, "large", "upstream_error"),
        (422, "odd", "upstream_error"),
        (429, "busy", "rate_limit_exceeded"),
        (500, "oh", "upstream_error"),
        (503, "<html><title>busy</title></html>", "upstream_error"),
    ],
)
def test_an_error_keeps_its_status(tmp_path, status, body, code, is_stream):
    with (
        scripted_server(refused(status, body, **{"Retry-After": "40"})) as server,
        in_front_of(tmp_path, server) as gateway,
    ):
        answer = gateway.chat(model="hermes", stream=is_stream)
        assert len(server.requests) == 1
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.headers.get("Retry-After") == ("40" if status in (429, 500, 503) else None)


REFUSALS = (400, 401, 404, 408, 409, 422, 429, 500, 503)


@pytest.mark.parametrize("status", REFUSALS)
@pytest.mark.slow
def test_a_client_sends_as_many_requests_as_without_the_gateway(tmp_path, status):
    answer = refused(status, "no", **{"Retry-After": "0.01"})

    def requests(url: str, server) -> int:
        before = len(server.requests)
        with openai.OpenAI(base_url=url, api_key="k", http_client=httpx.Client(timeout=20)) as client:
            with pytest.raises(openai.APIStatusError) as raised:
                client.chat.completions.create(model="hermes", messages=QUESTION)
            assert raised.value.status_code == status
        return len(server.requests) - before

    with scripted_server(answer) as server, in_front_of(tmp_path, server) as gateway:
        assert requests(f"{gateway.url}/v1", server) == requests(server.url, server)


def test_retries_are_a_setting(tmp_path):
    answers = [refused(503, "busy", **{"Retry-After": "0"}), answered(delta(content=ANSWER))]
    with (
        scripted_server(*answers) as server,
        in_front_of(tmp_path, server, WORKBENCH_GATEWAY_RETRIES="1") as gateway,
    ):
        assert gateway.chat(model="hermes").status_code == 200
        assert len(server.requests) == 2
