"""Events of a completion that is still being written, and the text that must be held back as a possible tag."""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.hermes.arguments_lexer import ArgumentsLexer, arguments_text
from workbench.hermes.reading import Level, SegmentKind
from workbench.toolspec.coerce import types_allowed
from workbench.toolspec.spec import OfferedTools


class TextDelta(NamedTuple):
    """More prose or thought. Tags of thoughts are left out of neither: the pieces are the text."""

    kind: SegmentKind
    """Prose or thought."""
    text: str
    """Never part of a tag that is still being written."""


class ProseBecameThought(NamedTuple):
    """All prose given so far was a thought: its close tag came without an open tag."""


class CallStarted(NamedTuple):
    """A call's name is certain."""

    call_index: int
    """0, 1, 2, …; of all events of this call."""
    name: str


class ArgumentsDelta(NamedTuple):
    """More of a call's arguments; together they are one JSON text."""

    call_index: int
    text: str
    """What is certain now; never taken back."""


class CallEnded(NamedTuple):
    """A call is complete, and its arguments with it."""

    call_index: int


class CallDropped(NamedTuple):
    """A call that had started is none: it was cut off or cannot be read. It must not be run."""

    call_index: int


Event = TextDelta | ProseBecameThought | CallStarted | ArgumentsDelta | CallEnded | CallDropped
"""What `Stream.feed` gives."""


_TAG_STARTS: Final = (
    "</think>", "</scratch_pad>", "</REASONING_SCRATCHPAD>", "<think>", "<scratch_pad>",
    "<REASONING_SCRATCHPAD>",
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<tool_response>", "<tools>", "<function_call>",
    "<functioncall>",
    "<function=", "<function name=", "<tool_call name=",
)  # fmt: skip
_CALL_STARTS: Final = ("<tool_call>", "</tool_call>")
_OPEN_NAME: Final = re.compile(r'<(?:function=|function name="|tool_call name=")[^<>\n]*\Z')
_WAITING: Final = re.compile(
    r'<(?:tools|function_call|functioncall|function=[^<>\n]*|(?:function|tool_call) name="[^<>\n]*")>\s*\Z'
)
_CLOSED: Final = re.compile(r"</(?i:tool_call)>\Z")
_LONGEST_TAG: Final = 600
OVERLAP_CHARS: Final = 11
"""A close tag that came in pieces begins at most so far before the text that is new."""


def is_plain(piece: str) -> bool:
    """Whether nothing in `piece` can end a string, need a fix or belong to a tag."""
    return '"' not in piece and "\\" not in piece and "<" not in piece and piece.isprintable()


def is_closed(text: str, end: int) -> bool:
    """Whether a close tag stands directly before `end`."""
    return _CLOSED.search(text, max(0, end - OVERLAP_CHARS - 1), end) is not None


def held_from(text: str) -> int:
    """From where on `text` may become a mark with what comes; its length where nothing may."""
    waiting = _WAITING.search(text, max(0, len(text) - _LONGEST_TAG))
    if waiting:
        return waiting.start()
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


def held_of(text: str, tags: tuple[str, ...]) -> int:
    """From where on `text` may become one of `tags` with what comes; its length where nothing may."""
    start = text.rfind("<")
    return start if start >= 0 and any(tag.startswith(text[start:]) for tag in tags) else len(text)


class CallEvents:
    """Numbers the calls of one stream and gives out their arguments, block by block.

    Args:
        tools: The offered tools; None where no name is checked.
        level: How much may be repaired.
    """

    def __init__(self, tools: OfferedTools | None, level: Level) -> None:
        self._tools = tools
        self._level = level
        self._index = 0
        self._given: list[str] = []
        self._lexer = ArgumentsLexer()
        self.is_started = False
        """Whether a call was begun and neither ended nor dropped."""

    def begin_block(self) -> None:
        """What is fed from here on is the body of another block."""
        self._lexer = ArgumentsLexer()
        self._given: list[str] = []
        self.is_started = False

    @property
    def is_in_string(self) -> bool:
        """Whether a string is open: a tag that comes now is part of it."""
        return self._lexer.is_in_string

    @property
    def is_in_plain_string(self) -> bool:
        """Whether a string is open and nothing is held back."""
        return self._lexer.is_in_plain_string

    def give_plain(self, piece: str) -> Event:
        """Give out `piece` as it is, which stands inside a plain string."""
        self._given.append(piece)
        return ArgumentsDelta(self._index, piece)

    def feed(self, piece: str) -> Iterator[Event]:
        """What becomes certain of the arguments, where no schema can change them."""
        given = self._lexer.feed(piece)
        if self._lexer.name is None or not given:
            return
        if not self.is_started:
            if not self._is_taken_as_it_stands(self._lexer.name):
                self._lexer.is_stuck = True
                return
            self.is_started = True
            yield CallStarted(self._index, self._lexer.name)
        self._given.append(given)
        yield ArgumentsDelta(self._index, given)

    def end(self, name: str, arguments: JsonObject, body: str) -> Iterator[Event]:
        """A call was read; of one that had started, what was not given yet.

        Args:
            body: What stands behind the block's open tag, its fixes made.
        """
        written, given = "", "".join(self._given)
        if self.is_started and not self._lexer.is_complete:
            written = arguments_text(body)
            if not written.startswith(given):  # written anew as a whole, in another spelling
                yield from self.drop()
        if not self.is_started:
            yield CallStarted(self._index, name)
            written, given = json.dumps(arguments, ensure_ascii=False), ""
        if len(written) > len(given):
            yield ArgumentsDelta(self._index, written[len(given) :])
        yield CallEnded(self._index)
        self.is_started = False
        self._index += 1

    def drop(self) -> Iterator[Event]:
        """Tell that a call which had started is none."""
        if self.is_started:
            yield CallDropped(self._index)
            self.is_started = False
            self._index += 1

    def _is_taken_as_it_stands(self, name: str) -> bool:
        """Whether no fix changes the name, and no string of its arguments can be coerced."""
        if self._level is Level.STRICT or self._tools is None:
            return not name.startswith("functions.") and bool(name)
        spec = self._tools.by_name.get(name)
        if spec is None:
            return False
        schemas = [spec.parameters, *spec.properties.values()]
        is_flat = not any(key in schema for schema in schemas[1:] for key in ("properties", "items", "$ref"))
        return is_flat and all("string" in types_allowed(schema, spec.parameters) for schema in schemas[1:])
