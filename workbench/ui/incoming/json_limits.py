"""JSON from outside: bounded in depth and size, and made of what every part of the page can store and send."""

from math import isfinite
from typing import Final, cast

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
