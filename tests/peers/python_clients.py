"""Clients from PyPI: each asks for the weather, runs the call and prints the cities that it looked up and the answer.

A script gets what `PRELUDE` defines, and leaves its answer in `answer`.
"""

from typing import Final

PRELUDE: Final = '''
import json, sys
URL, MODEL, STREAM, FORCED, TOOL = json.loads(sys.argv[1])
QUESTION = "What is the weather in Rome?"
cities = []

def get_weather(city: str) -> str:
    """Weather of a city.

    Args:
        city: Name of the city.
    """
    cities.append(city)
    return "sunny"

def until_answered(ask):
    """Run calls in messages of OpenAI's protocol until there are none."""
    messages = [{"role": "user", "content": QUESTION}]
    while (message := ask(messages)).tool_calls:
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return message.content
'''
CLOSING: Final = """
# Some clients leave the line of their progress open.
print("\\n" + json.dumps({"cities": cities, "answer": answer}))
"""

OPENAI: Final = """
from openai import OpenAI

client = OpenAI(base_url=URL, api_key="none")

def ask(messages):
    fields = dict(model=MODEL, messages=messages, tools=[TOOL], max_tokens=64)
    if not STREAM:
        return client.chat.completions.create(**fields).choices[0].message
    with client.chat.completions.stream(**fields) as stream:
        return stream.get_final_completion().choices[0].message

answer = until_answered(ask)
"""
LITELLM: Final = """
import litellm

def ask(messages):
    completion = litellm.completion(
        model=f"openai/{MODEL}", api_base=URL, api_key="none", messages=messages, tools=[TOOL], stream=STREAM
    )
    return (litellm.stream_chunk_builder(list(completion)) if STREAM else completion).choices[0].message

answer = until_answered(ask)
"""
INSTRUCTOR: Final = """
import instructor
from openai import OpenAI
from pydantic import BaseModel

class Weather(BaseModel):
    city: str

client = instructor.from_openai(OpenAI(base_url=URL, api_key="none")).chat.completions
messages = [{"role": "user", "content": QUESTION}]
fields = dict(model=MODEL, messages=messages, response_model=Weather)
weather = list(client.create_partial(**fields))[-1] if STREAM else client.create(**fields)
messages.append({"role": "user", "content": get_weather(weather.city)})
completion = client.create(model=MODEL, messages=messages, response_model=None, stream=STREAM)
if STREAM:
    answer = "".join(chunk.choices[0].delta.content or "" for chunk in completion)
else:
    answer = completion.choices[0].message.content
"""
LLM: Final = """
import os, pathlib, tempfile
os.environ["LLM_USER_PATH"] = folder = tempfile.mkdtemp()
pathlib.Path(folder, "extra-openai-models.yaml").write_text(
    f"- model_id: here\\n  model_name: {MODEL}\\n  api_base: {URL}\\n  supports_tools: true\\n"
)
import llm

chain = llm.get_model("here").chain(
    QUESTION, tools=[get_weather], stream=STREAM, key="none", options={"max_tokens": 64}
)
answer = [response.text() for response in chain.responses()][-1]
"""
OPENAI_AGENTS: Final = """
import asyncio
from openai import AsyncOpenAI
from agents import (
    Agent, ModelSettings, Runner, function_tool, set_default_openai_api, set_default_openai_client,
    set_tracing_disabled,
)

set_tracing_disabled(True)
set_default_openai_api(API)
set_default_openai_client(AsyncOpenAI(base_url=URL, api_key="none"))
agent = Agent(
    name="weather",
    tools=[function_tool(get_weather)],
    # It reads what is before the first slash as a provider.
    model=f"openai/{MODEL}" if "/" in MODEL else MODEL,
    model_settings=ModelSettings(max_tokens=64, tool_choice="required" if FORCED else None),
)

async def run():
    if not STREAM:
        return await Runner.run(agent, QUESTION)
    result = Runner.run_streamed(agent, QUESTION)
    async for _ in result.stream_events():
        pass
    return result

answer = asyncio.run(run()).final_output
"""
PYDANTIC_AI: Final = """
import asyncio
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=URL, api_key="none"))
agent = Agent(model, tools=[get_weather], model_settings={"max_tokens": 64})

async def stream():
    async with agent.run_stream_events(QUESTION) as events:
        return [event async for event in events][-1].result.output

answer = asyncio.run(stream()) if STREAM else agent.run_sync(QUESTION).output
"""
LANGCHAIN: Final = """
from langchain_openai import ChatOpenAI
from langchain_core.tools import tool
from langchain_core.messages import HumanMessage, ToolMessage

model = ChatOpenAI(model=MODEL, base_url=URL, api_key="none", streaming=STREAM, max_tokens=64)
messages, choice = [HumanMessage(QUESTION)], "required" if FORCED else None
while (message := model.bind_tools([tool(get_weather)], tool_choice=choice).invoke(messages)).tool_calls:
    results = [ToolMessage(get_weather(**call["args"]), tool_call_id=call["id"]) for call in message.tool_calls]
    messages, choice = [*messages, message, *results], None
answer = message.content
"""
SMOLAGENTS: Final = """
from smolagents import OpenAIModel, Tool, ToolCallingAgent

class Weather(Tool):
    name, description, output_type = "get_weather", "Weather of a city.", "string"
    inputs = {"city": {"type": "string", "description": "Name of the city."}}
    forward = staticmethod(get_weather)

model = OpenAIModel(model_id=MODEL, api_base=URL, api_key="none")
agent = ToolCallingAgent([Weather()], model, stream_outputs=STREAM, max_steps=3, verbosity_level=0)
answer = agent.run(QUESTION)
"""
INSPECT: Final = """
import tempfile
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool

@tool
def weather():
    async def execute(city: str) -> str:
        '''Weather of a city.

        Args:
            city: Name of the city.
        '''
        return get_weather(city)

    return execute

model = get_model(f"openai-api/gateway/{MODEL}", base_url=URL, api_key="none", stream=STREAM)
task = Task([Sample(QUESTION)], solver=[use_tools(weather()), generate()])
[log] = eval(task, model=model, display="none", log_dir=tempfile.mkdtemp())
assert log.status == "success", log.error
answer = log.samples[0].output.completion
"""
QWEN_AGENT: Final = """
from qwen_agent.agents import Assistant
from qwen_agent.tools.base import BaseTool

class Weather(BaseTool):
    name, description, parameters = "get_weather", "Weather of a city.", TOOL["function"]["parameters"]

    def call(self, params, **_):
        return get_weather(**json.loads(params))

class Agent(Assistant):
    def _call_llm(self, *args, **fields):
        answers = super()._call_llm(*args, **fields, stream=STREAM)
        return answers if STREAM else iter([answers])

llm = {"model": MODEL, "model_server": URL, "api_key": "none", "generate_cfg": {"use_raw_api": RAW}}
for messages in Agent(llm=llm, function_list=[Weather()]).run([{"role": "user", "content": QUESTION}]):
    pass
answer = messages[-1]["content"]
"""
HERMES_AGENT: Final = """
import os, tempfile
os.environ["HERMES_HOME"] = tempfile.mkdtemp()
from run_agent import AIAgent
from tools.registry import registry

registry.register(
    "get_weather", "weather", TOOL["function"], lambda fields, **_: json.dumps({"weather": get_weather(**fields)})
)
agent = AIAgent(
    base_url=URL, api_key="none", model=MODEL, enabled_toolsets=["weather"], quiet_mode=True, max_iterations=4,
    skip_context_files=True, skip_memory=True, stream_delta_callback=(lambda _: None) if STREAM else None,
)
answer = agent.run_conversation(QUESTION)["final_response"]
"""
