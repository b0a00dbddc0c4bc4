"""Suggest the name that somebody probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

_LONGEST: Final = 64
"""Longer names are compared by their beginning, because comparing takes quadratic time."""
_MOST: Final = 500
"""Limit on the names that are compared."""


def nearest_name(name: str, names: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return the known name that is most like `name`, or an empty text if no name is similar.

    Upper and lower case count as the same, and so do `-` and `_`.

    Args:
        cutoff: How similar the names must be, from 0 to 1.

    >>> nearest_name("get_temprature", ["get_weather", "get_temperature"])
    'get_temperature'
    """
    by_letters = {_letters(known): known for known in islice(names, _MOST)}
    near = get_close_matches(_letters(name), by_letters, n=1, cutoff=cutoff)
    return by_letters[near[0]] if near else ""


def did_you_mean(name: str, names: Iterable[str], *, otherwise: str = "") -> str:
    """Return `did you mean 'x'?`, or `otherwise` if no known name is similar."""
    near = nearest_name(name, names)
    return f"did you mean {near!r}?" if near else otherwise


def _letters(name: str) -> str:
    return name[:_LONGEST].lower().replace("-", "_")
