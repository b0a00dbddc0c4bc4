"""Official clients play call, result and answer against a running gateway."""

import asyncio
import json

import openai
import pytest
from pydantic import BaseModel

from tests.gateway.curl import run_curl
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER, gateway_over, writing

SUNNY = '{"weather": "sunny"}'


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with gateway_over(tmp_path_factory.mktemp("gateway"), ANSWER) as gateway:
        yield gateway


@pytest.fixture
def gateway(shared):
    """A gateway whose model calls a tool, then answers."""
    with writing(shared, f"I look it up.\n{CALL}", ANSWER) as gateway:
        yield gateway


@pytest.fixture
def client(gateway):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none") as client:
        yield client


def result_of(call):
    return {"role": "tool", "tool_call_id": call.id, "content": SUNNY}


def test_openai_plain(gateway, client):
    assert gateway.model in [model.id for model in client.models.list()]
    first = client.chat.completions.create(model=gateway.model, messages=QUESTION, tools=[WEATHER])
    message = first.choices[0].message
    [call] = message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("get_weather", {"city": "Rome"})
    assert message.content == "I look it up." and first.usage.prompt_tokens_details.cached_tokens == 0
    assert first.hermes == {"fixes": [], "findings": [], "dropped": 0}
    second = client.chat.completions.create(
        model=gateway.model, messages=[*QUESTION, message.to_dict(), result_of(call)], tools=[WEATHER]
    )
    assert second.choices[0].message.content == ANSWER and second.choices[0].finish_reason == "stop"


def test_openai_stream(gateway, client):
    texts, arguments = [], []
    for chunk in client.chat.completions.create(
        model=gateway.model,
        messages=QUESTION,
        tools=[WEATHER],
        stream=True,
        stream_options={"include_usage": True},
    ):
        if not chunk.choices:
            assert chunk.usage.completion_tokens > 0
            continue
        delta = chunk.choices[0].delta
        texts.append(delta.content or "")
        arguments += [call.function.arguments or "" for call in delta.tool_calls or ()]
    assert "".join(texts) == "I look it up." and json.loads("".join(arguments)) == {"city": "Rome"}


def test_openai_async(gateway):
    async def play():
        async with openai.AsyncOpenAI(base_url=f"{gateway.url}/v1", api_key="none") as client:
            first = await client.chat.completions.create(
                model=gateway.model, messages=QUESTION, tools=[WEATHER]
            )
            message = first.choices[0].message
            messages = [*QUESTION, message.to_dict(), result_of(message.tool_calls[0])]
            stream = await client.chat.completions.create(model=gateway.model, messages=messages, stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert asyncio.run(play()) == ANSWER


class GetWeather(BaseModel):
    """Weather of a city."""

    city: str
    days: int = 1


def test_openai_parse_with_pydantic_tools_and_answers(shared):
    class Place(BaseModel):
        city: str

    call = '<tool_call>{"name": "GetWeather", "arguments": {"city": "Rome", "days": "2",}}</tool_call>'
    with (
        writing(shared, call, '{"city": "Rome"}') as gateway,
        openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none") as client,
    ):
        tools = [openai.pydantic_function_tool(GetWeather)]
        first = client.chat.completions.parse(model=gateway.model, messages=QUESTION, tools=tools)
        [called] = first.choices[0].message.tool_calls
        assert called.function.parsed_arguments == GetWeather(city="Rome", days=2)
        second = client.chat.completions.parse(model=gateway.model, messages=QUESTION, response_format=Place)
        assert second.choices[0].message.parsed == Place(city="Rome")


def test_openai_streaming_helper(gateway, client):
    with client.chat.completions.stream(model=gateway.model, messages=QUESTION, tools=[WEATHER]) as stream:
        kinds = [event.type for event in stream]
        message = stream.get_final_completion().choices[0].message
    assert "content.delta" in kinds and "tool_calls.function.arguments.done" in kinds
    [call] = message.tool_calls
    assert json.loads(call.function.arguments) == {"city": "Rome"} and message.content == "I look it up."
    messages = [*QUESTION, {"role": "assistant", "content": message.content, "tool_calls": [call.to_dict()]}, result_of(call)]  # fmt: skip
    with client.chat.completions.stream(model=gateway.model, messages=messages, tools=[WEATHER]) as stream:
        assert stream.get_final_completion().choices[0].message.content == ANSWER


def test_openai_raw_completion_and_errors(gateway, client):
    text = client.completions.create(model=gateway.model, prompt="Hello", max_tokens=3)
    assert text.choices[0].text == "I look it up"[:12]
    with pytest.raises(openai.NotFoundError) as error:
        client.chat.completions.create(model="nothing", messages=QUESTION)
    assert error.value.code == "model_not_found"


def test_curl_without_a_buffer(gateway):
    result = run_curl(gateway.url, gateway.model, is_forced=False)
    assert result == {"cities": ["Rome"], "answer": ANSWER}
