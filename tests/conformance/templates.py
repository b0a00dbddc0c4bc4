"""Render generated conversations with published chat templates and compare the prompts with those of `render`.

Nothing of a template is in this repository: the files are read at run time from a folder, such as `models/templates`
in llama.cpp's sources. A conversation agrees if both prompts are equal byte for byte, or if the template fails and the
workbench reports it.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from tests.conformance.archives import LLAMA_CPP
from tests.conformance.outcome import Outcome, Suite
from workbench.chat.finding import Finding
from workbench.errors import BadInput
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.render import render
from workbench.hermes.spelling.families import family_named
from workbench.hermes.templates.template import ChatTemplate, TemplateInput, parse_template, render_template
from workbench.toolspec.spec import OfferedTools, ToolSpec

FAMILY_OF_FILE: Final[Mapping[str, str]] = {
    "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja": "hermes-3",
    "NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja": "hermes-3",
    "Qwen-Qwen2.5-7B-Instruct.jinja": "qwen2.5",
    "Qwen-Qwen3-0.6B.jinja": "qwen3",
    "Qwen3.5-4B.jinja": "qwen3.5",
    "qwen2_5.jinja": "qwen2.5",
    "qwen3.jinja": "qwen3",
    "qwen3_5_think.jinja": "qwen3.5",
    "qwen3_6.jinja": "qwen3.6",
}
"""The family of each template, by its file name in llama.cpp's `models/templates` and TRL's `trl/chat_templates`."""

CRASHES: Final = frozenset(
    {"template-would-crash", "content-missing", "content-not-text", "empty-tool-calls"}
)
"""Findings that say that a published template fails."""
NOW: Final = datetime(2026, 11, 27, tzinfo=UTC)


class TemplateRow(NamedTuple):
    """How one conversation compares."""

    id: str
    """File of the template and number of the conversation, the same in every run."""
    agrees: bool
    difference: str
    """What differs, with some text of both prompts. Empty if they agree."""


class TemplateCase(NamedTuple):
    """A conversation with its tools, as a template gets them."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    generation_prompt: bool


def compare_templates(folder: Path, *, count: int = 300) -> Iterator[TemplateRow]:
    """Compare `count` conversations with each template in `folder` that belongs to a family.

    Raises:
        BadInput: A template cannot be compiled.
    """
    cases = [generated_case(Random(number)) for number in range(count)]
    for path in sorted(folder.iterdir()):
        if path.name not in FAMILY_OF_FILE:
            continue
        template = parse_template(path.read_text(encoding="utf-8"))
        for number, case in enumerate(cases):
            difference = compared(template, FAMILY_OF_FILE[path.name], case)
            yield TemplateRow(f"{path.name}/{number:03}", not difference, difference)


def compared(template: ChatTemplate, family: str, case: TemplateCase) -> str:
    """Return what differs between a template's prompt and the family's, or an empty text."""
    read = parse_messages(case.messages, family=family_named(family))
    prompt = render(
        read.conversation,
        family=family,
        tools=OfferedTools(specs=tuple(ToolSpec(document=tool) for tool in case.tools)),
        generation_prompt=case.generation_prompt,
    )
    template_input = TemplateInput(
        messages=case.messages, tools=case.tools, generation_prompt=case.generation_prompt, now=NOW
    )
    try:
        theirs = render_template(template, template_input)
    except BadInput as error:
        is_reported = any(_says_crash(finding) for finding in (*read.findings, *prompt.findings))
        return "" if is_reported else f"not reported: {error.problem}"
    return "" if prompt.text == theirs else _first_difference(prompt.text, theirs)


def _says_crash(finding: Finding) -> bool:
    return finding.code in CRASHES


def _first_difference(ours: str, theirs: str) -> str:
    pairs = zip(ours, theirs, strict=False)
    place = next(
        (index for index, (mine, other) in enumerate(pairs) if mine != other), min(len(ours), len(theirs))
    )
    start = max(0, place - 40)
    return f"ours {ours[start : place + 40]!r}, theirs {theirs[start : place + 40]!r}"


_TEXTS: Final = (
    "Oslo",
    "",
    "  two spaces  ",
    "Größe 東京 🙂",
    'a "quoted" \\ text',
    "line 1\nline 2\n",
    "<b>&amp;</b>",
    "True",
    "null",
    "42",
    '{"a": 1}',
    "it's",
    "\tx",
)
_SCALARS: Final = (True, False, None, 0, 7, -3, 2.5, 1e21, 1.0, *_TEXTS)
_TYPES: Final = ("string", "number", "integer", "boolean")
_DESCRIPTIONS: Final = ("City name", " padded ", 'the "best" one', "Größe\nin cm", "", "a <b> & c")
_THOUGHTS: Final = ("I should look.", "\nlines\n\n", "", "so </b> it is")


def generated_case(dice: Random) -> TemplateCase:
    """Return a conversation with tools of many shapes, values of every kind, thoughts, results and odd contents."""
    tools = [_tool(dice, index) for index in range(dice.choice((0, 1, 1, 2, 3)))]
    messages: list[dict[str, Any]] = []
    if dice.random() < 0.5:
        messages.append({"role": "system", "content": dice.choice(("Be brief.", " Be kind. \n", ""))})
    for _ in range(dice.choice((1, 1, 2, 3))):
        messages.extend(_turn(dice))
    if dice.random() < 0.15:
        messages = messages[: dice.randint(0, len(messages))]
    return TemplateCase(messages, tools, dice.random() < 0.5)


def _turn(dice: Random) -> Iterator[dict[str, Any]]:
    if dice.random() < 0.95:
        yield {"role": "user", "content": dice.choice(_TEXTS[:7]) or "Hi"}
    for _ in range(dice.choice((0, 1, 1, 2))):
        calls = [_call(dice, index) for index in range(dice.choice((1, 1, 2, 3)))]
        yield _assistant(
            dice, dice.choice(("", "Let me see.", " I look. \n", None, "Fine")), tool_calls=calls
        )
        for call in calls:
            if dice.random() < 0.95:
                yield {
                    "role": "tool",
                    "content": dice.choice(_TEXTS),
                    "tool_call_id": call["id"],
                    "name": call["function"]["name"],
                }
    if dice.random() < 0.8:
        yield _assistant(
            dice, None if dice.random() < 0.06 else dice.choice(("It is warm.", "\n\nSo:\n", "Fertig 🙂 "))
        )


def _assistant(dice: Random, content: str | None, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content, **more}
    kind = dice.random()
    if kind < 0.2:
        message["reasoning_content"] = dice.choice(_THOUGHTS)
    elif kind < 0.35 and content is not None:
        message["content"] = f"<think>\n{dice.choice(_THOUGHTS)}\n</think>\n\n{content}"
    return message


def _call(dice: Random, index: int) -> dict[str, Any]:
    arguments: Any = {f"key_{number}": _value(dice, 3) for number in range(dice.choice((0, 1, 2, 4)))}
    if dice.random() < 0.08:
        arguments = dice.choice(('{"city": "Oslo"}', '{"city":"Oslo","n":1}', "{}"))
    return {
        "id": f"call{index:05}",
        "type": "function",
        "function": {"name": f"tool_{index}", "arguments": arguments},
    }


def _value(dice: Random, depth: int) -> Any:
    kind = dice.random()
    if depth == 0 or kind < 0.6:
        return dice.choice(_SCALARS)
    if kind < 0.8:
        return [_value(dice, depth - 1) for _ in range(dice.randint(0, 3))]
    return {dice.choice("abc é"): _value(dice, depth - 1) for _ in range(dice.randint(0, 3))}


def _tool(dice: Random, index: int) -> dict[str, Any]:
    function: dict[str, Any] = {"name": f"tool_{index}", "description": dice.choice(_DESCRIPTIONS)}
    properties = {f"key_{number}": _schema(dice, 2) for number in range(dice.choice((0, 1, 2, 3)))}
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if properties and dice.random() < 0.7:
        parameters["required"] = list(properties)[:1]
    if dice.random() < 0.3:
        parameters["additionalProperties"] = False
    if dice.random() < 0.2:
        parameters["$defs"] = {"point": {"type": "object"}}
    function["parameters"] = parameters
    if dice.random() < 0.1:
        function["strict"] = True
    if dice.random() < 0.1:
        function["return"] = {"type": "string", "description": "A text."}
    if dice.random() < 0.05:
        function.pop(dice.choice(("description", "parameters")))
    return {"type": "function", "function": function}


def _schema(dice: Random, depth: int) -> dict[str, Any]:
    kind = dice.choice(("plain", "plain", "plain", "list", "object", "union", "any_of", "enum", "empty"))
    schema: dict[str, Any] = {}
    if kind == "plain":
        schema = {"type": dice.choice(_TYPES)}
    elif kind == "list":
        schema = {"type": "array", "items": _schema(dice, depth - 1) if depth else {"type": "string"}}
    elif kind == "object":
        schema = {"type": "object"}
        if depth:
            schema["properties"] = {"inner": _schema(dice, depth - 1)}
        if dice.random() < 0.5:
            schema["additionalProperties"] = dice.choice((True, False, {"type": "integer"}))
    elif kind == "union":
        schema = {"type": dice.choice((["string", "integer"], ["string", "null"], ["array", "boolean"]))}
    elif kind == "any_of":
        schema = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    elif kind == "enum":
        schema = {"enum": dice.choice((["a", "b"], [1, None, True], ["it's"]))}
    if dice.random() < 0.8:
        schema["description"] = dice.choice(_DESCRIPTIONS)
    if dice.random() < 0.2:
        schema["default"] = dice.choice(_SCALARS)
    if dice.random() < 0.1:
        schema.update(minimum=0, maximum=10.5)
    return schema


def _outcomes(folder: Path) -> Iterator[Outcome]:
    for row in compare_templates(folder / "vendor" / "llama.cpp" / "models" / "templates"):
        yield Outcome(id=row.id, agrees=row.agrees, details=row.difference)


CHAT_TEMPLATES = Suite(
    name="llama.cpp's copies of the Hermes and Qwen templates, generated conversations",
    archive=LLAMA_CPP,
    cases=1500,
    outcomes=_outcomes,
)
