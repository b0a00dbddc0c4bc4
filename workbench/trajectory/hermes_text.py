"""Parse a model message's text into parts, and write parts as the text that Hermes uses."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import Level, Reading, SegmentKind
from workbench.hermes.spelling.tools import spelled_json
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.trajectory import Call, Part, Prose, Result, Thought

_STRAYS: Final = frozenset({"orphan-open-tag", "orphan-close-tag"})
"""Fixes that rewrite prose alone: a row may speak about the format, so its prose is left as it is."""
_THOUGHT: Final = re.compile(
    r"<(?P<tag>think|scratch_pad|REASONING_SCRATCHPAD)>(?P<text>.*)</(?P=tag)>", re.DOTALL
)
_THOUGHT_END: Final = re.compile(r"</(?:think|scratch_pad|REASONING_SCRATCHPAD)>\Z")


class ReadText(NamedTuple):
    """What a text of the model was read as."""

    parts: tuple[Part, ...]
    text: str
    """The text as strict reads it: with its fixes made where it needs any."""
    fixes: tuple[str, ...] = ()
    """Codes of the fixes, sorted."""
    problem: str = ""
    """Why the parts are not all that was meant; empty where they are."""


def read_text(text: str, tools: OfferedTools) -> ReadText:
    """The parts of what the model wrote; arguments are not checked.

    Args:
        text: Of the message, byte for byte.
        tools: Whose names are taken as they stand, blanks and all.
    """
    reading = parse(text, tools=tools)
    problem = _problem(reading)
    codes = tuple(sorted({fix.code for fix in reading.fixes} - _STRAYS))
    if codes and not problem:
        text = fixed(text, reading)
        reading = parse(text, tools=tools, level=Level.STRICT)
    parts = tuple(_parts(reading))
    if any(segment.kind is SegmentKind.RESPONSE for segment in reading.segments):
        text = spell_parts(parts)  # a stop mark behind the text belongs to the framing
    return ReadText(parts, text, codes, problem)


def names_only(tools: OfferedTools) -> OfferedTools:
    """The same names without schemas, so that a reading changes no argument for their sake."""
    return OfferedTools(specs=tuple(ToolSpec.of_function({"name": name}) for name in tools.names))


def spell_parts(parts: Sequence[Part]) -> str:
    """One text of thoughts, prose and calls; each on lines of its own.

    *Source:* `_convert_to_trajectory_format` of hermes-agent; chat templates of Hermes-3 and Qwen3.

    >>> print(spell_parts([Thought(text="hm"), Prose(text="So:"), Call(name="f", arguments={})]))
    <think>
    hm
    </think>
    So:
    <tool_call>
    {"name": "f", "arguments": {}}
    </tool_call>
    """
    return "\n".join(_spelled(part) for part in parts)


def trimmed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts as a text can tell them apart: prose without white space at the sides where another stands,
    and only where something of it is left."""
    last = len(parts) - 1
    found: list[Part] = []
    for index, part in enumerate(parts):
        if isinstance(part, Prose) and last:
            text = part.text if index == 0 else part.text.lstrip()
            part = Prose(text=text if index == last else text.rstrip())
            if not part.text.strip():
                continue
        found.append(part)
    return tuple(found)


def _spelled(part: Part) -> str:
    match part:
        case Thought():
            return f"<think>\n{part.text}\n</think>"
        case Call():
            return f"<tool_call>\n{spell_call(part)}\n</tool_call>"
        case Prose() | Result():
            return part.text


def spell_call(call: Call) -> str:
    """A call's body. *Source:* chat templates of Hermes-3 and Qwen3."""
    return spelled_json({"name": call.name, "arguments": call.arguments})


def _parts(reading: Reading) -> Iterator[Part]:
    """In order of place; an empty thought parts prose from prose, and is left out."""
    calls = {span: list(inside) for span, inside in groupby(reading.calls, key=lambda call: call.span)}
    found: list[Part] = []
    for segment in reading.segments:
        if segment.kind is SegmentKind.THOUGHT:
            found.append(Thought(text=_thought(segment.text)))
        elif segment.kind is SegmentKind.CALL:
            inside = calls.get(segment.span, ())
            found.extend(Call(name=call.name, arguments=call.arguments) for call in inside)
        elif segment.kind is SegmentKind.PROSE:
            found.append(Prose(text=segment.text))
    kept = (part for part in trimmed(found) if not isinstance(part, Thought) or part.text)
    for is_prose, group in groupby(kept, key=lambda part: isinstance(part, Prose)):
        parts = list(group)
        texts = [part.text for part in parts if isinstance(part, Prose)]
        yield from [Prose(text="\n".join(texts))] if is_prose else parts


def _thought(text: str) -> str:
    match = _THOUGHT.match(text)
    inner = match["text"] if match else _THOUGHT_END.sub("", text)
    return inner.removeprefix("\n").removesuffix("\n")


def _problem(reading: Reading) -> str:
    if reading.dropped:
        codes = ", ".join(sorted({finding.code for finding in reading.findings}))
        return f"{reading.dropped} call block(s) cannot be read ({codes})"
    guesses = sorted({fix.code for fix in reading.fixes if fix.is_guess})
    if guesses:
        return f"a fix is a guess ({', '.join(guesses)}); correct the text by hand"
    kinds = {segment.kind for segment in reading.segments}
    return "a call is cut off" if SegmentKind.UNCLOSED in kinds else ""
