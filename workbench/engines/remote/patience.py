"""Asks again, later and later, as long as it may help and nobody has stopped it."""

import math
from collections.abc import Callable
from typing import Final

from workbench.engines.remote.failures import Refusal

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
        wait: Lets seconds pass.
        is_cancelled: Asked all the while.
    """
    pause_s = refusal.retry_after_s
    if pause_s is None:
        pause_s = FIRST_WAIT_S * 2 ** (attempt - 1)
    if not refusal.may_pass or attempt >= MOST_TRIES or pause_s > LONGEST_WAIT_S:
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
