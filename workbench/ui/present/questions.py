"""Example questions for the shipped tools, and the toolset that a message needs.

The suite `everyday` asks those of `weather`, `home` and `office`.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An example question."""

    text: str
    tool: str
    """The tool that answers it."""
    toolset: str
    """A toolset that has the tool."""


QUESTIONS: Final = tuple(
    Question(text=text, tool=tool, toolset=toolset)
    for toolset, tool, text in (
        ("weather", "get_weather", "What is the weather in Paris?"),
        ("nonsense", "get_flumbuster", "What is the flumbuster reading for cairo?"),
        ("nonsense", "calculate_zorbix", "Combine a zorb of 3 with a bix of 4 into a zorbix."),
        ("weather", "get_weather", "How warm is it in London right now, in fahrenheit?"),
        ("weather", "get_weather", "Do I need an umbrella in London?"),
        ("weather", "get_weather", "Compare the weather in Paris and London."),
        ("home", "set_light", "Turn on the light in the kitchen, please."),
        ("home", "set_light", "I'm going to bed, turn off the light in the living room."),
        ("home", "set_heating", "It's cold. Can you set the bathroom to 23 degrees?"),
        ("home", "add_to_shopping_list", "Put milk, eggs and bread on the shopping list."),
        ("office", "list_events", "What is in my calendar on 2026-11-24?"),
        ("office", "send_mail", "Mail anna@example.com that I will be late, subject Late."),
        ("search", "search_docs", "What do the documents say about tool calls?"),
    )
)
"""In the order in which they are shown."""


NOTES: Final[Mapping[str, str]] = {
    "nonsense": "Made-up words: no model knows the answer, so it has to call the tool."
}
"""Why a toolset is an example."""
MOST_EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleQuestion:
    """A question of the empty state, which is sent by a click."""

    text: str
    toolset: str = ""
    """The toolset to choose for it. Empty if the tool is offered already."""
    note: str = ""


def example_questions(tools: Collection[str], toolsets: Collection[str]) -> tuple[ExampleQuestion, ...]:
    """Return one question for each toolset, and a few more for those with an offered tool.

    Args:
        tools: Names of the offered tools.
        toolsets: Names of the toolsets that can be chosen.
    """
    shown = dict[Question, ExampleQuestion]()
    first = {question.toolset: question for question in reversed(QUESTIONS)}
    offered = [question for question in QUESTIONS if question.tool in tools]
    of_offered = {question.toolset for question in offered}
    further = [question for name, question in first.items() if name in toolsets and name not in of_offered]
    for question in sorted((*offered[:MOST_EXAMPLES], *further), key=QUESTIONS.index):
        toolset = "" if question in offered else question.toolset
        is_first = first[question.toolset] is question
        note = NOTES.get(question.toolset, "") if is_first else ""
        shown[question] = ExampleQuestion(text=question.text, toolset=toolset, note=note)
    return tuple(shown.values())[:MOST_EXAMPLES]


_WORD: Final = re.compile(r"[a-z]{4,}")
_COMMON: Final = frozenset(
    "what with from that this have will please could would into their there about your".split()  # noqa: SIM905
)


def missing_toolset(
    message: str, offered: OfferedTools, toolsets: Callable[[], Mapping[str, OfferedTools]]
) -> str:
    """Return the toolset that fits a message of which no offered tool has a word. Empty if there is none.

    "What is the weather in Berlin?" has a word of `get_weather`, but none of `get_flumbuster`.
    """
    words = set(_WORD.findall(message.lower())) - _COMMON
    if words & _words(offered, is_described=True):
        return ""
    found = {name: len(words & (_words(tools) | {name})) for name, tools in toolsets().items()}
    best = max(found, key=lambda name: found[name], default="")
    return best if best and found[best] else ""


def _words(tools: OfferedTools, *, is_described: bool = False) -> set[str]:
    texts = (f"{spec.name} {spec.description if is_described else ''}" for spec in tools.specs)
    return set(_WORD.findall(" ".join(texts).replace("_", " ").lower())) - _COMMON
