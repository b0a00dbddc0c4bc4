"""Read a completion of a suite, and write what was read in the form that suites compare: content, thoughts and calls."""

import json
import re
from typing import Any, NamedTuple

from tests.conformance.outcome import Completion
from workbench.hermes.marks import FOREIGN_THOUGHTS
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading, SegmentKind
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools

_THOUGHT_TOKENS = sorted({*FOREIGN_THOUGHTS, *FOREIGN_THOUGHTS.values()}, key=len, reverse=True)
_THOUGHT_TAG = re.compile("|".join((r"</?think(?:ing)?>", *map(re.escape, _THOUGHT_TOKENS))))


class Message(NamedTuple):
    """An answer, taken apart. White space at the edges of a text is not compared."""

    content: str
    thoughts: str
    calls: tuple[tuple[str, Any], ...]
    """Name and arguments of each call."""


def offered(tools: str) -> OfferedTools | None:
    """Return the tools of a JSON text as the reader takes them; None if there are none."""
    specs = json.loads(tools)
    return parse_tools(specs) if specs else None


def read(completion: Completion) -> Reading:
    return parse(
        completion.text,
        tools=offered(completion.tools),
        level=completion.level,
        starts_in_thought=completion.starts_in_thought,
    )


def message_of(reading: Reading) -> Message:
    """Return what a client would get of a reading."""
    thoughts = (
        segment.text
        for segment in reading.segments
        if segment.kind is SegmentKind.THOUGHT
        or (segment.kind is SegmentKind.UNCLOSED and _THOUGHT_TAG.match(segment.text))
    )
    return Message(
        content="".join(reading.prose).strip(),
        thoughts=_THOUGHT_TAG.sub("", "".join(thoughts)).strip(),
        calls=tuple((call.name, call.arguments) for call in reading.calls),
    )


def without_thoughts(message: Message) -> Message:
    """Return a message whose thoughts are part of its content, as servers answer that do not separate them."""
    content = _THOUGHT_TAG.sub("", f"{message.thoughts}{message.content}")
    return message._replace(content=re.sub(r"\s+", "", content), thoughts="")
