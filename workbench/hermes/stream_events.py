"""Events of a completion that is still being written, and detection of incomplete tags."""

import json
import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.hermes.arguments_lexer import ArgumentsLexer, StringTypes, arguments_text
from workbench.hermes.marks import FOREIGN_THOUGHTS
from workbench.hermes.reading import Level, SegmentKind
from workbench.toolspec.coerce import types_instead_of_string
from workbench.toolspec.spec import OfferedTools


class TextDelta(NamedTuple):
    """More prose or thought. The tags of thoughts are included, so that the pieces add up to the text."""

    kind: SegmentKind
    """Prose or thought."""
    text: str
    """Never contains a part of a tag that is still being written."""


class BlockEnded(NamedTuple):
    """A block that is neither prose nor a thought is complete. Its calls, if it gave any, have ended before.

    Together with the text of each `TextDelta`, the blocks add up to the completion.
    """

    kind: SegmentKind
    """Call, response or unclosed."""
    text: str
    """The whole block with its tags."""


class ProseBecameThought(NamedTuple):
    """All prose so far was a thought: its closing tag came without an opening tag."""


class CallStarted(NamedTuple):
    """A call whose name is complete."""

    call_index: int
    """Number of the call from 0, the same in all events of the call."""
    name: str


class ArgumentsDelta(NamedTuple):
    """More of a call's arguments. All pieces of a call together are one JSON text."""

    call_index: int
    text: str
    """Final; it is never taken back."""


class CallEnded(NamedTuple):
    """A call that is complete, including its arguments."""

    call_index: int


class CallDropped(NamedTuple):
    """A call that had started but was cut off or cannot be parsed, or turned out to be in a thought. Do not run it.

    A call in a thought may have ended before.
    """

    call_index: int


Event = TextDelta | BlockEnded | ProseBecameThought | CallStarted | ArgumentsDelta | CallEnded | CallDropped
"""What `Stream.feed` returns."""


_TAG_STARTS: Final = (
    "</think>", "</scratch_pad>", "</REASONING_SCRATCHPAD>", "<think>", "<scratch_pad>",
    "<REASONING_SCRATCHPAD>",
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<tool_response>", "<tools>", "<function_call>",
    "<functioncall>",
    "<function=", "<function name=", "<tool_call name=", "<seed:tool_call>", "<tool_calls>",
)  # fmt: skip


def _partial(mark: str) -> str:
    """Return an expression for every beginning of `mark` but the whole of it.

    >>> _partial("[/T")
    '\\\\[(?:/)?'
    """
    return "(?:".join(re.escape(character) for character in mark[:-1]) + ")?" * (len(mark) - 2)


_FOREIGN_START: Final = re.compile(
    "(?:" + "|".join(map(_partial, (*FOREIGN_THOUGHTS, *FOREIGN_THOUGHTS.values()))) + r")\Z"
)
_LONGEST_FOREIGN: Final = max(map(len, FOREIGN_THOUGHTS))
_CALL_STARTS: Final = ("<tool_call>", "</tool_call>")
_OPEN_NAME: Final = re.compile(r'<(?:function=|function name="|tool_call name=")[^<>\n]*\Z')
_WAITING: Final = re.compile(
    r"<(?:tools|function_call|functioncall|seed:tool_call|function=[^<>\n]*"
    r'|(?:function|tool_call) name="[^<>\n]*")>\s*\Z'
    r"|<tool_calls>\s*(?:<\w{0,9})?\Z"
)
_LONGEST_TAG: Final = 600
OVERLAP_CHARS: Final = 11
"""A closing tag that arrives in pieces starts at most this many characters before the new text."""


def is_plain(piece: str) -> bool:
    """Return whether nothing in `piece` can end a string, need a fix or belong to a tag."""
    return '"' not in piece and "\\" not in piece and "<" not in piece and piece.isprintable()


def possible_mark_start(text: str) -> int:
    """Return where a mark may start that the next piece completes, or the length of `text`."""
    waiting = _WAITING.search(text, max(0, len(text) - _LONGEST_TAG))
    if waiting:
        return waiting.start()
    foreign = _FOREIGN_START.search(text, max(0, len(text) - _LONGEST_FOREIGN))
    if foreign:
        return foreign.start()
    start = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    if start < 0:
        return len(text)
    tail = text[start:]
    is_name = _OPEN_NAME.match(tail) is not None
    is_start = not tail.endswith(">") and (
        any(tag.startswith(tail) for tag in _TAG_STARTS)
        or any(tag.startswith(tail.lower()) for tag in _CALL_STARTS)
    )
    return start if is_name or is_start else len(text)


def possible_tag_start(text: str, tag: str) -> int:
    """Return where `tag` may start that the next piece completes, or the length of `text`."""
    start = max(0, len(text) - len(tag))
    partial = _partial_end(tag).search(text, start) if text.find(tag[0], start) >= 0 else None
    return partial.start() if partial else len(text)


@cache
def _partial_end(tag: str) -> "re.Pattern[str]":
    return re.compile(_partial(tag) + r"\Z")


class CallEvents:
    """Number the calls of one stream and emit their arguments, block by block.

    Args:
        tools: The offered tools, or None to accept any name.
        level: How much may be repaired.
    """

    def __init__(self, tools: OfferedTools | None, level: Level) -> None:
        self._tools = tools
        self._level = level
        self._index = 0
        self._emitted: list[str] = []
        self._lexer = ArgumentsLexer(self._string_types)
        self._complete: list[int] = []
        """Indices of the calls that ended."""
        self.is_started = False
        """Whether a call has started and neither ended nor been dropped."""

    def begin_block(self) -> None:
        """Start a new block. What is fed from now on is its body."""
        self._lexer = ArgumentsLexer(self._string_types)
        self._emitted: list[str] = []
        self.is_started = False

    @property
    def is_in_string(self) -> bool:
        """Whether a string is open. A tag that arrives now belongs to the string."""
        return self._lexer.is_in_string

    @property
    def is_in_plain_string(self) -> bool:
        """Whether a string is open and nothing is pending."""
        return self._lexer.is_in_plain_string

    def emit_plain(self, piece: str) -> Event:
        """Emit `piece`, which is inside a plain string, unchanged."""
        self._emitted.append(piece)
        return ArgumentsDelta(self._index, piece)

    def feed(self, piece: str) -> Iterator[Event]:
        """Emit the part of the arguments that is final now, unless the schema may still change them."""
        final = self._lexer.feed(piece)
        if self._lexer.name is None or not final:
            return
        if not self.is_started:
            self.is_started = True
            yield CallStarted(self._index, self._lexer.name)
        self._emitted.append(final)
        yield ArgumentsDelta(self._index, final)

    def end(self, name: str, arguments: JsonObject, body: str) -> Iterator[Event]:
        """Emit the rest of a call that was parsed.

        Args:
            body: The text after the block's opening tag, with its fixes applied.
        """
        written, emitted = "", "".join(self._emitted)
        if self.is_started and not self._lexer.is_complete:
            written = arguments_text(body)
            if not written.startswith(
                emitted
            ):  # a fix rewrote the whole call with other white space or escapes
                yield from self.drop()
        if not self.is_started:
            yield CallStarted(self._index, name)
            written, emitted = json.dumps(arguments, ensure_ascii=False), ""
        if len(written) > len(emitted):
            yield ArgumentsDelta(self._index, written[len(emitted) :])
        yield CallEnded(self._index)
        self._complete.append(self._index)
        self.is_started = False
        self._index += 1

    def drop(self) -> Iterator[Event]:
        """Drop the call that has started, if there is one."""
        if self.is_started:
            yield CallDropped(self._index)
            self.is_started = False
            self._index += 1

    def drop_all(self) -> Iterator[Event]:
        """Drop the calls that ended."""
        yield from map(CallDropped, self._complete)
        self._complete.clear()

    def _string_types(self, name: str) -> StringTypes | None:
        """Return to which types a fix may convert the strings of a call. None if a fix may change the name."""
        if self._level is Level.STRICT or self._tools is None:
            return _no_types if name and not name.startswith("functions.") else None
        spec = self._tools.by_name.get(name)
        return cache(partial(types_instead_of_string, spec.schema)) if spec else None


def _no_types(_path: tuple[str | int, ...]) -> frozenset[str]:
    return frozenset()


def end_of_prose(text: str) -> str:
    """Return the last characters, in which a tag may begin that the next piece completes."""
    return text[max(text.rfind(">") + 1, len(text) - OVERLAP_CHARS) :]
