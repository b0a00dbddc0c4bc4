"""Holds a server to what it was asked for: time between pieces, time in all, tokens."""

import time
from collections.abc import Callable
from dataclasses import replace

from workbench.engines.remote.answer_limits import LINGER_S, AnswerError, AnswerLimits
from workbench.engines.remote.failures import silence
from workbench.rollout.ports import Delta, StructuredCallPiece


class StreamTimeout:
    """Says how long an answer may still be waited for."""

    def __init__(self, limits: AnswerLimits, clock: Callable[[], float] = time.monotonic) -> None:
        """The request is sent now."""
        self._limits = limits
        self._clock = clock
        self._started_s = self._heard_s = clock()
        self._finished_s: float | None = None

    def beat(self) -> None:
        """Something of the completion came."""
        self._heard_s = self._clock()

    def finish(self) -> None:
        """The completion is finished; only its token counts are missing."""
        self._finished_s = self._finished_s or self._clock()

    def goes_on(self) -> bool:
        """False once nothing more is waited for.

        Raises:
            AnswerError: The server was silent for too long, or took too long in all.
        """
        now_s = self._clock()
        if self._finished_s is not None:
            return now_s - self._finished_s <= LINGER_S
        if now_s - self._heard_s > self._limits.silence_s:
            raise AnswerError(silence(self._limits.silence_s))
        if now_s - self._started_s > self._limits.wall_s:
            raise AnswerError(f"not finished after {self._limits.wall_s:,.0f} s")
        return True


class TokenMeter:
    """Cuts a completion where the server goes on past `max_tokens`.

    The server alone knows its tokens, so pieces and characters are counted, both with room to spare.
    """

    def __init__(self, limits: AnswerLimits) -> None:
        self._chars = limits.chars
        self._pieces = limits.pieces
        self.is_full = False
        """True once nothing more is taken."""

    def take(self, delta: Delta) -> Delta:
        """The delta, as far as there is room for it."""
        text, thought = self._cut(delta.text), self._cut(delta.thought)
        calls = tuple(self._cut_call(piece) for piece in delta.call_pieces[: max(self._pieces, 0)])
        self._pieces -= max(len(delta.call_pieces), 1)
        self.is_full = self._pieces < 0 or self._chars < 0
        return replace(delta, text=text, thought=thought, call_pieces=calls)

    def _cut_call(self, piece: StructuredCallPiece) -> StructuredCallPiece:
        return replace(piece, name=self._cut(piece.name), arguments_text=self._cut(piece.arguments_text))

    def _cut(self, text: str) -> str:
        kept = text[: max(self._chars, 0)]
        self._chars -= len(text)
        return kept
