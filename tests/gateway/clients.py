"""Other clients, each installed into an environment of its own. They ask for the weather, run the call and answer."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

import pytest

from tests.gateway.serving import QUESTION, WEATHER, events_of, message_of


class ClientResult(TypedDict):
    """What a client got."""

    cities: list[str]
    """The arguments of the calls that it ran."""
    answer: str
    """The text of the last answer."""


SCRIPTS: Final[Mapping[str, str]] = {
    "langchain-openai": """
import json
from langchain_openai import ChatOpenAI
from langchain_core.tools import tool
from langchain_core.messages import HumanMessage, ToolMessage

@tool
def get_weather(city: str) -> str:
    "Weather of a city."
    return "sunny"

model = ChatOpenAI(model=MODEL, base_url=URL, api_key="none", streaming=STREAM, max_tokens=64)
messages = [HumanMessage("What is the weather in Rome?")]
answer = model.bind_tools([get_weather], tool_choice="required" if FORCED else None).invoke(messages)
messages.append(answer)
messages += [ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"]) for call in answer.tool_calls]
last = model.bind_tools([get_weather]).invoke(messages) if answer.tool_calls else answer
print(json.dumps({"cities": [call["args"]["city"] for call in answer.tool_calls], "answer": last.content}))
""",
    "pydantic-ai-slim[openai]": """
import asyncio, json
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=URL, api_key="none"))
agent = Agent(model, model_settings={"max_tokens": 64})
cities = []

@agent.tool_plain
def get_weather(city: str) -> str:
    "Weather of a city."
    cities.append(city)
    return "sunny"

async def stream():
    async with agent.run_stream("What is the weather in Rome?") as run:
        return await run.get_output()

answer = asyncio.run(stream()) if STREAM else agent.run_sync("What is the weather in Rome?").output
print(json.dumps({"cities": cities, "answer": answer}))
""",
    "openai-agents": """
import asyncio, json
from openai import AsyncOpenAI
from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled

set_tracing_disabled(True)
cities = []

@function_tool
def get_weather(city: str) -> str:
    "Weather of a city."
    cities.append(city)
    return "sunny"

agent = Agent(
    name="weather",
    tools=[get_weather],
    model=OpenAIChatCompletionsModel(model=MODEL, openai_client=AsyncOpenAI(base_url=URL, api_key="none")),
    model_settings=ModelSettings(max_tokens=64, tool_choice="required" if FORCED else None),
)

async def run():
    if not STREAM:
        return (await Runner.run(agent, "What is the weather in Rome?")).final_output
    result = Runner.run_streamed(agent, "What is the weather in Rome?")
    async for _ in result.stream_events():
        pass
    return result.final_output

print(json.dumps({"answer": asyncio.run(run()), "cities": cities}))
""",
    "llm": """
import json, os, pathlib, tempfile
folder = tempfile.mkdtemp()
os.environ["LLM_USER_PATH"] = folder
pathlib.Path(folder, "extra-openai-models.yaml").write_text(
    f"- model_id: here\\n  model_name: {MODEL}\\n  api_base: {URL}\\n  supports_tools: true\\n"
)
import llm
cities = []

def get_weather(city: str) -> str:
    "Weather of a city."
    cities.append(city)
    return "sunny"

chain = llm.get_model("here").chain(
    "What is the weather in Rome?", tools=[get_weather], stream=STREAM, key="none", options={"max_tokens": 64}
)
answer = [response.text() for response in chain.responses()][-1]
print(json.dumps({"answer": answer, "cities": cities}))
""",
}
CAN_FORCE: Final = ("langchain-openai", "openai-agents")
"""Clients that can require a call of the first completion only. The others cannot, or require it of all of them."""

NODE: Final = """
import OpenAI from "openai";
const [url, model, forced, question, tool] = process.argv.slice(2).map((text, i) => (i < 2 ? text : JSON.parse(text)));
const client = new OpenAI({ baseURL: url, apiKey: "none" });
const fields = { model, tools: [tool], max_tokens: 64 };
const tool_choice = forced ? "required" : "auto";
const first = await client.chat.completions.create({ ...fields, messages: question, tool_choice });
const message = first.choices[0].message;
const calls = message.tool_calls ?? [];
const results = calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: "sunny" }));
const stream = client.chat.completions.stream({ ...fields, messages: [...question, message, ...results] });
const answer = calls.length ? (await stream.finalChatCompletion()).choices[0].message : message;
const cities = calls.map((call) => JSON.parse(call.function.arguments).city);
console.log(JSON.stringify({ cities, answer: answer.content }));
"""


def run_client(
    package: str, url: str, model: str, folder: Path, *, is_stream: bool, is_forced: bool
) -> ClientResult:
    """Run a client of PyPI through a call, its result and an answer.

    Args:
        folder: Where the environments of clients are, which later calls use again.
        is_stream: Whether the answers are streamed.
        is_forced: Whether the first completion has to be a call.
    """
    python = _installed(package, folder)
    head = f"URL, MODEL, STREAM, FORCED = {url + '/v1'!r}, {model!r}, {is_stream}, {is_forced}\n"
    return _printed([python, "-c", head + SCRIPTS[package]], folder)


def run_npm_client(url: str, model: str, folder: Path, *, is_forced: bool) -> ClientResult:
    """Run the npm client through a call, its result and an answer, which is streamed."""
    values = json.dumps(is_forced), json.dumps(QUESTION), json.dumps(WEATHER)
    return _printed([_node(folder), "play.js", f"{url}/v1", model, *values], folder / "npm")


def run_curl(url: str, model: str, *, is_forced: bool) -> ClientResult:
    """Play a call, its result and an answer with curl, streamed without a buffer."""
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    messages, cities = list(QUESTION), []
    for choice in ("required" if is_forced else "auto", "auto"):
        fields = {"model": model, "tools": [WEATHER], "tool_choice": choice, "max_tokens": 64, "stream": True}
        done = subprocess.run(
            [curl, "-sS", "--fail-with-body", "--no-buffer", f"{url}/v1/chat/completions", "-H",
             "Content-Type: application/json", "-d", json.dumps({**fields, "messages": messages})],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        message = message_of(events_of(done.stdout))
        calls = message["tool_calls"]
        assert message.pop("finish_reason") == ("tool_calls" if calls else "stop")
        messages.append({"role": "assistant", **message})
        for call in calls:
            cities.append(json.loads(call["function"]["arguments"])["city"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": '{"weather": "sunny"}'})
    return {"cities": cities, "answer": message["content"]}


def _printed(command: list[str | Path], folder: Path) -> ClientResult:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@cache
def _installed(package: str, folder: Path) -> Path:
    """Return a Python with a package."""
    environment = folder / f"client-{package.partition('[')[0]}"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True, timeout=120)
    python = environment / "bin/python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"{package} could not be installed: {done.stderr.strip().splitlines()[-1:]}")
    return python


@cache
def _node(folder: Path) -> str:
    """Install the npm client, and return the path of Node.js."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("node and npm are not installed")
    environment = folder / "npm"
    environment.mkdir()
    (environment / "package.json").write_text('{"type": "module"}')
    (environment / "play.js").write_text(NODE)
    done = subprocess.run([npm, "install", "--silent", "openai"], cwd=environment, capture_output=True, text=True, timeout=200, check=False)  # fmt: skip
    if done.returncode:
        pytest.skip(f"the npm package openai could not be installed: {done.stderr.strip()[-200:]}")
    return node
