"""Limits on a server's answer: size, depth, time between pieces, total time, tokens, and retries."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from workbench.engines.remote.failures import Refusal, silence
from workbench.rollout.ports import Delta, StructuredCallPiece

CHARS_PER_TOKEN: Final = 32
"""More than any answer has on average: tokens of 30 characters exist, but they are rare."""
SPARE_CHARS: Final = 1024
PIECES_PER_TOKEN: Final = 4
"""Some servers stream single characters; none needs more than this many pieces for each of its tokens."""
SPARE_PIECES: Final = 16
MOST_DEPTH: Final = 64
"""Objects and arrays inside each other; a piece of a completion has about six."""
MOST_EVENT_BYTES: Final = 8 << 20
"""Of one event, however many tokens were asked for."""
ERROR_BYTES: Final = 64 << 10
"""What is read of an answer with an error status; the rest is left unread."""
LINGER_S: Final = 3.0
"""How long the token counts are waited for once the completion is finished."""


class AnswerError(Exception):
    """An answer that we do not use, in words for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimits:
    """Limits of one answer."""

    max_tokens: int
    silence_s: float
    """Time without anything that belongs to a completion; comments and empty pieces do not count."""
    wall_s: float
    """Time from the request to the end."""
    body_bytes: int
    """Of the whole body, both as sent and unpacked."""
    event_bytes: int
    network_pieces: int
    """Pieces that the body may arrive in: a body of single bytes costs far more time than its size says."""

    @property
    def chars(self) -> int:
        """Characters of text, thoughts and calls that are kept."""
        return CHARS_PER_TOKEN * self.max_tokens + SPARE_CHARS

    @property
    def pieces(self) -> int:
        """Pieces of text, thoughts and calls that are kept."""
        return PIECES_PER_TOKEN * self.max_tokens + SPARE_PIECES


def limits_of_completion(max_tokens: int, *, timeout_s: float) -> AnswerLimits:
    """Limits of a streamed completion: generous for a slow honest server, finite for any other.

    >>> limits = limits_of_completion(2048, timeout_s=120.0)
    >>> limits.wall_s, limits.body_bytes, limits.event_bytes, limits.chars
    (4516.0, 10485760, 393216, 66560)
    """
    return AnswerLimits(
        max_tokens=max_tokens,
        silence_s=timeout_s,
        wall_s=300.0 + timeout_s + 2.0 * max_tokens,
        body_bytes=(2 << 20) + max_tokens * 4096,
        event_bytes=min((256 << 10) + max_tokens * 64, MOST_EVENT_BYTES),
        network_pieces=20_000 + max_tokens * 64,
    )


def limits_of_list(*, timeout_s: float) -> AnswerLimits:
    """Limits of an answer that is one JSON document, such as the list of models."""
    return AnswerLimits(
        max_tokens=0,
        silence_s=timeout_s,
        wall_s=timeout_s,
        body_bytes=4 << 20,
        event_bytes=4 << 20,
        network_pieces=20_000,
    )


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


MOST_TRIES: Final = 4
"""How often a request is sent at most."""
FIRST_WAIT_S: Final = 0.5
"""Before the second try; each wait is twice as long as the one before."""
LONGEST_WAIT_S: Final = 30.0
"""A server that wants to be left alone for longer is not waited for."""
_LOOK_S: Final = 0.05


def wait_before(
    attempt: int, refusal: Refusal, *, wait: Callable[[float], None], is_cancelled: Callable[[], bool]
) -> bool:
    """Waits where another try makes sense; False where it does not, or a person has stopped it.

    Args:
        attempt: Which try was refused, from 1.
        refusal: What came.
        is_cancelled: Asked all the while.
    """
    pause_s = refusal.retry_after_s
    if pause_s is None:
        pause_s = FIRST_WAIT_S * 2 ** (attempt - 1)
    if not refusal.is_temporary or attempt >= MOST_TRIES or pause_s > LONGEST_WAIT_S:
        return False
    while pause_s > 0 and not is_cancelled():
        wait(min(pause_s, _LOOK_S))
        pause_s -= _LOOK_S
    return not is_cancelled()


def retry_after_s(header: str | None) -> float | None:
    """Seconds of a `Retry-After` header; None where there is none, or a date stands in it.

    >>> retry_after_s("2"), retry_after_s("Wed, 21 Oct 2026 07:28:00 GMT"), retry_after_s(None)
    (2.0, None, None)
    """
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return None if math.isnan(seconds) else max(seconds, 0.0)
