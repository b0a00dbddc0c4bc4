"""What the conversations of the demo set say: one clean, the others each with one thing that goes wrong."""

from dataclasses import dataclass
from typing import Final

from workbench.records.labels.label import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a labeller said of a message; what comes after it is stale from then on."""

    completion: int
    """Which completion of the conversation, from 0."""
    text: str
    """What should stand there."""
    comment: str
    """Why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoConversation:
    """A conversation of the demo set."""

    title: str
    """In the list of sessions."""
    tag: str
    """What goes wrong in it, in a word."""
    said: tuple[str, ...]
    """What the user says, turn by turn."""
    completions: tuple[str, ...]
    """What the model writes, byte for byte."""
    tools: tuple[str, ...] = ("nonsense",)
    """Toolsets that it is offered."""
    max_tokens: int = 256
    """Longest completion, in tokens of the script: four characters each."""
    verdict: Verdict | None = None
    """What a labeller held of the first call; None where nobody looked yet."""
    correction: Correction | None = None
    """What a labeller wrote; None where nobody did."""


def _call(body: str) -> str:
    return f"<tool_call>\n{body}\n</tool_call>"


_CAIRO: Final = _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}')
EXAMPLE: Final = DemoConversation(
    title="The flumbuster of Cairo: a call with a small fault",
    tag="fixed",
    said=("What is the flumbuster reading for cairo?",),
    completions=(
        "<think>\nThe user wants a reading; get_flumbuster gives it.\n</think>\n"
        + _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo",}}'),
        "The flumbuster reading for Cairo is 31 metric usters.",
    ),
)
"""What a first visit shows."""
DEMO: Final = (
    DemoConversation(
        title="A clean call",
        tag="clean",
        said=("What is the flumbuster reading for cairo?",),
        completions=(_CAIRO, "The flumbuster reading for Cairo is 31 metric usters."),
        verdict=Verdict.RIGHT,
    ),
    DemoConversation(
        title="Python's quotes and constants",
        tag="fixed",
        said=("How is the weather in Rome?",),
        completions=(
            _call("{'name': 'get_weather', 'arguments': {'city': 'Rome'}}"),
            "I looked it up: see the result above.",
        ),
        tools=("weather",),
    ),
    DemoConversation(
        title="A call that was dropped",
        tag="dropped",
        said=("What is the flumbuster reading for lima?",),
        completions=(_call('{"name": "get_flumbuster", "arguments": '),),
    ),
    DemoConversation(
        title="Cut off in the middle of a call",
        tag="cut",
        said=("What is the flumbuster reading for oslo, in imperial usters?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "oslo", "uster": "imperial"}}'),
        ),
        max_tokens=16,
    ),
    DemoConversation(
        title="The wrong tool",
        tag="wrong-tool",
        said=("Add the zorb 3 and the bix 4 to a zorbix.",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "3 and 4"}}'),
            "The zorbix is 17.",
        ),
        verdict=Verdict.WRONG_TOOL,
    ),
    DemoConversation(
        title="A tool that nobody offered",
        tag="unknown-tool",
        said=("What is the flumbuster reading for quito?",),
        completions=(
            _call('{"name": "read_flumbuster", "arguments": {"place": "quito"}}'),
            "There is no such tool, so I cannot tell.",
        ),
    ),
    DemoConversation(
        title="Arguments that the schema refuses",
        tag="bad-arguments",
        said=("What is the flumbuster reading for cairo, in kelvin?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "cairo", "uster": "kelvin"}}'),
            "Kelvin is not offered; metric or imperial?",
        ),
        verdict=Verdict.BAD_ARGUMENTS,
    ),
    DemoConversation(
        title="A call that nobody needed",
        tag="needless",
        said=("Thanks, that is all!",),
        completions=(_CAIRO, "You are welcome."),
    ),
    DemoConversation(
        title="It should have asked",
        tag="should-ask",
        said=("What is the flumbuster reading?",),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "New York"}}'),
            "The flumbuster reading for New York is 18.",
        ),
    ),
    DemoConversation(
        title="Two calls at once, in a code fence",
        tag="fixed",
        said=("The flumbuster readings for cairo and lima, please.",),
        completions=(
            "```\n" + _CAIRO + "\n" + _CAIRO.replace("cairo", "lima") + "\n```",
            "Cairo reads 31, Lima 14 metric usters.",
        ),
    ),
    DemoConversation(
        title="Corrected, and stale behind it",
        tag="stale",
        said=("What is the flumbuster reading for paris, in imperial usters?", "And is that much?"),
        completions=(
            _call('{"name": "get_flumbuster", "arguments": {"flumb": "paris"}}'),
            "It is 15 metric usters.",
            "No, 15 is little.",
        ),
        correction=Correction(
            completion=0,
            text=_call('{"name": "get_flumbuster", "arguments": {"flumb": "paris", "uster": "imperial"}}'),
            comment="The user asked for imperial usters.",
        ),
    ),
    DemoConversation(
        title="An answer full of HTML",
        tag="hostile",
        said=("Write a link and a script.",),
        completions=('<script>alert("no")</script> <a href="//example.org">link</a> ${1 + 1} <|im_end|>',),
    ),
)
"""What one button loads."""
