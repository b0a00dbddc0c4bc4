"""How sure one may be of a rate, and of a difference between two runs of the same cases."""

from dataclasses import dataclass
from math import comb, erfc, sqrt
from typing import Final, NamedTuple

_Z95: Final = 1.959963984540054
_FEW: Final = 25
"""Fewer cases that differ are counted exactly."""


class Interval(NamedTuple):
    """Where a rate lies, most likely."""

    low: float
    """From 0."""
    high: float
    """To 1."""


def wilson(passed: int, total: int, *, z: float = _Z95) -> Interval:
    """The Wilson score interval of a rate, without continuity correction.

    *Source:* E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

    Args:
        passed: Of `total`.
        total: Plays; none gives 0 to 1.
        z: Of the normal distribution; 1.96 makes it 95 %.
    """
    if total == 0:
        return Interval(0.0, 1.0)
    rate, spread = passed / total, z * z / total
    centre = rate + spread / 2
    half = z * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    # Rounding must not keep a bound off the rate that it touches.
    return Interval(0.0 if passed == 0 else max(0.0, low), 1.0 if passed == total else min(1.0, high))


def mcnemar(better: int, worse: int) -> float:
    """How likely so uneven a split is by chance: the two-sided p of McNemar's test.

    Exact (binomial) where fewer than 25 pairs differ, else the chi-squared test with Edwards' continuity
    correction. *Source:* Q. McNemar, 1947; A. L. Edwards, 1948.

    Args:
        better: Pairs of which the second alone passed.
        worse: Pairs of which the first alone passed.
    """
    differing = better + worse
    if differing == 0:
        return 1.0
    if differing < _FEW:
        tail = sum(comb(differing, count) for count in range(min(better, worse) + 1))
        return min(1.0, 2 * tail / 2**differing)
    chi_squared = max(abs(better - worse) - 1, 0) ** 2 / differing
    return erfc(sqrt(chi_squared / 2))


def pass_hat(passed: int, total: int, k: int) -> float:
    """The chance that `k` plays of a case all pass (pass^k), estimated from `total` plays.

    *Source:* Yao et al., "τ-bench", 2024: the mean over tasks of C(c, k) / C(n, k).

    Raises:
        ValueError: There are fewer than `k` plays.
    """
    if not 1 <= k <= total:
        raise ValueError(f"{k} of {total} plays")
    return comb(passed, k) / comb(total, k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A label, what it costs and what it is worth."""

    label: str
    """Whose."""
    cost: float
    """The less the better, such as prompt tokens."""
    worth: float
    """The more the better, such as a pass rate."""


def front(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points that no other one beats: none is at most as dear and at least as good, and better in one.

    In order of cost.
    """
    kept = [one for one in points if not any(_beats(other, one) for other in points)]
    return tuple(sorted(kept, key=lambda one: (one.cost, -one.worth, one.label)))


def _beats(other: Point, one: Point) -> bool:
    is_no_worse = other.cost <= one.cost and other.worth >= one.worth
    return is_no_worse and (other.cost < one.cost or other.worth > one.worth)
