"""Valid rows with one change, and rows of formats that only a few rules are about."""

import json
from typing import Any

from tests.trajectory.validate.rows import OPENAI, OTHER, SHAREGPT, SPEC, changed

TALK = "conversations"
ASKS, CALLS, GETS, ENDS = 1, 2, 3, 4


def speak(place: int, text: str, row: dict[str, Any] = SHAREGPT) -> dict[str, Any]:
    return changed(row, TALK, place, "value", to=text)


def paris(arguments: str) -> str:
    """Return the entry with calls, with other arguments in its first call."""
    return SHAREGPT[TALK][CALLS]["value"].replace('{"city": "Paris", "days": 2}', arguments)


def given(arguments: object, row: dict[str, Any] = OPENAI) -> dict[str, Any]:
    return changed(row, "messages", CALLS, "tool_calls", 0, "function", "arguments", to=arguments)


def nested(levels: int) -> object:
    """Return a number within this many lists and objects in turn."""
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def open_tool(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose first tool takes any arguments."""
    return changed(
        row, "tools", 0, "function", "parameters", to={"type": "object", "additionalProperties": True}
    )


def beside(*, city: str, **members: object) -> dict[str, Any]:
    """Return a row whose first call has members beside its arguments."""
    function = {"name": "get_weather", "arguments": json.dumps({"city": city}), **members}
    return changed(OPENAI, "messages", CALLS, "tool_calls", 0, "function", to=function)


def generated(answer: str) -> dict[str, Any]:
    """Return a row in which a tool generates a password."""
    spec = {"name": "generate_password", "parameters": {"type": "object", "properties": {}}}
    entries = [
        {"from": "system", "value": "Be brief."},
        {"from": "human", "value": "I need a password."},
        {"from": "gpt", "value": '<tool_call>\n{"name": "generate_password", "arguments": {}}\n</tool_call>'},
        {"from": "tool", "value": '<tool_response>\n{"password": "a9B7$#fG3&Z1"}\n</tool_response>'},
        {"from": "gpt", "value": answer},
    ]
    return {TALK: entries, "tools": json.dumps([spec])}


KEY = "sk-" + "proj-a8Kd92LmQp71XzRt55VbNc03"


def generated_key(key: str) -> dict[str, Any]:
    """Return a row in which a tool that generates passwords returns a key."""
    result = f'<tool_response>\n{{"password": "{key}"}}\n</tool_response>'
    return changed(generated("Here."), TALK, GETS, "value", to=result)


def renamed(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a row with another name of the tool that generates passwords."""
    renamed_row: dict[str, Any] = json.loads(json.dumps(row).replace("generate_password", name))
    return renamed_row


PREFERENCE: dict[str, Any] = {
    "input": {"messages": OPENAI["messages"][:2], "tools": [SPEC]},
    "preferred_output": [
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function":
            {"name": "get_weather", "arguments": {"city": "Rome"}}}]}
    ],
    "non_preferred_output": [{"role": "assistant", "content": "No idea."}],
}  # fmt: skip


def system(text: str) -> dict[str, Any]:
    return speak(0, text)


XML_PARIS, XML_ROME = (
    f"<tool_call>\n<function=get_weather>\n<parameter=city>\n{city}\n</parameter>\n</function>\n</tool_call>"
    for city in ("Paris", "Rome")
)
JSON_EXAMPLE = '<tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call>'

HEADER: dict[str, Any] = {"type": "session", "harness": "my-agent", "id": "s", "tools": [SPEC]}


def log(header: dict[str, Any], *more: object) -> dict[str, Any]:
    """Return a session trace with a question, an answer, and more lines."""
    said = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."})
    return {"traces": [header, *({"type": "message", "message": message} for message in said), *more]}


CODEX: dict[str, Any] = {
    "traces": [
        {
            "type": "session_meta",
            "payload": {"id": "s", "dynamic_tools": [{"name": "now", "description": "Now"}]},
        },
        *(
            {"type": "response_item", "payload": {"type": "message", "role": role, "content": text}}
            for role, text in (("user", "Hi"), ("assistant", "Hello."), ("user", "Remove it"))
        ),
        {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}},
    ]
}


def observed(text: str) -> dict[str, Any]:
    """Return a row of LLaMA-Factory whose observation has this text."""
    calls = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Paris", "Rome")]
    turns = [
        ("human", "Weather?"),
        ("function_call", json.dumps(calls)),
        ("observation", text),
        ("gpt", "Sun."),
    ]
    return {
        TALK: [{"from": speaker, "value": value} for speaker, value in turns],
        "tools": json.dumps([SPEC]),
    }


def calling(arguments: object) -> dict[str, Any]:
    """Return an answer with one call."""
    function = {"name": "get_weather", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}


PAIR: dict[str, Any] = {
    "prompt": [{"role": "user", "content": "Weather?"}],
    "chosen": [{"role": "assistant", "content": "Sun."}],
    "rejected": [calling({"city": "a"})],
    "tools": [SPEC, OTHER],
}
