"""Numbers that may be unknown, because a server need not report them. An unknown number is None, never 0."""

from collections.abc import Iterable
from typing import Final, TypeVar, cast

NONE: Final = "–"
"""What a table or a sentence has in place of a number that is not known."""
Number = TypeVar("Number", int, float)


def figure(value: float | None, form: str = ",") -> str:
    """Format a number, or write – if it is not known.

    >>> figure(1204), figure(0.25, ".1f"), figure(None)
    ('1,204', '0.2', '–')
    """
    return NONE if value is None else format(value, form)


def known_sum(values: Iterable[Number | None]) -> Number | None:
    """Return the sum, or None if one of the values is not known.

    >>> known_sum([1, 2]), known_sum([1, None])
    (3, None)
    """
    listed = list(values)
    return None if None in listed else cast(Number, sum(cast(list[Number], listed)))
