"""The embedded model behind the gateway, with forced calls and free ones."""

import json

import openai
import pytest

from tests.gateway.curl import run_curl
from tests.gateway.serving import QUESTION, WEATHER, gateway_over
from tests.peers.clients import CLIENTS, run_client
from workbench.engines.embedded_model import REMEDY, find_embedded

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.long]

MODEL = "minimal/embedded"
"""The embedded model decides to call under this contract. Under its template's own system text it does not."""
FREE = [client for client in CLIENTS if client.name in ("llm", "pydantic-ai-slim")]
FORCED = [client for client in CLIENTS if client.can_force]
PLAYS = [(client, "auto") for client in (*FREE, *FORCED)] + [(client, "required") for client in FORCED]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    if find_embedded() is None:
        pytest.skip(f"no embedded model: {REMEDY}")
    variables = {"WORKBENCH_MODEL": "embedded"}
    with gateway_over(tmp_path_factory.mktemp("gateway"), "x", variables=variables) as gateway:
        yield gateway


@pytest.mark.parametrize("choice", ["required", "auto"])
@pytest.mark.parametrize("model", ["embedded", "minimal/embedded"])
def test_a_call_its_result_and_an_answer(gateway, model, choice):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none") as client:
        create = client.chat.completions.create
        fields = {"model": model, "tools": [WEATHER], "max_tokens": 64}
        first = create(messages=QUESTION, tool_choice=choice, **fields).choices[0]
        with client.chat.completions.stream(messages=QUESTION, tool_choice=choice, **fields) as stream:
            streamed = stream.get_final_completion().choices[0]
        assert streamed.message.content in (
            first.message.content,
            "" if first.message.content is None else None,
        )
        assert [call.function.arguments for call in streamed.message.tool_calls or ()] == [
            call.function.arguments for call in first.message.tool_calls or ()
        ]
        if choice == "required":
            assert first.finish_reason == "tool_calls"
        if not first.message.tool_calls:
            assert first.message.content
            return
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": '{"weather": "sunny"}'}
            for call in first.message.tool_calls
        ]
        assert first.message.tool_calls[0].function.name == "get_weather"
        assert json.loads(first.message.tool_calls[0].function.arguments)["city"]
        second = create(messages=[*QUESTION, first.message.to_dict(), *results], **fields)
        assert second.choices[0].message.content
        assert second.usage.prompt_tokens_details.cached_tokens > 0


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("client", "choice"), PLAYS, ids=str)
def test_other_clients(gateway, client, choice, tmp_path):
    is_forced = choice == "required"
    url = f"{gateway.url}/v1"
    result = run_client(client, url, MODEL, tmp_path, is_stream=True, is_forced=is_forced)
    assert result["answer"] and result["cities"]


@pytest.mark.parametrize("choice", ["required", "auto"])
def test_curl(gateway, choice):
    result = run_curl(gateway.url, MODEL, is_forced=choice == "required")
    assert result["answer"] and result["cities"]


def test_an_answer_matches_its_schema(gateway):
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"],
    }
    formats = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}
    answer = gateway.chat(model="embedded", response_format=formats, max_tokens=64).json()
    assert set(json.loads(answer["choices"][0]["message"]["content"])) == {"city"}


def test_log_probabilities_of_the_content_are_reported(gateway):
    answer = gateway.chat(model="embedded", logprobs=True, top_logprobs=2, max_tokens=8).json()
    choice = answer["choices"][0]
    entries = choice["logprobs"]["content"]
    assert "".join(entry["token"] for entry in entries).strip() == choice["message"]["content"]
    for entry in entries:
        first, second = entry["top_logprobs"]
        assert (first["token"], first["logprob"]) == (entry["token"], entry["logprob"])
        assert second["logprob"] <= first["logprob"] <= 0
    chunks = gateway.stream(model="embedded", logprobs=True, max_tokens=8)
    assert chunks[-1]["choices"][0]["logprobs"]["content"] == [
        {**entry, "top_logprobs": []} for entry in entries
    ]
    body = {"model": "embedded", "prompt": "One, two,", "max_tokens": 3, "logprobs": 2}
    raw = gateway.client.post("/v1/completions", json=body).json()["choices"][0]["logprobs"]
    assert [len(likely) for likely in raw["top_logprobs"]] == [2] * len(raw["tokens"])


def test_a_prefix_that_two_requests_share_is_evaluated_once(gateway):
    system = {"role": "system", "content": "You know the sea. " * 40}
    usages = [
        gateway.chat([system, {"role": "user", "content": text}], model="embedded", max_tokens=4).json()[
            "usage"
        ]
        for text in ("Name a ship.", "Name an island.")
    ]
    cached = usages[1]["prompt_tokens_details"]["cached_tokens"]
    assert usages[1]["prompt_tokens"] - cached < 20
