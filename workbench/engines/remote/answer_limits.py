"""What an answer of a server may cost us, whatever the server sends."""

from dataclasses import dataclass
from typing import Final

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
    """What was asked for."""
    silence_s: float
    """Time without anything that belongs to a completion; comments and empty pieces do not count."""
    wall_s: float
    """Time from the request to the end."""
    body_bytes: int
    """Of the whole body, both as sent and unpacked."""
    event_bytes: int
    """Of one event of a stream."""
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
