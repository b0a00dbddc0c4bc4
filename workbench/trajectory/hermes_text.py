"""Parse a model message's text into parts, and write parts as the text that Hermes uses."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from workbench.hermes.marks import BRACKET_MARKS, MARK_OR_BRACKET
from workbench.hermes.parse import clean_blocks, fixed, parse
from workbench.hermes.reading import Dialect, Level, ReadCall, Reading, SegmentKind
from workbench.hermes.scanner.block import Block
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.trajectory.trajectory import Call, Part, Prose, Result, Thought

_STRAYS: Final = frozenset({"orphan-open-tag", "orphan-close-tag"})
"""Fixes that change only prose. They are not applied, because the prose of a row may be about the format."""
REPEATED: Final = frozenset({"duplicate-key", "duplicate-parameter"})
"""The reader's codes for a key that a call in JSON or XML has twice. To keep one of the values would be a guess."""
_OTHER_MARKS: Final = frozenset({"stop", "response"})
_THOUGHT: Final = re.compile(
    r"<(?P<tag>think|scratch_pad|REASONING_SCRATCHPAD)>(?P<text>.*)</(?P=tag)>", re.DOTALL
)
_EMPTY_THOUGHT: Final = re.compile(r"<(think|scratch_pad|REASONING_SCRATCHPAD)>\s*+</\1>")
_THOUGHT_END: Final = re.compile(r"</(?:think|scratch_pad|REASONING_SCRATCHPAD)>\Z")


class ReadText(NamedTuple):
    """The parts of a text that the model wrote."""

    parts: tuple[Part, ...]
    text: str
    """The text that the strict reader accepts: with fixes applied if it needs any."""
    fixes: tuple[str, ...] = ()
    """Codes of the applied fixes, sorted."""
    problem: str = ""
    """Why the parts are incomplete or uncertain; empty if they are complete."""


def has_marks(text: str) -> bool:
    """Whether a text has a tag of a call or thought, so that it must be parsed to know what is prose.

    >>> has_marks("a <b>"), has_marks("<think>a</think> b")
    (False, True)
    """
    return ("<" in text or BRACKET_MARKS[0] in text) and any(
        mark.lastgroup not in _OTHER_MARKS for mark in MARK_OR_BRACKET.finditer(text)
    )


def has_empty_thought(text: str) -> bool:
    """Whether a text has a thought without text.

    >>> has_empty_thought("<think>\\n\\n</think>\\n\\nHi"), has_empty_thought("<think>x</think>")
    (True, False)
    """
    return _EMPTY_THOUGHT.search(text) is not None


def read_text(text: str, tools: OfferedTools) -> ReadText:
    """Parse a text that the model wrote into thoughts, prose and calls. Arguments are not checked.

    Args:
        text: The message's text, byte for byte.
        tools: Known tools; their names are accepted as they are, even with spaces. Their schemas give the values of
            XML calls their types. The values of JSON calls stay as they are written.
    """
    names = names_only(tools)
    blocks = clean_blocks(text, names)
    if blocks is not None:
        # Most texts are like this.
        return ReadText(trimmed([*_clean_parts(text, blocks)]), text)
    reading = parse(text, tools=names)
    xml = {call.name for call in reading.calls if call.dialect is Dialect.XML}
    if not xml.isdisjoint(tools.by_name):
        known = zip(tools.specs, names.specs, strict=True)
        names = OfferedTools(specs=tuple(spec if spec.name in xml else name for spec, name in known))
        reading = parse(text, tools=names, checks_arguments=False)
    problem = _problem(reading)
    codes = tuple(sorted({fix.code for fix in reading.fixes} - _STRAYS))
    if codes and not problem:
        text = fixed(text, reading)
        reading = parse(text, tools=names, level=Level.STRICT, checks_arguments=False)
    parts = tuple(_parts(reading))
    if any(segment.kind is SegmentKind.RESPONSE for segment in reading.segments):
        text = spell_parts(parts)  # a stop token after the text is not part of the message
    return ReadText(parts, text, codes, problem)


class TolerantCalls(NamedTuple):
    """Calls that only the tolerant reader can parse."""

    calls: tuple[Call, ...]
    fixes: tuple[str, ...]
    """Codes of the fixes, at least one."""


def read_tolerantly(body: str, tools: OfferedTools | None = None) -> TolerantCalls | None:
    """Parse the body of a call, or of several, with fixes; None if it cannot be parsed or a fix is a guess.

    Text beside the call is not cut away either: it may be a thought or prose of the message. A call in XML is not
    parsed: no format has it in such a place, and without a schema its values have no types.

    >>> read_tolerantly("{'name': 'f', 'arguments': {}}").fixes
    ('python-literal',)
    """
    reading = parse(tagged(body), tools=tools, checks_arguments=False)
    if reading.dropped or not reading.calls or any(call.dialect is Dialect.XML for call in reading.calls):
        return None
    if any(fix.is_guess or fix.code == "skipped-garbage" for fix in reading.fixes):
        return None
    if any(note.code in REPEATED for note in reading.findings):
        return None
    if any(segment.kind not in (SegmentKind.CALL, SegmentKind.PROSE) for segment in reading.segments):
        return None
    calls = tuple(map(_call, reading.calls))
    return TolerantCalls(calls, tuple(sorted({fix.code for fix in reading.fixes})))


def tagged(body: str) -> str:
    """Return a call's body within Hermes' tags.

    >>> tagged("{bad")
    '<tool_call>\\n{bad\\n</tool_call>'
    """
    return f"<tool_call>\n{body}\n</tool_call>"


def names_only(tools: OfferedTools) -> OfferedTools:
    """Return tools with the same names but without schemas, so that parsing does not coerce the values of JSON."""
    return _with_names(tools.names)


@lru_cache(maxsize=250)
def _with_names(names: tuple[str, ...]) -> OfferedTools:
    """Return tools with these names. Rows of one dataset share tools, so they are cached."""
    return OfferedTools(specs=tuple(ToolSpec.of_function({"name": name}) for name in names))


def spell_parts(parts: Sequence[Part], spell_call: Callable[[Call], str] | None = None) -> str:
    """Write thoughts, prose and calls as one text, each part on its own lines.

    Args:
        parts: The parts, in order.
        spell_call: Writes the body of a call; None for JSON.

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
    return "\n".join(_spelled(part, spell_call or render_call) for part in parts)


def trimmed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Strip white space where prose meets another part, and drop prose that is then empty.

    Written as text, such white space cannot be distinguished from the line breaks between parts.
    """
    last = len(parts) - 1
    if last < 1:
        return tuple(parts)
    result: list[Part] = []
    for index, part in enumerate(parts):
        if isinstance(part, Prose):
            text = part.text if index == 0 else part.text.lstrip()
            part = Prose(text=text if index == last else text.rstrip())
            if not part.text.strip():
                continue
        result.append(part)
    return tuple(result)


def _spelled(part: Part, spell_call: Callable[[Call], str]) -> str:
    match part:
        case Thought():
            return f"<think>\n{part.text}\n</think>"
        case Call():
            return tagged(spell_call(part))
        case Prose() | Result():
            return part.text


def render_call(call: Call) -> str:
    """Write the body of a call. *Source:* chat templates of Hermes-3 and Qwen3."""
    return template_json({"name": call.name, "arguments": call.arguments})


def _parts(reading: Reading) -> Iterator[Part]:
    """Yield the parts in order. An empty thought is left out, and the prose on its two sides is joined."""
    calls = {span: list(inside) for span, inside in groupby(reading.calls, key=lambda call: call.span)}
    parts_found: list[Part] = []
    for segment in reading.segments:
        if segment.kind is SegmentKind.THOUGHT:
            parts_found.append(Thought(text=_thought(segment.text)))
        elif segment.kind is SegmentKind.CALL:
            inside = calls.get(segment.span, ())
            parts_found.extend(map(_call, inside))
        elif segment.kind is SegmentKind.PROSE:
            parts_found.append(Prose(text=segment.text))
    non_empty = (part for part in trimmed(parts_found) if not isinstance(part, Thought) or part.text)
    for is_prose, group in groupby(non_empty, key=lambda part: isinstance(part, Prose)):
        parts = list(group)
        texts = [part.text for part in parts if isinstance(part, Prose)]
        yield from [Prose(text="\n".join(texts))] if is_prose else parts


def _call(call: ReadCall) -> Call:
    return Call(name=call.name, arguments=call.arguments, others=call.others)


def _clean_parts(text: str, blocks: Sequence[Block]) -> Iterator[Part]:
    position = 0
    for block in blocks:
        if position < block.start:
            yield Prose(text=text[position : block.start])
        yield from [Call(name=draft.name, arguments=draft.arguments) for draft in block.drafts]
        position = block.end
    if position < len(text):
        yield Prose(text=text[position:])


def _thought(text: str) -> str:
    match = _THOUGHT.match(text)
    inner = match["text"] if match else _THOUGHT_END.sub("", text)
    return inner.removeprefix("\n").removesuffix("\n")


def _problem(reading: Reading) -> str:
    if reading.dropped:
        codes = ", ".join(sorted({finding.code for finding in reading.findings}))
        blocks = "1 call block" if reading.dropped == 1 else f"{reading.dropped} call blocks"
        return f"{blocks} cannot be parsed ({codes}); correct the text by hand"
    guesses = sorted({fix.code for fix in reading.fixes if fix.is_guess})
    if guesses:
        return f"a fix is a guess ({', '.join(guesses)}); correct the text by hand"
    repeated = next((note.code for note in reading.findings if note.code in REPEATED), "")
    if repeated:
        return f"a call has a key twice ({repeated}); correct the text by hand"
    kinds = {segment.kind for segment in reading.segments}
    return (
        "a call is cut off; complete the text or leave the row out" if SegmentKind.UNCLOSED in kinds else ""
    )
