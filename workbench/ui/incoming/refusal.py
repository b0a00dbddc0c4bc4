"""Refuse requests that the page never sends: limits on JSON, one line for the sender and one for the log."""

import logging
from math import isfinite
from threading import Lock
from time import monotonic
from typing import Final, cast

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


MOST_LEVELS: Final = 64
"""Arrays and objects within each other. Gradio, pydantic and the store each give up at a depth of their own."""
MOST_VALUES: Final = 500_000
"""Values in one payload."""
MOST_DIGITS: Final = 2**63
"""Whole numbers beyond 64 bits fit into no database column, and into no answer either."""


def problem_of_json(value: object, *, takes_surrogates: bool = False) -> str:
    """What is wrong with a value; empty if nothing is. No recursion: the value may be nested as deep as it likes.

    Args:
        value: As `json.loads` gives it.
        takes_surrogates: Whether texts may hold half of a surrogate pair, which cannot be written as UTF-8.

    >>> problem_of_json([{"a": 1.5}]), problem_of_json([float("nan")])
    ('', 'a number is not finite')
    """
    level: list[object] = [value]
    seen = 0
    for _ in range(MOST_LEVELS + 1):
        below: list[object] = []
        for one in level:
            problem = _problem(one, takes_surrogates=takes_surrogates)
            if problem:
                return problem
            if isinstance(one, dict):
                fields = cast(dict[object, object], one)
                below += fields.keys()
                below += fields.values()
            elif isinstance(one, list | tuple):
                below += cast(list[object], one)
        seen += len(level)
        if seen > MOST_VALUES:
            return f"it holds more than {MOST_VALUES:,} values"
        if not below:
            return ""
        level = below
    return f"it is nested more than {MOST_LEVELS} levels deep"


def _problem(value: object, *, takes_surrogates: bool) -> str:
    if isinstance(value, float) and not isfinite(value):
        return "a number is not finite"
    if isinstance(value, int) and not -MOST_DIGITS <= value < MOST_DIGITS:
        return "a whole number has more than 64 bits"
    if isinstance(value, str) and not takes_surrogates and not _is_encodable(value):
        return "a text holds half of a surrogate pair"
    return ""


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
