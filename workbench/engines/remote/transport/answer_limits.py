"""Limits on a server's answer: size, depth, time between pieces, total time, tokens and retries.

The idea: a server is not trusted. It may be broken, malicious, or simply not the server that somebody meant. Every
answer has to end, with limited memory and time, whatever it consists of. Each limit follows from `max_tokens`,
generously, so that no slow but honest server reaches it.

Each kind of endless answer needs a limit of its own, because it passes all others:

| a server that | is stopped by |
|---|---|
| sends nothing, or only comments such as `: keep-alive` | `silence_s`: only pieces of the completion count |
| sends one token every minute, for ever | `wall_s`, the total time |
| ignores `max_tokens` | `TokenMeter`: pieces and characters |
| sends one JSON string or one line without an end | `event_bytes`, checked while it arrives |
| sends a kilobyte that unpacks to a gigabyte | `body_bytes`, which counts unpacked bytes too |
| sends single bytes, each in a network packet | `network_pieces`: they cost far more time than their size suggests |
| sends `[[[[…` | `MOST_DEPTH`, checked before anything recurses |

Invariant: what arrived before a limit was reached is kept. The completion ends with finish reason `length` if the
server wrote too much, otherwise as interrupted, with a message that says which limit it was.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Final

from workbench.engines.remote.transport.failures import Refusal, describe_silence
from workbench.rollout.ports import Delta, StructuredCallPiece

CHARS_PER_TOKEN: Final = 32
"""More than the average of any answer. Tokens of 30 characters exist, but are rare."""
SPARE_CHARS: Final = 1024
PIECES_PER_TOKEN: Final = 4
"""Some servers stream single characters. None needs more pieces than this for a token."""
SPARE_PIECES: Final = 16
MOST_DEPTH: Final = 64
"""Maximum nesting of objects and arrays. A chunk of a completion has about six levels."""
MOST_EVENT_BYTES: Final = 8 << 20
"""Limit of one event for any number of tokens."""
ERROR_BYTES: Final = 64 << 10
"""Number of bytes that are read of an answer with an error status."""
LINGER_S: Final = 3.0
"""How long to wait for the token counts after the completion has finished."""


class AnswerError(Exception):
    """An answer cannot be used. The message is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimits:
    """The limits of one answer."""

    max_tokens: int
    silence_s: float
    """Maximum time without a piece of the completion. Comments and empty pieces do not count."""
    wall_s: float
    """Maximum time from the request to the end."""
    body_bytes: int
    """Limit of the whole body, both as sent and after unpacking."""
    event_bytes: int
    network_pieces: int
    """Maximum number of pieces that the body may arrive in."""

    @property
    def chars(self) -> int:
        """Maximum number of characters of text, thoughts and calls."""
        return CHARS_PER_TOKEN * self.max_tokens + SPARE_CHARS

    @property
    def pieces(self) -> int:
        """Maximum number of pieces of text, thoughts and calls."""
        return PIECES_PER_TOKEN * self.max_tokens + SPARE_PIECES


def limits_of_completion(max_tokens: int, *, timeout_s: float) -> AnswerLimits:
    """Return the limits of a streamed completion.

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
    """Return the limits of an answer that is one JSON document, such as the list of models."""
    return AnswerLimits(
        max_tokens=0,
        silence_s=timeout_s,
        wall_s=timeout_s,
        body_bytes=4 << 20,
        event_bytes=4 << 20,
        network_pieces=20_000,
    )


class StreamTimeout:
    """Decides how long to wait for an answer."""

    def __init__(self, limits: AnswerLimits, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the time. Create the object when the request is sent."""
        self._limits = limits
        self._clock = clock
        self._started_s = self._heard_s = clock()
        self._finished_s: float | None = None

    def restart(self) -> None:
        """Record that a piece of the completion arrived."""
        self._heard_s = self._clock()

    def finish(self) -> None:
        """Record that the completion has finished and only its token counts are missing."""
        self._finished_s = self._finished_s or self._clock()

    def keeps_waiting(self) -> bool:
        """Return False once there is nothing more to wait for.

        Raises:
            AnswerError: The server was silent for too long, or took too long in total.
        """
        now_s = self._clock()
        if self._finished_s is not None:
            return now_s - self._finished_s <= LINGER_S
        if now_s - self._heard_s > self._limits.silence_s:
            raise AnswerError(describe_silence(self._limits.silence_s))
        if now_s - self._started_s > self._limits.wall_s:
            raise AnswerError(f"not finished after {self._limits.wall_s:,.0f} s")
        return True


class TokenMeter:
    """Cuts off a completion if the server ignores `max_tokens`.

    Only the server knows its tokens. So pieces and characters are counted, both with room to spare.
    """

    def __init__(self, limits: AnswerLimits) -> None:
        self._chars = limits.chars
        self._pieces = limits.pieces
        self.is_full = False
        """True once a limit was reached."""

    def take(self, delta: Delta) -> Delta:
        """Return the delta, cut to what the limits still allow."""
        text, thought = self._cut(delta.text), self._cut(delta.thought)
        calls = tuple(self._cut_call(piece) for piece in delta.call_pieces[: max(self._pieces, 0)])
        self._pieces -= max(len(delta.call_pieces), 1)
        self.is_full = self._pieces < 0 or self._chars < 0
        return replace(delta, text=text, thought=thought, call_pieces=calls)

    def _cut_call(self, piece: StructuredCallPiece) -> StructuredCallPiece:
        return replace(piece, name=self._cut(piece.name), arguments_text=self._cut(piece.arguments_text))

    def _cut(self, text: str) -> str:
        head = text[: max(self._chars, 0)]
        self._chars -= len(text)
        return head


MOST_TRIES: Final = 4
"""Maximum number of attempts for one request."""
FIRST_WAIT_S: Final = 0.5
"""Wait before the second attempt. Each further wait is twice as long."""
LONGEST_WAIT_S: Final = 30.0
"""If a server asks for a longer wait, the request fails instead."""
_LOOK_S: Final = 0.05


def wait_before(
    attempt: int,
    refusal: Refusal,
    *,
    retries: int | None = None,
    wait: Callable[[float], None],
    is_cancelled: Callable[[], bool],
) -> bool:
    """Wait if another attempt makes sense. Return False if it does not, or if the request was cancelled.

    Args:
        attempt: Number of the attempt that failed, from 1.
        refusal: Why it failed.
        retries: How often to try again. None uses `MOST_TRIES`.
        is_cancelled: Called while waiting.
    """
    pause_s = refusal.retry_after_s
    if pause_s is None:
        pause_s = FIRST_WAIT_S * 2 ** (attempt - 1)
    most = MOST_TRIES if retries is None else 1 + retries
    if not refusal.is_temporary or attempt >= most or pause_s > LONGEST_WAIT_S:
        return False
    while pause_s > 0 and not is_cancelled():
        wait(min(pause_s, _LOOK_S))
        pause_s -= _LOOK_S
    return not is_cancelled()


def retry_after_s(header: str | None, clock: Callable[[], float] = time.time) -> float | None:
    """Parse a `Retry-After` header, a number or a date, into seconds. None if there is none or it is neither.

    Args:
        clock: Returns the current time, in seconds since 1970.

    >>> retry_after_s("2"), retry_after_s("Thu, 01 Jan 1970 00:01:00 GMT", lambda: 50.0), retry_after_s("soon")
    (2.0, 10.0, None)
    """
    try:
        seconds = float(header or "")
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header or "").timestamp() - clock()
        except (ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(seconds, 0.0)
