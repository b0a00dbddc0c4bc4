"""Calls with the damage that models do, made at random: every name and text in them is a word of its own."""

import json
import random
from typing import Any

from workbench.toolspec.spec import OfferedTools, ToolSpec

_STRINGS = {"type": "array", "items": {"type": "string"}}
_INNER = {"type": "object", "properties": {"kin": {"type": "string"}, "kon": {"type": "string"}}}
TOOLS = OfferedTools(
    specs=(
        ToolSpec.of_function(
            {
                "name": "tool",
                "description": "d",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "kay": {"type": "string"},
                        "kel": {"type": "string"},
                        "num": {"type": "integer"},
                        "lis": _STRINGS,
                        "obj": _INNER,
                        "parameters": {"type": "object"},
                    },
                },
            }
        ),
        ToolSpec.of_function({"name": "free", "parameters": {"type": "object"}}),
    )
)
KEYS = ("kay", "kel", "num", "lis", "obj", "zed", "yak", "kin", "kon")


def call_text(chance: random.Random) -> str:
    """Return the body of one call, or of several, with up to three faults."""
    words = (f"w{number}w" for number in range(10_000))

    def value(depth: int) -> Any:
        kind = chance.randrange(7 if depth < 3 else 3)
        if kind < 3:
            return " ".join(next(words) for _ in range(chance.randint(1, 3)))
        if kind == 3:
            return chance.randint(1000, 9999)
        if kind == 4:
            return [value(depth + 1) for _ in range(chance.randint(0, 3))]
        return {key: value(depth + 1) for key in chance.sample(KEYS, chance.randint(0, 3))}

    def call() -> dict[str, Any]:
        arguments: Any = {key: value(1) for key in chance.sample(KEYS, chance.randint(0, 4))}
        if chance.random() < 0.1:
            arguments = json.dumps(arguments)
        made = {chance.choice(["name"] * 4 + ["tool"]): chance.choice(["tool", "tool", "free", "nope"])}
        made[chance.choice(["arguments"] * 4 + ["parameters"])] = arguments
        if chance.random() < 0.5:
            more = chance.choice([*KEYS, "parameters", "args", "id", "type", "tool_name", "function"])
            made.setdefault(more, value(2))
        members = list(made.items())
        if chance.random() < 0.2:
            chance.shuffle(members)
        if chance.random() < 0.15:
            return {"type": "function", "function": dict(members), chance.choice(KEYS): value(2)}
        if chance.random() < 0.1:
            return {"tool": value(1), chance.choice(KEYS): value(2)}
        return dict(members)

    made: Any = call()
    if chance.random() < 0.2:
        made = [made, *(call() for _ in range(chance.randint(0, 2)))]
    text = json.dumps(made, indent=chance.choice([None, None, 2]))
    for _ in range(chance.randint(0, 3)):
        text = _damaged(chance, text)
    return text


def _damaged(chance: random.Random, text: str) -> str:
    """Return the text with one fault: a character that is missing, extra or another one."""
    kind = chance.choice(['"', '"', ",", "}", "]", ":", "{", "swap", "close", "group", "single", "extra"])
    places = [place for place, char in enumerate(text) if char == kind[:1]]
    if kind == "close":  # one brace too early, and one more at the end
        places = [place for place, char in enumerate(text) if char == ","]
        place = chance.choice(places) if places else len(text)
        return f"{text[:place]}}}{text[place:]}"
    if kind == "extra":
        place = chance.randrange(len(text) + 1)
        return text[:place] + chance.choice(['"', "'", "}", "]", ",", "\n", '""', " ", "\\"]) + text[place:]
    if kind == "group":
        return text.replace('"w1w', '("w1w', 1).replace('w1w"', 'w1w")', 1)
    if kind == "single":
        return text.replace('"', "'")
    if kind == "swap":
        return text.replace("[", "{", 1) if chance.random() < 0.5 else text.replace("{", "[", 1)
    if not places:
        return text
    place = chance.choice(places)
    return text[:place] + text[place + 1 :]
