"""Ctrl+C as a wish to stop, not as an end."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event as Flag


@contextmanager
def stop_at_interrupt() -> Generator[Flag]:
    """Ctrl+C once sets the flag, so that the work ends in order and keeps what came; twice ends the process."""
    stop = Flag()
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
