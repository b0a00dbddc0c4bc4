"""Official clients play call, result and answer against a running gateway."""

import asyncio
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import openai
import pytest
from pydantic import BaseModel

from tests.gateway.serving import (
    ANSWER,
    CALL,
    QUESTION,
    WEATHER,
    events_of,
    gateway_over,
    message_of,
    writing,
)

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
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    messages = list(QUESTION)
    for expected in ("tool_calls", "stop"):
        body = {"model": gateway.model, "messages": messages, "tools": [WEATHER], "stream": True}
        done = subprocess.run(
            ["curl", "-sS", "--no-buffer", f"{gateway.url}/v1/chat/completions", "-H", "Content-Type: application/json",
             "-d", json.dumps(body)],
            capture_output=True, text=True, timeout=30, check=True,
        )  # fmt: skip
        message = message_of(events_of(done.stdout))
        assert message.pop("finish_reason") == expected
        results = [
            {"role": "tool", "tool_call_id": call["id"], "content": SUNNY} for call in message["tool_calls"]
        ]
        messages += [{"role": "assistant", **message}, *results]
    assert message["content"] == ANSWER


@cache
def installed(package: str, folder: Path) -> Path:
    """Return a Python with a package, in an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    python = folder / "bin/python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"{package} could not be installed: {done.stderr.strip().splitlines()[-1:]}")
    return python


SCRIPTS = {
    "langchain-openai": """
from langchain_openai import ChatOpenAI
from langchain_core.tools import tool
from langchain_core.messages import HumanMessage, ToolMessage

@tool
def get_weather(city: str) -> str:
    "Weather of a city."
    return "sunny"

model = ChatOpenAI(model=MODEL, base_url=URL, api_key="none", streaming=STREAM).bind_tools([get_weather])
messages = [HumanMessage("What is the weather in Rome?")]
answer = model.invoke(messages)
call = answer.tool_calls[0]
assert (call["name"], call["args"]) == ("get_weather", {"city": "Rome"}), call
messages += [answer, ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])]
print(model.invoke(messages).content)
""",
    "pydantic-ai-slim[openai]": """
import asyncio
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

agent = Agent(OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=URL, api_key="none")))
called = []

@agent.tool_plain
def get_weather(city: str) -> str:
    "Weather of a city."
    called.append(city)
    return "sunny"

async def stream():
    async with agent.run_stream("What is the weather in Rome?") as run:
        return await run.get_output()

print(asyncio.run(stream()) if STREAM else agent.run_sync("What is the weather in Rome?").output)
assert called == ["Rome"], called
""",
    "openai-agents": """
import asyncio
from openai import AsyncOpenAI
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled

set_tracing_disabled(True)
called = []

@function_tool
def get_weather(city: str) -> str:
    "Weather of a city."
    called.append(city)
    return "sunny"

client = AsyncOpenAI(base_url=URL, api_key="none")
agent = Agent(name="weather", tools=[get_weather], model=OpenAIChatCompletionsModel(model=MODEL, openai_client=client))

async def run():
    if not STREAM:
        return (await Runner.run(agent, "What is the weather in Rome?")).final_output
    result = Runner.run_streamed(agent, "What is the weather in Rome?")
    async for _ in result.stream_events():
        pass
    return result.final_output

print(asyncio.run(run()))
assert called == ["Rome"], called
""",
    "llm": """
import os, pathlib, sys, tempfile
folder = tempfile.mkdtemp()
os.environ["LLM_USER_PATH"] = folder
pathlib.Path(folder, "extra-openai-models.yaml").write_text(
    f"- model_id: here\\n  model_name: {MODEL}\\n  api_base: {URL}\\n  supports_tools: true\\n"
)
import llm
called = []

def get_weather(city: str) -> str:
    "Weather of a city."
    called.append(city)
    return "sunny"

model = llm.get_model("here")
chain = model.chain("What is the weather in Rome?", tools=[get_weather], stream=STREAM, key="none")
print(chain.text())
assert called == ["Rome"], called
""",
}


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("is_stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("package", SCRIPTS)
def test_other_clients(package, is_stream, shared, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / f"client-{package.partition('[')[0]}"
    python = installed(package, folder)
    with writing(shared, CALL, ANSWER) as gateway:
        head = f"URL, MODEL, STREAM = {gateway.url + '/v1'!r}, {gateway.model!r}, {is_stream}\n"
        done = subprocess.run(
            [python, "-c", head + SCRIPTS[package]], capture_output=True, text=True, timeout=120, check=False
        )
    # `llm` prints the text before the call as well.
    assert done.returncode == 0 and done.stdout.strip().endswith(ANSWER), done.stdout + done.stderr


NODE = """
import OpenAI from "openai";
const [url, model, question, tool] = process.argv.slice(2).map((text, i) => (i < 2 ? text : JSON.parse(text)));
const client = new OpenAI({ baseURL: url, apiKey: "none" });
const first = await client.chat.completions.create({ model, messages: question, tools: [tool] });
const message = first.choices[0].message;
const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "sunny" };
const stream = client.chat.completions.stream({ model, messages: [...question, message, result], tools: [tool] });
console.log(message.tool_calls[0].function.arguments, (await stream.finalChatCompletion()).choices[0].message.content);
"""


@pytest.mark.slow
@pytest.mark.long
def test_the_npm_client(shared, tmp_path):
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("node and npm are not installed")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "play.js").write_text(NODE)
    done = subprocess.run([npm, "install", "--silent", "openai"], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)  # fmt: skip
    if done.returncode:
        pytest.skip(f"the npm package openai could not be installed: {done.stderr.strip()[-200:]}")
    with writing(shared, CALL, ANSWER) as gateway:
        done = subprocess.run(
            [node, "play.js", f"{gateway.url}/v1", gateway.model, json.dumps(QUESTION), json.dumps(WEATHER)],
            cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.stdout.strip() == f'{{"city": "Rome"}} {ANSWER}', done.stdout + done.stderr
