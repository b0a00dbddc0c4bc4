"""Assemble a completion from an engine's deltas, and report it as growing text."""

from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, replace
from typing import Final, NamedTuple

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import Message, Role, ToolCall
from workbench.hermes.spelling.thoughts import THINK_CLOSE, THINK_OPEN
from workbench.hermes.written_out import CALL_CLOSE, decoded_arguments, opened_call
from workbench.rollout.events import Event, PieceArrived, QueuePositionChanged, Timing
from workbench.rollout.ports import (
    Clock,
    Delta,
    EmittedToken,
    Engine,
    FinishReason,
    GenerationRequest,
    StructuredCallPiece,
    Usage,
)

_START: Final = -3
_THOUGHT: Final = -2
_TEXT: Final = -1


class FinishedCompletion(NamedTuple):
    """A complete message, and the last piece of its text."""

    tail: str
    """The closing tag of a thought or call that was still open. Empty if neither was."""
    message: Message


# A server that renders its own prompt sends thoughts, text and calls as separate fields, in pieces, and may mix
# them. The page shows one growing text. So the writer tracks which section is open (`_stage`: nothing yet, the
# thought, the text, or the call with that index) and emits a tag each time the section changes:
#
#   thought "Hm."                    ->  <think>Hm.
#   call 0 "now", no arguments yet   ->  </think><tool_call>{"name": "now", "arguments":
#   call 0 '{"zone": "CET"}'         ->  {"zone": "CET"}
#   finish                           ->  }</tool_call>
#
# (line breaks left out). Invariant: the emitted text only grows. If the sections arrive in the order thought, text,
# calls, it equals `written_out(message)` once `finish` has added its tail. A thought that arrives after the text, or
# more arguments of call 0 after call 1 has started, would have to be inserted further up. Emitted text cannot
# change, so such pieces go into the message and are not emitted.
class CompletionWriter:
    """Turn deltas, in order, into a message and into the text that `written_out` gives for it."""

    def __init__(self, prefill: str = "") -> None:
        self._emitted = [prefill]
        self._thought: list[str] = []
        self._text = [prefill]
        self._calls: dict[int, _CallInProgress] = {}
        self._stage = _TEXT if prefill else _START

    def feed(self, delta: Delta) -> str:
        """Add a delta and return the text to append. Empty if it appends nothing."""
        if self._stage == _TEXT and not delta.thought and not delta.call_pieces:
            self._text.append(delta.text)
            self._emitted.append(delta.text)
            return delta.text
        pieces = [self._add_thought(delta.thought)] if delta.thought else []
        if delta.text:
            pieces.append(self._enter(_TEXT) + delta.text)
            self._text.append(delta.text)
        pieces.extend(self._add_call_piece(piece) for piece in delta.call_pieces)
        added = "".join(pieces)
        if added:
            self._emitted.append(added)
        return added

    def finish(self, reason: FinishReason) -> FinishedCompletion:
        """Return the message.

        A call that was cut off in its arguments stays in the text as an open block, so that it is never run.
        """
        calls = [self._calls[index].finished() for index in sorted(self._calls)]
        are_complete = all(call.arguments_text is None for call in calls)
        if calls and not are_complete and reason is not FinishReason.STOP:
            return FinishedCompletion("", Message(role=Role.ASSISTANT, text="".join(self._emitted)))
        message = Message(
            role=Role.ASSISTANT,
            text="".join(self._text),
            calls=tuple(calls),
            thought="".join(self._thought) or None,
        )
        return FinishedCompletion(self._enter(_TEXT), message)

    def _add_thought(self, thought: str) -> str:
        self._thought.append(thought)
        if self._stage not in (_START, _THOUGHT):
            return ""
        opening = THINK_OPEN if self._stage == _START else ""
        self._stage = _THOUGHT
        return opening + thought

    def _add_call_piece(self, piece: StructuredCallPiece) -> str:
        added = ""
        if piece.index not in self._calls:
            added = self._enter(piece.index)
            self._calls[piece.index] = _CallInProgress(piece.name)
            before = added or next((text for text in reversed(self._emitted) if text), "")
            added += opened_call(piece.name, before=before)
        self._calls[piece.index].pieces.append(piece.arguments_text)
        return added + (piece.arguments_text if self._stage == piece.index else "")

    def _enter(self, stage: int) -> str:
        """Switch to a section and return the tag that closes the previous one. Empty if it needs none."""
        previous, self._stage = self._stage, stage
        if previous == stage or previous in (_START, _TEXT):
            return ""
        if previous == _THOUGHT:
            return THINK_CLOSE
        return ("" if "".join(self._calls[previous].pieces) else "{}") + CALL_CLOSE


class _CallInProgress:
    def __init__(self, name: str) -> None:
        self.name = name
        self.pieces: list[str] = []

    def finished(self) -> ToolCall:
        text = "".join(self.pieces)
        arguments = decoded_arguments(text)
        if arguments is None:
            return ToolCall(name=self.name, arguments={}, arguments_text=text)
        return ToolCall(name=self.name, arguments=arguments)


REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Replaces U+0000, which databases cannot store in a text."""
_NUL_REPLACED: Final = Finding(
    code="nul-replaced",
    message="the model wrote U+0000, which cannot be stored; it was replaced by U+FFFD",
    severity=Severity.WARNING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCompletion:
    """A completion that has ended, with what the engine reported about it."""

    message: Message
    """Role assistant; its text includes the prefill."""
    problem: str
    """What interrupted it. Empty if nothing did."""
    tokens: tuple[EmittedToken, ...]
    """The tokens of the completion. Empty if the engine did not report them."""
    findings: tuple[Finding, ...]
    finish_reason: FinishReason
    timing: Timing


def stream(
    engine: Engine,
    request: GenerationRequest,
    writer: CompletionWriter,
    *,
    clock: Clock,
    is_cancelled: Callable[[], bool],
) -> Generator[Event, None, WrittenCompletion]:
    """Run a request and yield an event for each piece of text; see `workbench.rollout.ports.Engine.generate`.

    Raises:
        EngineError: The engine cannot be asked, or failed.
    """
    started_s = clock.seconds()
    first_s: float | None = None
    deltas: list[Delta] = []
    has_nul = False
    for delta in engine.generate(request, is_cancelled=is_cancelled):
        if "\0" in delta.text:
            has_nul, delta = True, replace(delta, text=delta.text.replace("\0", REPLACEMENT))
        if delta.queue_position is not None:
            yield QueuePositionChanged(place=delta.queue_position)
        piece = writer.feed(delta)
        if piece:
            first_s = clock.seconds() if first_s is None else first_s
            yield PieceArrived(text=piece)
        deltas.append(delta)
    ended_s = clock.seconds()
    last = deltas[-1] if deltas else Delta()
    finish_reason = last.finish_reason or FinishReason.STOP
    finished = writer.finish(finish_reason)
    if finished.tail:
        yield PieceArrived(text=finished.tail)
    return WrittenCompletion(
        message=finished.message,
        problem=last.problem,
        tokens=tuple(token for delta in deltas for token in delta.tokens),
        findings=(_NUL_REPLACED,) if has_nul else (),
        finish_reason=finish_reason,
        timing=Timing(
            **asdict(last.usage or Usage()),
            time_to_first_token_s=None if first_s is None else first_s - started_s,
            seconds=ended_s - started_s,
        ),
    )
