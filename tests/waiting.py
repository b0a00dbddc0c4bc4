"""Wait until something has happened."""

import time
from collections.abc import Callable


def await_until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a condition holds, and fail if it does not in time."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)
