"""Turn what an engine writes into the pieces of an OpenAI answer, while it is written.

Idea. The reader's stream says what each piece of text is: prose, a thought, or a part of a call. Each of these becomes
a field of the answer. A server that parses calls itself sends them apart from its text, and they are passed on as they
are. A plain answer is the sum of the pieces of a streamed one, so the two cannot differ, except that it leaves out
calls that the reader could not read after all.

Invariants:

- A piece is final. OpenAI's protocol has no way to take one back.
- The pieces of a call's arguments, joined, are valid JSON exactly if the reader could read the call. The last character
  waits until the closing tag has arrived. A call that was cut off therefore ends without its last brace, and no client
  can run it by mistake.
- What was not read as a call stays in the content or the reasoning, byte for byte. A call that the reader started and
  could not read has its text in the content after all.

Example: `I look. <tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>` becomes content `I look.`, the start of
call 0 with the name `f`, the arguments `{"a": 1`, and `}` at the end. The trailing comma is left out, because the
reader fixes it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role, ToolCall
from workbench.gateway.content import ContentFilter, TrimmedText
from workbench.gateway.repeated_calls import CallEvent, CallPart, RepeatedCalls
from workbench.hermes.marks import FOREIGN_THOUGHTS
from workbench.hermes.reading import Dialect, Level, Reading, SegmentKind
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import (
    ArgumentsDelta,
    BlockEnded,
    CallEnded,
    CallStarted,
    Event,
    ProseBecameThought,
    TextDelta,
)
from workbench.hermes.written_out import decoded_arguments
from workbench.rollout.completion_writer import REPLACEMENT
from workbench.rollout.ports import Delta, StructuredCallPiece
from workbench.toolspec.spec import OfferedTools

EXTRA_CALL: Final = "parallel-call-left-out"
"""Code of the finding that calls after the first were left out, because the client allows only one."""
_NAMES: Final = "think|scratch_pad|REASONING_SCRATCHPAD"
_THOUGHT_OPEN: Final = re.compile(rf"<(?:{_NAMES})>|" + "|".join(map(re.escape, FOREIGN_THOUGHTS)))
_THOUGHT_CLOSE: Final = re.compile(rf"</(?:{_NAMES})>|" + "|".join(map(re.escape, FOREIGN_THOUGHTS.values())))


class ContentPiece(NamedTuple):
    """More of the content."""

    text: str


class ReasoningPiece(NamedTuple):
    """More of the reasoning."""

    text: str


class CallOpening(NamedTuple):
    """The start of a call."""

    number: int
    """Number of the call from 0."""
    id: str
    name: str


class ArgumentsPiece(NamedTuple):
    """More of a call's arguments, as JSON text."""

    number: int
    text: str


class CallClosing(NamedTuple):
    """The end of a call. A later one counts: a call may turn out to be in a thought."""

    number: int
    is_complete: bool
    """False for a call that was cut off or could not be read."""


AnswerPiece = ContentPiece | ReasoningPiece | CallOpening | ArgumentsPiece | CallClosing


@dataclass(slots=True)
class SentCall:
    """A call as the client gets it."""

    id: str
    name: str
    arguments: list[str] = field(default_factory=list[str])
    """Pieces of the JSON text."""
    is_complete: bool = False
    """False for a call that is not finished, was cut off, or could not be read."""

    def finished(self) -> ToolCall:
        """Return the call with its arguments as they were sent."""
        text = "".join(self.arguments)
        return ToolCall(name=self.name, arguments=decoded_arguments(text) or {}, arguments_text=text)


class SentAnswer:
    """An answer as the client has it: the sum of its pieces."""

    def __init__(self) -> None:
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[SentCall] = []

    def add(self, piece: AnswerPiece) -> None:
        """Append a piece."""
        match piece:
            case ContentPiece():
                self.content.append(piece.text)
            case ReasoningPiece():
                self.reasoning.append(piece.text)
            case CallOpening():
                self.calls.append(SentCall(piece.id, piece.name))
            case ArgumentsPiece():
                self.calls[piece.number].arguments.append(piece.text)
            case CallClosing():
                self.calls[piece.number].is_complete = piece.is_complete

    @property
    def complete_calls(self) -> tuple[SentCall, ...]:
        """The calls that the client can run."""
        return tuple(call for call in self.calls if call.is_complete)

    @property
    def message(self) -> Message:
        """The answer as a message with structured calls."""
        return Message(
            role=Role.ASSISTANT,
            text="".join(self.content),
            calls=tuple(call.finished() for call in self.complete_calls),
            thought="".join(self.reasoning) or None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRules:
    """Which calls the client gets."""

    are_taken: bool = True
    """False if the client reads the text itself: calls in the text stay in the content, and are only reported."""
    keeps_thoughts: bool = False
    """With `are_taken` False: whether thoughts in the text stay in the content, too."""
    is_single: bool = False
    """True to send only the first call."""


class AnswerWriter:
    """Turn the deltas of one completion, in order, into pieces of an answer.

    Args:
        tools: The offered tools.
        call_id: Returns the id of the call with this number.
        rules: Which calls are sent.
        starts_in_thought: Whether the completion begins inside a thought.
        dialect: The form of calls that the family writes.
        level: How much the reader may repair.
    """

    def __init__(
        self,
        *,
        tools: OfferedTools,
        call_id: Callable[[int], str],
        rules: CallRules = CallRules(),
        starts_in_thought: bool = False,
        dialect: str = Dialect.AUTO,
        level: str = Level.TOLERANT,
    ) -> None:
        self._stream = Stream(tools=tools, dialect=dialect, level=level, starts_in_thought=starts_in_thought)
        self._content = ContentFilter()
        self._thought = TrimmedText()
        self._call_id = call_id
        self._rules = rules
        self._is_thinking = starts_in_thought
        self._thought_end = "</think>"
        self._has_call = False
        """Whether the block that is being read gave a call."""
        self._taken: list[str] = []
        """The blocks that were taken out of the content since the last thought."""
        self._read_calls: dict[int, int | None] = {}
        """Number in the answer of each call of the reader, None for a call that is not sent."""
        self._server_calls: dict[int, int | None] = {}
        """The same for each call that the server parsed."""
        self._repeated = RepeatedCalls(tools)
        self._held: dict[int, str] = {}
        """The last character of the arguments of a call that is not complete."""
        self._left_out = 0
        self.sent: Final = SentAnswer()

    @property
    def left_out(self) -> int:
        """Number of calls that were left out because the client allows only one."""
        return self._left_out

    @property
    def has_complete_calls(self) -> bool:
        """Whether the client got a call that it can run."""
        return bool(self.sent.complete_calls)

    def feed(self, delta: Delta) -> tuple[AnswerPiece, ...]:
        """Add a delta and return the pieces that are final now."""
        pieces: list[AnswerPiece] = []
        if delta.thought:
            pieces.extend(self._reason(delta.thought))
        if delta.text:
            text = delta.text.replace("\0", REPLACEMENT)
            pieces.extend(self._say(text) if self._is_raw else ())
            for event in self._stream.feed(text):
                pieces.extend(self._read(event))
        for call_piece in delta.call_pieces:
            pieces.extend(self._send(self._repeated.add_parsed(call_piece)))
        return self._noted(pieces)

    def finish(self, reason: str) -> tuple[AnswerPiece, ...]:
        """Return the last pieces.

        Args:
            reason: Why the completion ended, as in `workbench.rollout.ports.FinishReason`.
        """
        self._stream.finish(reason)
        pieces: list[AnswerPiece] = []
        for event in self._stream.last_events():
            pieces.extend(self._read(event))
        pieces.extend(self._say(self._content.finish()))
        pieces.extend(self._send(self._repeated.finish()))
        final = self._noted(pieces)
        return (*final, *self._noted(list(self._end_server_calls(is_finished=reason == "stop"))))

    def _end_server_calls(self, *, is_finished: bool) -> Iterator[AnswerPiece]:
        """End the calls that the server parsed, with arguments for those that have none.

        If the answer was cut off, the calls whose arguments are an object are complete, because clients can run them.
        """
        for number in self._server_calls.values():
            if number is None:
                continue
            arguments = "".join(self.sent.calls[number].arguments)
            if is_finished and not arguments:
                yield ArgumentsPiece(number, "{}")
            is_whole = bool(arguments) and decoded_arguments(arguments) is not None
            yield CallClosing(number, is_finished or is_whole)

    @property
    def parsed_calls(self) -> tuple[SentCall, ...]:
        """The calls that the server parsed, as the client has them. Only after `finish`."""
        return tuple(self.sent.calls[number] for number in self._server_calls.values() if number is not None)

    @property
    def reading(self) -> Reading:
        """What the reader made of the text. Only after `finish`."""
        return self._stream.finish()

    def _noted(self, pieces: list[AnswerPiece]) -> tuple[AnswerPiece, ...]:
        for piece in pieces:
            self.sent.add(piece)
        return tuple(pieces)

    @property
    def _is_raw(self) -> bool:
        return self._rules.keeps_thoughts and not self._rules.are_taken

    def _read(self, event: Event) -> Iterable[AnswerPiece]:
        if not self._rules.are_taken:
            return () if self._is_raw else self._kept(event)
        match event:
            case TextDelta(SegmentKind.PROSE, text):
                self._is_thinking = False
                return self._say(self._content.feed(text))
            case TextDelta(_, text):
                return self._think(text)
            case BlockEnded(_, text):
                return self._end_block(text)
            case ProseBecameThought():
                # The prose was sent already, and stays content. So do the calls in it, which must not be run.
                texts, self._taken = "".join(self._taken), []
                return self._say(self._content.feed(texts))
            case _:
                return self._read_call(event)

    def _kept(self, event: Event) -> Iterable[AnswerPiece]:
        """Return the pieces of a text whose calls stay in it."""
        match event:
            case TextDelta(SegmentKind.THOUGHT, text):
                return self._think(text)
            case TextDelta(_, text) | BlockEnded(_, text):
                return self._say(text)
            case _:
                return ()

    def _read_call(self, event: CallEvent) -> Iterator[AnswerPiece]:
        if isinstance(event, CallStarted):
            self._is_thinking = False
            yield from self._say(self._content.begin_call())
        self._has_call |= isinstance(event, CallEnded)
        yield from self._send(self._repeated.read(event))

    def _end_block(self, text: str) -> Iterable[AnswerPiece]:
        """Take the text of a block out of the content if it gave a call."""
        has_call, self._has_call = self._has_call, False
        if has_call:
            self._content.end_call()
            self._taken.append(text)
            return ()
        if self._is_thinking or _THOUGHT_OPEN.match(text):
            return self._think(text)
        return self._say(self._content.restore(text))

    def _say(self, text: str) -> tuple[AnswerPiece, ...]:
        return (ContentPiece(text),) if text else ()

    def _reason(self, text: str) -> tuple[AnswerPiece, ...]:
        return (ReasoningPiece(text),) if text else ()

    def _send(self, parts: Iterable[CallPart]) -> Iterator[AnswerPiece]:
        for part in parts:
            if isinstance(part, StructuredCallPiece):
                yield from self._pass_on(part)
            else:
                yield from self._write_call(part)

    def _write_call(self, event: CallEvent) -> Iterator[AnswerPiece]:
        if isinstance(event, CallStarted):
            number = self._read_calls[event.call_index] = self._next_number()
            if number is not None:
                yield CallOpening(number, self._call_id(number), event.name)
            return
        number = self._read_calls[event.call_index]
        if number is None:
            return
        if isinstance(event, ArgumentsDelta):
            text = self._held.get(number, "") + event.text
            self._held[number] = text[-1:]
            if text[:-1]:
                yield ArgumentsPiece(number, text[:-1])
        elif isinstance(event, CallEnded):
            yield ArgumentsPiece(number, self._held.pop(number, "{}"))
            yield CallClosing(number, is_complete=True)
        else:
            self._held.pop(number, None)
            yield CallClosing(number, is_complete=False)

    def _think(self, text: str) -> Iterator[AnswerPiece]:
        if not self._is_thinking:
            if _THOUGHT_CLOSE.fullmatch(text):
                # It closes a thought that no tag opened, and whose text was sent as content.
                yield from self._say(self._content.feed(text))
                return
            yield from self._say(self._content.begin_call())
            self._content.end_call()
            if opening := _THOUGHT_OPEN.match(text):
                tag = opening.group()
                self._thought_end = FOREIGN_THOUGHTS.get(tag) or f"</{tag[1:]}"
                text = text[opening.end() :]
            self._is_thinking = True
        if text.endswith(self._thought_end):
            text = text.removesuffix(self._thought_end)
            self._is_thinking = False
        yield from self._reason(self._thought.feed(text))

    def _next_number(self) -> int | None:
        """Return the number of the next call in the answer, or None if it is not sent."""
        started = sum(
            number is not None for number in (*self._read_calls.values(), *self._server_calls.values())
        )
        if self._rules.is_single and started:
            self._left_out += 1
            return None
        return started

    def _pass_on(self, piece: StructuredCallPiece) -> Iterator[AnswerPiece]:
        if piece.index not in self._server_calls:
            number = self._next_number()
            self._server_calls[piece.index] = number
            if number is not None:
                taken = {call.id for call in self.sent.calls}
                is_usable = bool(piece.id) and piece.id not in taken
                yield CallOpening(number, piece.id if is_usable else self._call_id(number), piece.name)
        number = self._server_calls[piece.index]
        if number is not None and piece.arguments_text:
            yield ArgumentsPiece(number, piece.arguments_text)
