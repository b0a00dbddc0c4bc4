"""Calls whose values contain examples of calls, built from pieces, together with the calls that they are."""

import random
from typing import Any

from workbench.toolspec.spec import OfferedTools, ToolSpec


def spec(name: str, *parameters: str) -> ToolSpec:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return ToolSpec.of_function({"name": name, "parameters": schema})


TOOLS = OfferedTools(specs=(spec("write", "path", "content"), spec("bash", "command"), spec("now")))
"""Examples call all of them, but only `write` is called for real."""
NAMES = ("write", "bash", "now", "foo")
PARAMETERS = ("command", "path", "content", "bar")
WORDS = ("ls", "a < b", "# Doc", "x", "List<int>", "It's", '{"a": 1}', "", "```", "</b>")


def written_call(name: str, arguments: dict[str, str], *, gap: str = "\n", tags: bool = True) -> str:
    parameters = "".join(
        f"<parameter={key}>{gap}{value}{gap}</parameter>{gap}" for key, value in arguments.items()
    )
    body = f"<function={name}>{gap}{parameters}</function>"
    return f"<tool_call>{gap}{body}{gap}</tool_call>" if tags else body


def example(chance: random.Random, depth: int = 2) -> str:
    """Return a balanced example: a call in XML or JSON, its function alone, or a parameter alone."""
    gap = chance.choice(["\n", "\n", "", " "])
    kind = chance.randrange(5)
    if kind == 0:
        return f'<tool_call>{gap}{{"name": "bash", "arguments": {{"command": "ls"}}}}{gap}</tool_call>'
    if kind == 1:
        return f"<parameter=bar>{gap}{chance.choice(WORDS)}{gap}</parameter> and so on"
    names = chance.sample(PARAMETERS, chance.randint(0, 2))
    arguments = {name: balanced_text(chance, depth - 1) for name in names}
    return written_call(chance.choice(NAMES), arguments, gap=gap, tags=kind != 2)


def balanced_text(chance: random.Random, depth: int = 2) -> str:
    """Return a text in which all tags of the form pair up."""
    pieces: list[str] = []
    for _ in range(chance.randint(1, 3)):
        pieces.append(chance.choice(WORDS))
        if depth and chance.random() < 0.7:
            piece = example(chance, depth)
            pieces.append(f"```xml\n{piece}\n```" if chance.random() < 0.3 else piece)
    pieces.append(chance.choice(WORDS))
    return chance.choice(["\n", " "]).join(pieces)


def real_call(chance: random.Random) -> tuple[str, list[Any]]:
    """Return a call of `write` as a model writes it, and what it is."""
    arguments = {"path": balanced_text(chance, chance.choice([0, 0, 1])), "content": balanced_text(chance)}
    if chance.random() < 0.5:
        arguments = dict(reversed(arguments.items()))
    return written_call("write", arguments), ["write", arguments]


TAGS = (
    "<tool_call>", "</tool_call>", "<function=bash>", "</function>", "<parameter=command>", "</parameter>",
    "<parameter=path>", "\n<parameter=content>\n", '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}',
)  # fmt: skip


def unbalanced_call(chance: random.Random) -> str:
    """Return a call whose values were cut, or contain single tags, perhaps with a second call after it."""
    text = real_call(chance)[0]
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len("<tool_call>\n<function=write>\n"), len(text) + 1)
        end = min(len(text), start + chance.choice([0, 0, 3, 20, 60]))
        text = text[:start] + chance.choice(("", *TAGS)) + text[end:]
    return text + (f"\n{real_call(chance)[0]}" if chance.random() < 0.3 else "")
