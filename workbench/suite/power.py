"""How large a difference a number of cases can show, and how many cases would decide."""

from math import ceil, sqrt
from typing import Final

# Two runs of the same cases differ in some pairs: some were fixed (b of n), some broke (c of n). McNemar's test finds
# the difference d = (b - c) / n with a probability of 80 % if
#
#     n >= (z_a * sqrt(p) + z_b * sqrt(p - d**2))**2 / d**2,     p = (b + c) / n
#
# where z_a belongs to the level of 5 % and z_b to the 80 %. Example: if a quarter of the pairs differ, 60 cases show a
# difference of 18 points; to show 5 points, 783 cases are needed.
# Source: R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design", 1987,
# https://doi.org/10.2307/2531961
_Z_LEVEL: Final = 1.959963984540054
_Z_POWER: Final = 0.8416212335729143
USUAL_DIFFERING: Final = 0.25
"""Share of the pairs that differ, as long as nothing was measured."""
_STEPS: Final = 40


def pairs_needed(difference: float, differing: float) -> int | None:
    """Return how many pairs show a difference with a probability of 80 %. None if no number does.

    Args:
        difference: Difference of the two pass rates, from -1 to 1.
        differing: Share of the pairs in which only one of the two passes.

    >>> pairs_needed(0.05, 0.25), pairs_needed(0, 0.25)
    (783, None)
    """
    size = abs(difference)
    if size == 0:
        return None
    differing = max(differing, size)
    return ceil((_Z_LEVEL * sqrt(differing) + _Z_POWER * sqrt(differing - size**2)) ** 2 / size**2)


def smallest_difference(pairs: int, differing: float = USUAL_DIFFERING) -> float | None:
    """Return the smallest difference of pass rates that this many pairs show. None if they show none.

    >>> round(smallest_difference(60), 2)
    0.18
    """
    low, high = 0.0, 1.0
    if pairs < (pairs_needed(1.0, 1.0) or 0):
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        needed = pairs_needed(middle, differing)
        low, high = (low, middle) if needed is not None and needed <= pairs else (middle, high)
    return high


def more_pairs(better: int, worse: int, pairs: int) -> int | None:
    """Return how many more pairs would probably decide, if the difference so far is the true one.

    0 if there are enough, None if no number would: as many pairs were fixed as broke.

    >>> more_pairs(6, 2, 40), more_pairs(3, 3, 40)
    (115, None)
    """
    needed = pairs_needed((better - worse) / pairs, (better + worse) / pairs) if pairs else None
    return None if needed is None else max(0, needed - pairs)
