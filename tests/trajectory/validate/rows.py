"""A valid row in four formats, and functions to change it."""

import copy
import json
from typing import Any

from workbench.trajectory.formats.known import detect_format
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import check_completely

SPEC: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "minimum": 1},
                "unit": {"type": "string", "enum": ["C", "F"]},
                "places": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"x": {"type": "number"}}},
                },
            },
            "required": ["city"],
        },
    },
}
OTHER: dict[str, Any] = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}

PARIS = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>'
ROME = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
SUN = '<tool_response>\n{"sky": "sun"}\n</tool_response>'
RAIN = '<tool_response>\n{"sky": "rain"}\n</tool_response>'
SYSTEM = f"Call a function where it helps.\n<tools>\n{json.dumps(SPEC)}\n{json.dumps(OTHER)}\n</tools>"

SHAREGPT: dict[str, Any] = {
    "conversations": [
        {"from": "system", "value": SYSTEM},
        {"from": "human", "value": "Weather in Paris and Rome?"},
        {"from": "gpt", "value": f"Both at once.\n{PARIS}\n{ROME}"},
        {"from": "tool", "value": f"{SUN}\n{RAIN}"},
        {"from": "gpt", "value": "Sun in Paris, rain in Rome."},
    ],
    "tools": json.dumps([SPEC, OTHER]),
}

AGENT: dict[str, Any] = {
    "conversations": [
        SHAREGPT["conversations"][0],
        SHAREGPT["conversations"][1],
        {"from": "gpt", "value": f"<think>\n</think>\n{PARIS}\n{ROME}"},
        {
            "from": "tool",
            "value": '<tool_response>\n{"tool_call_id": "a", "name": "get_weather", "content": 1}\n</tool_response>\n'
            '<tool_response>\n{"tool_call_id": "b", "name": "get_weather", "content": 2}\n</tool_response>',
        },
        {"from": "gpt", "value": "<think>\nEasy.\n</think>\nSun and rain."},
    ],
    "tools": json.dumps([SPEC, OTHER]),
    "completed": True,
}


def _call(call_id: str, arguments: object) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}}


OPENAI: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather in Paris and Rome?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [_call("a", '{"city": "Paris", "days": 2}'), _call("b", '{"city": "Rome"}')],
        },
        {"role": "tool", "tool_call_id": "a", "content": "sun"},
        {"role": "tool", "tool_call_id": "b", "content": "rain"},
        {"role": "assistant", "content": "Sun in Paris, rain in Rome."},
    ],
    "tools": [SPEC, OTHER],
}

TRL: dict[str, Any] = {
    "messages": [
        *OPENAI["messages"][:2],
        {
            "role": "assistant",
            "content": "Both at once.",
            "tool_calls": [_call("a", {"city": "Paris", "days": 2}), _call("b", {"city": "Rome"})],
        },
        *OPENAI["messages"][3:],
    ],
    "tools": [SPEC, OTHER],
}

VALID = {"sharegpt": SHAREGPT, "hermes-agent": AGENT, "openai": OPENAI, "trl": TRL}


def changed(row: dict[str, Any], *path: str | int, to: object) -> dict[str, Any]:
    """Return a copy of `row` with another value at `path`."""
    copied: Any = copy.deepcopy(row)
    place = copied
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return copied


def without(row: dict[str, Any], *path: str | int) -> dict[str, Any]:
    """Return a copy of `row` without the value at `path`."""
    copied: Any = copy.deepcopy(row)
    place = copied
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return copied


def inserted(row: dict[str, Any], key: str, place: int, *entries: object) -> dict[str, Any]:
    """Return a copy of `row` with more entries."""
    copied = copy.deepcopy(row)
    copied[key][place:place] = list(entries)
    return copied


def findings_of(row: dict[str, Any]) -> list[RowFinding]:
    """Check a row as the format that it looks like, and return its findings."""
    form = detect_format(row)
    assert form, "the row looks like no format"
    return list(check_completely(form.read(row)).findings)
