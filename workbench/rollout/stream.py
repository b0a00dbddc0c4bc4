"""One completion from an engine, told as events while it is written."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import Message
from workbench.rollout.completion_writer import CompletionWriter
from workbench.rollout.events import Event, PieceArrived, StoodInLine, Timing
from workbench.rollout.ports import (
    Clock,
    Delta,
    EmittedToken,
    Engine,
    FinishReason,
    GenerationRequest,
    Usage,
)

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for U+0000, which no database keeps in a text."""
_NUL_REPLACED: Final = Finding(
    code="nul-replaced",
    message="the model wrote U+0000, which cannot be kept: U+FFFD stands in its place",
    severity=Severity.WARNING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A completion that is over."""

    message: Message
    """Role assistant; prefill included."""
    problem: str
    """What interrupted it; empty where nothing did."""
    tokens: tuple[EmittedToken, ...]
    """What the engine told of its tokens."""
    findings: tuple[Finding, ...]
    """What had to be changed."""
    finish_reason: FinishReason
    """Why it ended."""
    timing: Timing
    """What it took."""


def stream(
    engine: Engine,
    request: GenerationRequest,
    writer: CompletionWriter,
    *,
    clock: Clock,
    is_cancelled: Callable[[], bool],
) -> Generator[Event, None, Written]:
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
        if delta.place_in_line is not None:
            yield StoodInLine(place=delta.place_in_line)
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
    return Written(
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
