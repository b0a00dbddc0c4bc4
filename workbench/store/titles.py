"""Titles of sessions, runs and comparisons."""

from typing import Final

from workbench.names import shown_title, usable_name
from workbench.store.storable import refuse_unstorable

TITLE_SIZE_CHARS: Final = 60
"""Longer titles are cut to this length."""


def title_of(text: str) -> str:
    """Return a title made from a user's text: one line without invisible characters, cut if it is long.

    >>> title_of("  What is\\nthe time? ")
    'What is the time?'
    """
    line = shown_title(" ".join(text.split())[: 2 * TITLE_SIZE_CHARS])
    return line if len(line) <= TITLE_SIZE_CHARS else line[: TITLE_SIZE_CHARS - 1].rstrip() + "…"


def given_title(title: str) -> str:
    """Return a title that a person gave, as one line.

    Raises:
        BadInput: It has an invisible character, or contains text that cannot be stored.
    """
    refuse_unstorable(title, "title")
    return title_of(usable_name(" ".join(title.split()), "title"))
