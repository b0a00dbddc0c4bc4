"""Assemble a completion from an engine's deltas, and report it as growing text."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
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
    """A completion that is over."""

    tail: str
    """What still had to be written to close a thought or a call; empty where neither is open."""
    message: Message


class CompletionWriter:
    """Takes deltas in order; what it tells joins to the message as `written_out` has it.

    A thought that comes behind the text, or a piece of a call that another one has followed, is kept in the
    message and not told: the text that was told cannot change.
    """

    def __init__(self, prefill: str = "") -> None:
        self._told = [prefill]
        self._thought: list[str] = []
        self._text = [prefill]
        self._calls: dict[int, _CallInProgress] = {}
        self._stage = _TEXT if prefill else _START

    def feed(self, delta: Delta) -> str:
        """What the delta adds to the written out text; empty where it adds nothing."""
        pieces = [self._think(delta.thought)] if delta.thought else []
        if delta.text:
            pieces.append(self._leave(_TEXT) + delta.text)
            self._text.append(delta.text)
        pieces.extend(self._call(piece) for piece in delta.call_pieces)
        added = "".join(pieces)
        if added:
            self._told.append(added)
        return added

    def finish(self, reason: FinishReason) -> FinishedCompletion:
        """The message; a call that was cut off in its arguments stays an open block in the text, and is never run."""
        calls = [self._calls[index].finished() for index in sorted(self._calls)]
        is_whole = all(call.arguments_text is None for call in calls)
        if calls and not is_whole and reason is not FinishReason.STOP:
            return FinishedCompletion("", Message(role=Role.ASSISTANT, text="".join(self._told)))
        message = Message(
            role=Role.ASSISTANT,
            text="".join(self._text),
            calls=tuple(calls),
            thought="".join(self._thought) or None,
        )
        return FinishedCompletion(self._leave(_TEXT), message)

    def _think(self, thought: str) -> str:
        self._thought.append(thought)
        if self._stage not in (_START, _THOUGHT):
            return ""
        opening = THINK_OPEN if self._stage == _START else ""
        self._stage = _THOUGHT
        return opening + thought

    def _call(self, piece: StructuredCallPiece) -> str:
        told = ""
        if piece.index not in self._calls:
            told = self._leave(piece.index)
            self._calls[piece.index] = _CallInProgress(piece.name)
            before = told or next((text for text in reversed(self._told) if text), "")
            told += opened_call(piece.name, before=before)
        self._calls[piece.index].pieces.append(piece.arguments_text)
        return told + (piece.arguments_text if self._stage == piece.index else "")

    def _leave(self, stage: int) -> str:
        """What closes the thought or the call under way, where `stage` is another."""
        left, self._stage = self._stage, stage
        if left == stage or left in (_START, _TEXT):
            return ""
        if left == _THOUGHT:
            return THINK_CLOSE
        return ("" if "".join(self._calls[left].pieces) else "{}") + CALL_CLOSE


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
"""Stands for U+0000, which no database keeps in a text."""
_NUL_REPLACED: Final = Finding(
    code="nul-replaced",
    message="the model wrote U+0000, which cannot be kept: U+FFFD stands in its place",
    severity=Severity.WARNING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCompletion:
    """A completion that is over."""

    message: Message
    """Role assistant; prefill included."""
    problem: str
    """What interrupted it; empty where nothing did."""
    tokens: tuple[EmittedToken, ...]
    """What the engine told of its tokens."""
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
    """What the engine writes; see `workbench.rollout.ports.Engine.generate`.

    Raises:
        EngineError: The engine cannot go on.
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
        timing=_timing(last.usage, started_s=started_s, first_s=first_s or ended_s, ended_s=ended_s),
    )


def _timing(usage: Usage | None, *, started_s: float, first_s: float, ended_s: float) -> Timing:
    return Timing(
        prompt_tokens=usage.prompt_tokens if usage else 0,
        cached_tokens=usage.cached_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        time_to_first_token_s=first_s - started_s,
        seconds=ended_s - started_s,
        evaluated_tokens=usage.evaluated_tokens if usage else None,
    )
