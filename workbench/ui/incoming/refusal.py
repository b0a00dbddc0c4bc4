"""A request that no page of ours sends: refused with one line for its sender and one for the log."""

import logging
from threading import Lock
from time import monotonic
from typing import Final

import gradio as gr

_LOG: Final = logging.getLogger(__name__)
LOGGED_A_MINUTE: Final = 20
"""Refusals that are logged one by one; a flood of them must not fill the disk."""
_MINUTE_S: Final = 60.0


class MalformedEvent(gr.Error):
    """An event whose payload cannot come from our page.

    It is not one of the workbench's own errors, so no handler takes it for something that a person did wrong. Gradio
    sends its text to the browser and prints no traceback.

    Args:
        problem: What is wrong with it, without the values that were sent.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(f"This request cannot be used: {problem}. Reload the page.", print_exception=False)
        self.problem = problem


class RefusalLog:
    """Writes a line for each refusal, and only their number where there are many."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._started_at_s = monotonic()
        self._count = 0

    def note(self, where: str, problem: str) -> None:
        """One refusal.

        Args:
            where: The handler or the route. What comes from the client is cut and shown without control characters.
            problem: What is wrong.
        """
        with self._lock:
            if monotonic() - self._started_at_s >= _MINUTE_S:
                self._end_minute()
            self._count += 1
            is_logged = self._count <= LOGGED_A_MINUTE
        if is_logged:
            _LOG.warning("refused a malformed request: %s: %s", _one_line(where), _one_line(problem))

    def _end_minute(self) -> None:
        if self._count > LOGGED_A_MINUTE:
            _LOG.warning("refused %d more malformed requests in a minute", self._count - LOGGED_A_MINUTE)
        self._started_at_s, self._count = monotonic(), 0


def _one_line(text: str) -> str:
    """The text without line breaks and control characters, which would forge lines of the log."""
    return ascii(text)[1:-1][:200]
