"""In front of llama-cpp-python's own server, which leaves calls in the content."""

import json
from collections.abc import Iterator

import httpx
import openai
import pytest

from tests.engines.remote.real_server import real_server
from tests.gateway.serving import QUESTION, WEATHER, ServedGateway, gateway_over, same_message
from workbench.engines.embedded_model import find_embedded_adapter
from workbench.engines.remote.server import Server
from workbench.engines.remote.transport.model_lists import fetch_model_names
from workbench.gateway.targets import UpstreamModels

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.long]

FIELDS = {"tools": [WEATHER], "temperature": 0, "seed": 1, "max_tokens": 48}
"""Without them, this server draws at random, and writes 16 tokens."""
MODEL = "minimal/hermes"
"""The server's own template leaves the tools out, so the contract writes them."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with real_server(find_embedded_adapter()) as address:
        yield address


@pytest.fixture(scope="module")
def gateway(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedGateway]:
    variables = {"WORKBENCH_OPENAI_BASE_URL": url}
    upstream = UpstreamModels(lambda: fetch_model_names(Server(name="", base_url=url)))
    with gateway_over(
        tmp_path_factory.mktemp("gateway"), "unused", variables=variables, upstream=upstream
    ) as served:
        served.client.timeout = httpx.Timeout(200)
        yield served


def test_its_models_are_listed(gateway: ServedGateway) -> None:
    names = [model["id"] for model in gateway.client.get("/v1/models").json()["data"]]
    assert names[0] == "hermes" and MODEL in names


def test_a_call_that_it_left_in_the_content_is_read_and_answered(gateway: ServedGateway) -> None:
    plain = gateway.chat(model=MODEL, headers={"X-Hermes-Raw": "1"}, **FIELDS).json()
    choice = plain["choices"][0]
    assert choice["finish_reason"] == "tool_calls", plain
    [call] = choice["message"]["tool_calls"]
    assert call["function"]["name"] == "get_weather" and json.loads(call["function"]["arguments"])["city"]
    assert "<tool_call>" not in (choice["message"]["content"] or "")
    # The server itself has the call in its text only.
    assert "<tool_call>" in plain["hermes"]["raw"]
    same_message(gateway.stream(model=MODEL, **FIELDS), choice)
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none", timeout=200) as client:
        result = {"role": "tool", "tool_call_id": call["id"], "content": '{"weather": "sunny"}'}
        messages = [*QUESTION, choice["message"], result]
        with client.chat.completions.stream(model=MODEL, messages=messages, **FIELDS) as stream:
            answer = stream.get_final_completion().choices[0].message
    assert answer.content and not answer.tool_calls


def test_without_tools_the_answer_is_that_of_the_server(gateway: ServedGateway, url: str) -> None:
    fields = {"temperature": 0, "seed": 1, "max_tokens": 12}
    body = {"model": "hermes", "messages": QUESTION, **fields}
    direct = httpx.post(f"{url}/chat/completions", json=body, timeout=200).json()
    answer = gateway.chat(model="hermes", **fields).json()
    assert answer["choices"][0]["message"]["content"] == direct["choices"][0]["message"]["content"].strip()
    assert answer["choices"][0]["finish_reason"] == direct["choices"][0]["finish_reason"]


@pytest.mark.parametrize("is_stream", [False, True], ids=["plain", "stream"])
def test_what_it_refuses_is_quoted(gateway: ServedGateway, *, is_stream: bool) -> None:
    long = [{"role": "user", "content": "word " * 4000}]
    refused = gateway.chat(long, model="hermes", stream=is_stream)
    assert refused.status_code == 502 and refused.json()["error"]["code"] == "upstream_error"
    assert "context" in refused.json()["error"]["message"]
