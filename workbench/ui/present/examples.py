"""Example completions, each for one way in which calls get lost."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One completion, of the toolset `nonsense`."""

    title: str
    lesson: str
    text: str
    """Byte for byte."""
    finish_reason: str = "stop"
    """Why the model stopped."""


EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        title="A clean call",
        lesson="Nothing to mend: every reader of this form gets it.",
        text="I'll look that up.\n<tool_call>\n"
        '{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>',
    ),
    Example(
        title="Single quotes and a trailing comma",
        lesson="A Python dict where JSON was asked for; most parsers give up.",
        text="I'll look that up.\n<tool_call>\n"
        "{'name': 'get_flumbuster', 'arguments': {'flumb': 'cairo',}}\n</tool_call>",
    ),
    Example(
        title="Two objects in one block",
        lesson="Two calls, one pair of tags: most keep one of them, or none.",
        text='<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n'
        '{"name": "calculate_zorbix", "arguments": {"zorb": 3, "bix": 4}}\n</tool_call>',
    ),
    Example(
        title="XML with close tags missing",
        lesson="The other dialect; a careless reader takes one value for both.",
        text="<tool_call>\n<function=calculate_zorbix>\n<parameter=zorb>\n3\n"
        "<parameter=bix>\n4\n</parameter>\n</tool_call>",
    ),
    Example(
        title="A call inside a thought",
        lesson="Only considered, never made; several would run it.",
        text='<think>\nI could ask for lima: <tool_call>{"name": "get_flumbuster", "arguments": '
        '{"flumb": "lima"}}</tool_call> But it was cairo.\n</think>\n<tool_call>\n'
        '{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>',
    ),
    Example(
        title="Cut off in the middle",
        lesson="The token limit came first: no reader may guess the rest.",
        text='I\'ll look that up.\n<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cai',
        finish_reason="length",
    ),
)
"""In the order shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleWord:
    """An example as the empty state lists it."""

    title: str
    lesson: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplesView:
    """The empty state."""

    heading: str = "Paste a completion to see how it is read"
    hint: str = (
        "What a model wrote, with its tags: calls, each repair, and what other parsers would have made "
        "of it. No model is needed. Or begin with an example:"
    )
    examples: tuple[ExampleWord, ...] = tuple(
        ExampleWord(title=example.title, lesson=example.lesson) for example in EXAMPLES
    )


FIRST_EXAMPLES: Final = ExamplesView()
"""What an empty editor shows."""
