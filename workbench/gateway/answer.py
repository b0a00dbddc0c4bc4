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
- The content contains no tag of the format.

Example: `I look. <tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>` becomes content `I look.`, the start of
call 0 with the name `f`, the arguments `{"a": 1`, and `}` at the end. The trailing comma is left out, because the
reader fixes it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.message import Message, Role, ToolCall
from workbench.gateway.content import ContentFilter
from workbench.gateway.repeated_calls import CallEvent, CallPart, RepeatedCalls
from workbench.hermes.reading import Dialect, Reading, SegmentKind
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import (
    ArgumentsDelta,
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
_THOUGHT_OPEN: Final = re.compile(r"<(?:think|scratch_pad|REASONING_SCRATCHPAD)>")
_THOUGHT_CLOSE: Final = re.compile(r"</(?:think|scratch_pad|REASONING_SCRATCHPAD)>\Z")


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


AnswerPiece = ContentPiece | ReasoningPiece | CallOpening | ArgumentsPiece


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

    are_sent: bool = True
    """False for the tool choice `none`: calls are reported as findings only."""
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
    """

    def __init__(
        self,
        *,
        tools: OfferedTools,
        call_id: Callable[[int], str],
        rules: CallRules = CallRules(),
        starts_in_thought: bool = False,
        dialect: str = Dialect.AUTO,
    ) -> None:
        self._stream = Stream(tools=tools, dialect=dialect, starts_in_thought=starts_in_thought)
        self._content = ContentFilter()
        self._reasoning = ContentFilter()
        self._call_id = call_id
        self._rules = rules
        self._is_thinking = starts_in_thought
        self._read_calls: dict[int, int | None] = {}
        """Number in the answer of each call of the reader, None for a call that is not sent."""
        self._server_calls: dict[int, int | None] = {}
        """The same for each call that the server parsed."""
        self._repeated = RepeatedCalls(tools)
        self._held: dict[int, str] = {}
        """The last character of the arguments of a call that is not complete."""
        self._ended: dict[int, bool] = {}
        """Calls that the reader has read or dropped, and whether they are complete once their last piece is noted."""
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
            pieces.extend(self._reason(self._reasoning.feed(delta.thought)))
        if delta.text:
            for event in self._stream.feed(delta.text.replace("\0", REPLACEMENT)):
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
        pieces.extend(self._reason(self._reasoning.finish()))
        pieces.extend(self._send(self._repeated.finish()))
        final = self._noted(pieces)
        return (*final, *self._noted(self._end_server_calls(is_finished=reason == "stop")))

    def _end_server_calls(self, *, is_finished: bool) -> list[AnswerPiece]:
        """End the calls that the server parsed, and return the arguments of those that have none."""
        numbers = [number for number in self._server_calls.values() if number is not None]
        for number in numbers:
            self.sent.calls[number].is_complete = is_finished
        return [
            ArgumentsPiece(number, "{}") for number in numbers if not any(self.sent.calls[number].arguments)
        ]

    @property
    def reading(self) -> Reading:
        """What the reader made of the text. Only after `finish`."""
        return self._stream.finish()

    def _noted(self, pieces: list[AnswerPiece]) -> tuple[AnswerPiece, ...]:
        for piece in pieces:
            self.sent.add(piece)
        for number, is_complete in self._ended.items():
            self.sent.calls[number].is_complete = is_complete
        self._ended.clear()
        return tuple(pieces)

    def _read(self, event: Event) -> Iterable[AnswerPiece]:
        if isinstance(event, TextDelta):
            if event.kind is not SegmentKind.PROSE:
                return self._think(event.text)
            self._is_thinking = False
            return self._say(self._content.feed(event.text))
        if isinstance(event, CallStarted):
            self._is_thinking = False
            return (*self._say(self._content.interrupt()), *self._send(self._repeated.read(event)))
        if isinstance(event, ProseBecameThought):
            # It was sent already, and stays content.
            return ()
        return self._send(self._repeated.read(event))

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
            self._ended[number] = True
            yield ArgumentsPiece(number, self._held.pop(number, "{}"))
        else:
            self._held.pop(number, None)
            self._ended[number] = False  # it may have ended before it turned out to be in a thought

    def _think(self, text: str) -> tuple[AnswerPiece, ...]:
        if not self._is_thinking:
            if _THOUGHT_CLOSE.match(text):
                # A closing tag without an opening one.
                return ()
            text = _THOUGHT_OPEN.sub("", text, count=1) if _THOUGHT_OPEN.match(text) else text
            self._is_thinking = True
        closing = _THOUGHT_CLOSE.search(text)
        if closing:
            text = text[: closing.start()]
            self._is_thinking = False
        return self._reason(self._reasoning.feed(text))

    def _next_number(self) -> int | None:
        """Return the number of the next call in the answer, or None if it is not sent."""
        started = sum(
            number is not None for number in (*self._read_calls.values(), *self._server_calls.values())
        )
        if not self._rules.are_sent:
            return None
        if self._rules.is_single and started:
            self._left_out += 1
            return None
        return started

    def _pass_on(self, piece: StructuredCallPiece) -> Iterator[AnswerPiece]:
        if piece.index not in self._server_calls:
            yield from self._say(self._content.interrupt())
            number = self._next_number()
            self._server_calls[piece.index] = number
            if number is not None:
                yield CallOpening(number, self._call_id(number), piece.name)
        number = self._server_calls[piece.index]
        if number is not None and piece.arguments_text:
            yield ArgumentsPiece(number, piece.arguments_text)
