"""Example completions for the Inspect tab. Each shows one way in which parsers lose calls."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One completion that uses the toolset `nonsense`."""

    title: str
    lesson: str
    text: str
    """The completion, byte for byte."""
    finish_reason: str = "stop"
    """Why the model stopped: `stop` or `length`."""


EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        title="A valid call",
        lesson="Nothing to fix: every parser of this format reads it.",
        text="I'll look that up.\n<tool_call>\n"
        '{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>',
    ),
    Example(
        title="Single quotes and a trailing comma",
        lesson="A Python dict instead of JSON. Most parsers give up.",
        text="I'll look that up.\n<tool_call>\n"
        "{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo',}}\n</tool_call>",
    ),
    Example(
        title="Two objects in one block",
        lesson="Two calls in one pair of tags. Most parsers keep one of them, or none.",
        text='<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n'
        '{"name": "calculate_zorbix", "arguments": {"zorb": 3, "bix": 4}}\n</tool_call>',
    ),
    Example(
        title="XML with missing closing tags",
        lesson="The other dialect. A careless parser reads one value for both parameters.",
        text="<tool_call>\n<function=calculate_zorbix>\n<parameter=zorb>\n3\n"
        "<parameter=bix>\n4\n</parameter>\n</tool_call>",
    ),
    Example(
        title="A call inside a thought",
        lesson="Considered, but not made. Several parsers would run it.",
        text='<think>\nI could ask for lima: <tool_call>{"name": "get_flumbuster", "arguments": '
        '{"flumb": "lima"}}</tool_call> But it was cairo.\n</think>\n<tool_call>\n'
        '{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>',
    ),
    Example(
        title="Cut off in the middle",
        lesson="The token limit was reached. A reader must not guess the rest.",
        text='I\'ll look that up.\n<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cai',
        finish_reason="length",
    ),
)
"""In the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleWord:
    """An example as it is listed in the empty state."""

    title: str
    lesson: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplesView:
    """The empty state of the Inspect tab."""

    examples: tuple[ExampleWord, ...] = tuple(
        ExampleWord(title=example.title, lesson=example.lesson) for example in EXAMPLES
    )


FIRST_EXAMPLES: Final = ExamplesView()
"""Shown while the editor is empty."""
