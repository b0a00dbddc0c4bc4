"""Shorten texts for messages without cutting a word."""

import re
from typing import Final

LONGEST_MESSAGE: Final = 99
"""Limit on the characters of a finding's message."""
_SPACE_BEFORE_REST: Final = re.compile(r"\s+\S*$")


def shortened(text: str, most_chars: int = LONGEST_MESSAGE) -> str:
    """Return a text with at most `most_chars` characters, cut between two words and ending in `…` if it is longer.

    A text whose only word is too long is cut inside that word.

    >>> shortened("it needs backtracking and is not run", 25)
    'it needs backtracking…'
    >>> shortened("abcdefgh", 5)
    'abcd…'
    """
    if len(text) <= most_chars:
        return text
    # One more character shows whether a word ends at the limit.
    start = _SPACE_BEFORE_REST.sub("", text[:most_chars])
    if not start or len(start) == most_chars:
        start = text[: most_chars - 1]
    return start.rstrip(" ,;:(") + "…"
