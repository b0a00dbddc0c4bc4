"""Training rows to measure with: ShareGPT rows of some 4 KB, their tools shared or of their own."""

import json
from collections.abc import Iterator
from random import Random

SHARED_SETS = 20
"""Number of sets of tools that rows share."""
TOOLS = 4
"""Tools that a row declares."""
_TEXT = (
    "the quick brown fox jumps over a lazy dog and then asks about weather in some town before noon while "
    "nobody listens to what it says of trains prices parcels flights invoices recipes meetings shares and "
    "maps because every question has an answer that is short plain true and of use to those who ask"
)
WORDS = _TEXT.split()
KINDS = ("string", "integer", "number", "boolean", "enum", "array")
SYSTEM = (
    "You are a function calling AI model. You are provided with function signatures within <tools></tools> "
    "XML tags. You may call one or more functions to assist with the user query. Don't make assumptions "
    "about what values to plug into functions.\n<tools>\n{tools}\n</tools>\nFor each function call return a "
    "JSON object with function name and arguments within <tool_call></tool_call> XML tags."
)


def lines(count: int, *, own_tools: bool, seed: int = 1) -> Iterator[bytes]:
    """Lines of JSON; one row in seven calls nothing, one in five calls two tools at once, one in three goes on.

    Args:
        count: How many.
        own_tools: Whether every row declares tools that no other row has; else rows share some sets.
        seed: Another one gives other rows.
    """
    random = Random(seed)
    shared = [_toolset(random, f"s{number}") for number in range(SHARED_SETS)]
    for number in range(count):
        tools = _toolset(random, f"r{number}") if own_tools else random.choice(shared)
        yield json.dumps(_row(random, number, tools)).encode() + b"\n"


def _row(random: Random, number: int, tools: list[dict]) -> dict:
    tool_lines = "\n".join(json.dumps(tool) for tool in tools)
    entries = [_entry("system", SYSTEM.replace("{tools}", tool_lines)), _entry("human", _text(random, 30))]
    if number % 7:
        entries += _round(random, tools, 2 if number % 5 == 0 else 1)
    entries.append(_entry("gpt", _text(random, 50)))
    if number % 3 == 0:
        entries += [
            _entry("human", _text(random, 15)),
            *_round(random, tools, 1),
            _entry("gpt", _text(random, 30)),
        ]
    return {"id": number, "conversations": entries, "tools": json.dumps(tools), "source": "generated"}


def _round(random: Random, tools: list[dict], calls: int) -> list[dict]:
    """An entry of the model with calls, and one with their results."""
    bodies = [json.dumps(_call(random, random.choice(tools))) for _ in range(calls)]
    results = [json.dumps({"note": _text(random, 12), "value": random.random()}) for _ in range(calls)]
    return [
        _entry("gpt", "\n".join(f"<tool_call>\n{body}\n</tool_call>" for body in bodies)),
        _entry("tool", "\n".join(f"<tool_response>\n{result}\n</tool_response>" for result in results)),
    ]


def _call(random: Random, tool: dict) -> dict:
    function = tool["function"]
    parameters = function["parameters"]
    given = {
        name: _value(random, schema)
        for name, schema in parameters["properties"].items()
        if name in parameters["required"] or random.random() < 0.5
    }
    return {"name": function["name"], "arguments": given}


def _value(random: Random, schema: dict) -> object:
    if "enum" in schema:
        return random.choice(schema["enum"])
    values = {
        "string": lambda: _text(random, 3),
        "integer": lambda: random.randrange(1, 1000),
        "number": lambda: random.random() * 100,
        "boolean": lambda: random.random() < 0.5,
        "array": lambda: [_text(random, 2) for _ in range(3)],
    }
    return values[schema["type"]]()


def _toolset(random: Random, name: str) -> list[dict]:
    return [_tool(random, f"{name}_{random.choice(WORDS)}_{place}") for place in range(TOOLS)]


def _tool(random: Random, name: str) -> dict:
    properties = {
        f"{random.choice(WORDS)}_{place}": _schema(random) for place in range(random.randrange(2, 5))
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)[:2]}
    function = {"name": name, "description": _text(random, 9), "parameters": parameters}
    return {"type": "function", "function": function}


def _schema(random: Random) -> dict:
    kind, description = random.choice(KINDS), _text(random, 6)
    if kind == "enum":
        return {"type": "string", "enum": random.sample(WORDS, 4), "description": description}
    if kind == "array":
        return {"type": "array", "items": {"type": "string"}, "description": description}
    bounds = {"minimum": 1} if kind == "integer" else {}
    return {"type": kind, "description": description, **bounds}


def _entry(speaker: str, text: str) -> dict:
    return {"from": speaker, "value": text}


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))
