"""Refuse requests that the page never sends: JSON limits, a message for the sender, a line for the log."""

import logging
from math import isfinite
from threading import Lock
from time import monotonic
from typing import Final, cast

import gradio as gr

_LOG: Final = logging.getLogger(__name__)
LOGGED_A_MINUTE: Final = 20
"""Refusals that are logged one by one in a minute, so that a flood of them does not fill the disk."""
_MINUTE_S: Final = 60.0


class MalformedEvent(gr.Error):
    """An event whose data cannot come from our page.

    It is not a `WorkbenchError`, so handlers do not treat it as a user's mistake. Gradio sends its text to the browser
    and prints no traceback.

    Args:
        problem: What is wrong, without the values that were sent.
        remedy: What to do, as a sentence.
    """

    def __init__(self, problem: str, *, remedy: str = "Reload the page.") -> None:
        super().__init__(f"Invalid request: {problem}. {remedy}", print_exception=False)
        self.problem = problem


class RefusalLog:
    """Logs each refusal, and only their number if there are many."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._started_at_s = monotonic()
        self._count = 0

    def note(self, where: str, problem: str) -> None:
        """Log a refusal.

        Args:
            where: The handler or the route. Text from the client is shortened, and control characters are escaped.
        """
        with self._lock:
            if monotonic() - self._started_at_s >= _MINUTE_S:
                self._end_minute()
            self._count += 1
            is_logged = self._count <= LOGGED_A_MINUTE
        if is_logged:
            _LOG.warning("Refused a malformed request to %s: %s", _one_line(where), _one_line(problem))

    def _end_minute(self) -> None:
        if self._count > LOGGED_A_MINUTE:
            _LOG.warning("Refused %d more malformed requests within a minute", self._count - LOGGED_A_MINUTE)
        self._started_at_s, self._count = monotonic(), 0


def _one_line(text: str) -> str:
    """Escape line breaks and control characters, which could forge log lines, and shorten the text."""
    return ascii(text)[1:-1][:200]


MOST_LEVELS: Final = 64
"""The deepest nesting of arrays and objects. Gradio, pydantic and the store each fail at some depth."""
MOST_VALUES: Final = 500_000
"""The most values in one payload."""
MOST_DIGITS: Final = 2**63
"""The bound of whole numbers: more than 64 bits do not fit into a database column, or into a response."""


def problem_of_json(value: object, *, takes_surrogates: bool = False) -> str:
    """Return what is wrong with a JSON value, or empty text. Works without recursion, for values of any depth.

    Args:
        value: A value from `json.loads`.
        takes_surrogates: Whether texts may contain half of a surrogate pair, which cannot be encoded as UTF-8.

    >>> problem_of_json([{"a": 1.5}]), problem_of_json([float("nan")])
    ('', 'a number is not finite')
    """
    level: list[object] = [value]
    seen = 0
    for _ in range(MOST_LEVELS + 1):
        below: list[object] = []
        for item in level:
            problem = _problem(item, takes_surrogates=takes_surrogates)
            if problem:
                return problem
            if isinstance(item, dict):
                fields = cast(dict[object, object], item)
                below += fields.keys()
                below += fields.values()
            elif isinstance(item, list | tuple):
                below += cast(list[object], item)
        seen += len(level)
        if seen > MOST_VALUES:
            return f"there are more than {MOST_VALUES:,} values"
        if not below:
            return ""
        level = below
    return f"values are nested more than {MOST_LEVELS} levels deep"


def _problem(value: object, *, takes_surrogates: bool) -> str:
    if isinstance(value, float) and not isfinite(value):
        return "a number is not finite"
    if isinstance(value, int) and not -MOST_DIGITS <= value < MOST_DIGITS:
        return "a whole number has more than 64 bits"
    if isinstance(value, str) and not takes_surrogates and not _is_encodable(value):
        return "a text contains half of a surrogate pair"
    return ""


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
