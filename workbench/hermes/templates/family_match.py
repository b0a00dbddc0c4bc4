"""Find the family that renders like a chat template, or the nearest one with what is different."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.spelling.family import Family
from workbench.hermes.templates.bench import (
    ANSWER,
    ANSWER_MESSAGE,
    ARGUMENTS,
    CONVERSATION,
    KEY,
    PREFACE,
    QUESTION,
    RESULT,
    SYSTEM_TEXT,
    THOUGHT,
    USER_MESSAGE,
    TemplateBench,
    call_message,
    chat_message,
    result_message,
    sentinel_tool,
)
from workbench.hermes.templates.template import ChatTemplate
from workbench.toolspec.spec import OfferedTools, ToolSpec

_MIN_SHARE: Final = 0.5
"""A family is near if at least this share of the aspects is equal."""
_SYSTEM_MESSAGE: Final = chat_message("system", SYSTEM_TEXT)
_ASKED: Final = (_SYSTEM_MESSAGE, USER_MESSAGE)
_EVERY_TYPE: Final[JsonObject] = {
    "type": "object",
    "properties": {
        KEY: {"type": "string", "description": "A sentinel.", "enum": ["a", "b"]},
        "count": {"type": "integer", "description": "A number.", "minimum": 1, "default": 2},
        "ratio": {"type": "number", "description": "A number."},
        "flag": {"type": "boolean", "description": "A switch.", "default": True},
        "items": {"type": "array", "description": "A list.", "items": {"type": "string"}},
        "options": {"type": "object", "description": "Options.", "properties": {"a": {"type": "integer"}}},
    },
    "required": [KEY],
    "additionalProperties": False,
}
"""Types that every published template can write."""


class Aspect(NamedTuple):
    """A conversation that shows how one thing is written."""

    name: str
    messages: Sequence[JsonObject]
    tools: Sequence[JsonObject] = ()
    opens_turn: bool = False


ASPECTS: Final = (
    Aspect("the tools", [USER_MESSAGE], [sentinel_tool(parameters=_EVERY_TYPE)]),
    Aspect("the system turn", _ASKED),
    Aspect("the default system text", [USER_MESSAGE]),
    Aspect("calls", [*_ASKED, call_message(ARGUMENTS, count=2), result_message(), result_message()]),
    Aspect("text beside calls", [*_ASKED, call_message(ARGUMENTS, content=PREFACE), result_message()]),
    Aspect("true, false and null", [*_ASKED, call_message({"a": True, "b": False, "c": None})]),
    Aspect("numbers", [*_ASKED, call_message({"a": 7, "b": -2.5, "c": 1e21, "d": 0})]),
    Aspect("lists", [*_ASKED, call_message({"a": [1, "b", [True, None, {}]], "b": []})]),
    Aspect("objects", [*_ASKED, call_message({"a": {"b": [None, {"c": False}], "d": "é"}, "e": {}})]),
    Aspect(
        "results", [*_ASKED, call_message(ARGUMENTS), result_message(f'{{"a": "{RESULT}"}}'), ANSWER_MESSAGE]
    ),
    Aspect("previous thoughts", [*_ASKED, {**ANSWER_MESSAGE, "reasoning_content": THOUGHT}, USER_MESSAGE]),
    Aspect(
        "thoughts", [*_ASKED, {**call_message(ARGUMENTS), "reasoning_content": THOUGHT}, result_message()]
    ),
    Aspect(
        "white space",
        [
            chat_message("system", f" {SYSTEM_TEXT} \n"),
            chat_message("user", f" {QUESTION} \n"),
            call_message(ARGUMENTS, content=f" {PREFACE} \n"),
            result_message(f" {RESULT} \n"),
            chat_message("assistant", f" {ANSWER} \n"),
            USER_MESSAGE,
        ],
    ),
    Aspect("the generation prompt", _ASKED, opens_turn=True),
)
"""What families differ in. Only the first one offers tools, so that it alone differs if the tools do."""
_TOGETHER: Final = (
    Aspect("the place of the system text", _ASKED, [sentinel_tool()]),
    Aspect(
        "a whole conversation",
        [_SYSTEM_MESSAGE, *CONVERSATION, USER_MESSAGE],
        [sentinel_tool()],
        opens_turn=True,
    ),
)
"""Compared if the aspects alone are equal."""


class FamilyMatch(NamedTuple):
    """The family that is nearest to a template."""

    name: str
    differs_in: tuple[str, ...]
    """Names of the aspects that are rendered differently. Empty if the family renders the same bytes."""


def match_family(template: ChatTemplate, *, now: datetime) -> FamilyMatch | None:
    """Return the family with the most equal aspects, or None if no family is near.

    Args:
        now: The time that the template sees.
    """
    bench = TemplateBench(template=template, now=now)
    expected = _prompts(bench, ASPECTS)
    matches = [
        FamilyMatch(family.name, _differences(family, ASPECTS, expected)) for family in FAMILIES.values()
    ]
    best = min(matches, key=lambda match: len(match.differs_in))
    if not best.differs_in:
        together = _differences(FAMILIES[best.name], _TOGETHER, _prompts(bench, _TOGETHER))
        return FamilyMatch(best.name, together)
    return best if len(best.differs_in) <= len(ASPECTS) * (1 - _MIN_SHARE) else None


def _prompts(bench: TemplateBench, aspects: Sequence[Aspect]) -> list[str | None]:
    return [
        bench.render(aspect.messages, tools=aspect.tools, generation_prompt=aspect.opens_turn).text
        for aspect in aspects
    ]


def _differences(
    family: Family, aspects: Sequence[Aspect], expected: Sequence[str | None]
) -> tuple[str, ...]:
    pairs = zip(aspects, expected, strict=True)
    return tuple(aspect.name for aspect, text in pairs if _rendered(family, aspect) != text)


def _rendered(family: Family, aspect: Aspect) -> str:
    tools = OfferedTools(specs=tuple(ToolSpec(document=document) for document in aspect.tools))
    conversation = parse_messages(aspect.messages).conversation
    return render(conversation, family=family, tools=tools, generation_prompt=aspect.opens_turn).text
