"""Example questions for the shipped tools. The suite `everyday` asks those of `weather`, `home` and `office`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final


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
        ("nonsense", "get_flumbuster", "What is the flumbuster reading for cairo?"),
        ("nonsense", "calculate_zorbix", "Combine a zorb of 3 with a bix of 4 into a zorbix."),
        ("weather", "get_weather", "What is the weather in Paris?"),
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


def questions_for(tools: Collection[str]) -> tuple[str, ...]:
    """Return the questions that the offered tools can answer."""
    return tuple(question.text for question in QUESTIONS if question.tool in tools)


def questions_elsewhere(tools: Collection[str], toolsets: Collection[str]) -> tuple[Question, ...]:
    """Return the first question of each toolset of which no tool is offered.

    Args:
        tools: Names of the offered tools.
        toolsets: Names of the toolsets that can be chosen.
    """
    offered = {question.toolset for question in QUESTIONS if question.tool in tools}
    first: dict[str, Question] = {}
    for question in QUESTIONS:
        if question.toolset in toolsets and question.toolset not in offered:
            first.setdefault(question.toolset, question)
    return tuple(first.values())
