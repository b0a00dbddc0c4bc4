"""Clients from npm. A script gets what `PRELUDE` defines, as those of `python_clients.py` do, and sets `answer`."""

from typing import Final

PRELUDE: Final = """
const [url, model, isStream, isForced, tool] = JSON.parse(process.argv[2]);
const question = "What is the weather in Rome?";
const cities = [];
let answer;
const getWeather = async ({ city }) => {
    cities.push(city);
    return "sunny";
};
"""
CLOSING: Final = "\nconsole.log(JSON.stringify({ cities, answer }));\n"

OPENAI: Final = """
import OpenAI from "openai";

const client = new OpenAI({ baseURL: url, apiKey: "none" });
const messages = [{ role: "user", content: question }];
const ask = async (toolChoice) => {
    const fields = { model, messages, tools: [tool], tool_choice: toolChoice, max_tokens: 64 };
    const completions = client.chat.completions;
    return isStream ? completions.stream(fields).finalChatCompletion() : completions.create(fields);
};
for (let choice = isForced ? "required" : "auto"; answer === undefined; choice = "auto") {
    const { message } = (await ask(choice)).choices[0];
    messages.push(message);
    for (const call of message.tool_calls ?? []) {
        const content = await getWeather(JSON.parse(call.function.arguments));
        messages.push({ role: "tool", tool_call_id: call.id, content });
    }
    if (!message.tool_calls?.length) answer = message.content;
}
"""
AI: Final = """
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool as asTool } from "ai";

const { description, parameters } = tool.function;
const tools = { get_weather: asTool({ description, inputSchema: jsonSchema(parameters), execute: getWeather }) };
const provider = createOpenAICompatible({ name: "gateway", baseURL: url });
const fields = { model: provider(model), prompt: question, tools, stopWhen: stepCountIs(4) };
answer = isStream ? await streamText(fields).text : (await generateText(fields)).text;
"""
OPENAI_AGENTS: Final = """
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool as asTool } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true);
setOpenAIAPI(api);
setDefaultOpenAIClient(new OpenAI({ baseURL: url, apiKey: "none" }));
const { name, description, parameters } = tool.function;
const weather = asTool({ name, description, parameters, strict: false, execute: getWeather });
const agent = new Agent({ name: "weather", tools: [weather], model });
const result = await run(agent, question, { stream: isStream });
if (isStream) await result.completed;
answer = result.finalOutput;
"""
FAILING: Final = """
import OpenAI from "openai";

const client = new OpenAI({ baseURL: url, apiKey: "none" });
try {
    await client.chat.completions.create({ model, messages: [{ role: "user", content: question }] });
} catch (error) {
    answer = error.status;
}
"""
"""Sends a request that fails, and answers with the status of the error."""
