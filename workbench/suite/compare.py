"""Compare two runs or two arms on the same cases: what improved, what broke, and whether it is chance."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import comb, erfc, sqrt
from typing import Final, NamedTuple

from workbench.suite.result import CaseResult, CaseStatus

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
class ArmPoint:
    """A label, what it costs and what it is worth."""

    label: str
    cost: float
    """The less the better, such as prompt tokens."""
    worth: float
    """The more the better, such as a pass rate."""


def front(points: tuple[ArmPoint, ...]) -> tuple[ArmPoint, ...]:
    """The points that no other one beats: none is at most as dear and at least as good, and better in one.

    In order of cost.
    """
    kept = [one for one in points if not any(_beats(other, one) for other in points)]
    return tuple(sorted(kept, key=lambda one: (one.cost, -one.worth, one.label)))


def _beats(other: ArmPoint, one: ArmPoint) -> bool:
    is_no_worse = other.cost <= one.cost and other.worth >= one.worth
    return is_no_worse and (other.cost < one.cost or other.worth > one.worth)


class CaseChange(StrEnum):
    """What became of a case, in the order in which one looks."""

    BROKE = "broke"
    """It passed, and fails now."""
    MENDED = "mended"
    """It failed, and passes now."""
    FAILS = "fails"
    """It fails as before."""
    PASSES = "passes"
    """It passes as before."""
    UNKNOWN = "unknown"
    """One of the two could not be played, or is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """The same play in both."""

    suite: str
    """Name of the case's suite."""
    case_id: str
    arm: str
    """Label of the arm in the second."""
    repetition: int
    """From 0."""
    change: CaseChange
    before: CaseResult | None
    """In the first; None where it is not there."""
    after: CaseResult | None
    """In the second; None where it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """How two runs differ."""

    pairs: tuple[RunPair, ...]
    """What broke first, then what was mended, then the rest."""
    broke: int
    mended: int
    compared: int
    """Pairs that were scored in both."""
    p: float
    """McNemar's: how likely so uneven a split is by chance."""
    seconds: tuple[float, float]
    """What the model took in each, over the pairs compared."""
    prompt_tokens: tuple[int, int]
    """Length of the first prompts in each, over the pairs compared."""

    @property
    def is_sure(self) -> bool:
        """True where chance alone gives so uneven a split in fewer than one of twenty."""
        return self.p < 0.05


def compare(
    before: Iterable[CaseResult], after: Iterable[CaseResult], *, arms: tuple[str, str] | None = None
) -> RunComparison:
    """Pairs the plays of two runs by arm, case and repetition.

    Args:
        before: Results of the first.
        after: Results of the second.
        arms: Labels of the one arm of each to compare. None pairs arms by their labels; where each has
            one arm alone, those two, whatever their labels.
    """
    first, second = list(before), list(after)
    if arms is None:
        labels = ({one.arm for one in first}, {one.arm for one in second})
        arms = (labels[0].pop(), labels[1].pop()) if len(labels[0]) == len(labels[1]) == 1 else None
    if arms is not None:
        first = [one for one in first if one.arm == arms[0]]
        second = [one for one in second if one.arm == arms[1]]
    found: dict[tuple[str, str, str, int], list[CaseResult | None]] = defaultdict(lambda: [None, None])
    for place, results in enumerate((first, second)):
        for one in results:
            found[("" if arms else one.arm, one.suite, one.case_id, one.repetition)][place] = one
    return _comparison([_pair(both[0], both[1]) for both in found.values()])


def _comparison(pairs: list[RunPair]) -> RunComparison:
    counts = {change: sum(one.change is change for one in pairs) for change in CaseChange}
    known = [
        (one.before.measures, one.after.measures)
        for one in pairs
        if one.change is not CaseChange.UNKNOWN and one.before and one.after
    ]
    order = list(CaseChange)
    return RunComparison(
        pairs=tuple(sorted(pairs, key=lambda one: order.index(one.change))),
        broke=counts[CaseChange.BROKE],
        mended=counts[CaseChange.MENDED],
        compared=len(known),
        p=mcnemar(counts[CaseChange.MENDED], counts[CaseChange.BROKE]),
        seconds=(sum(one.seconds for one, _ in known), sum(one.seconds for _, one in known)),
        prompt_tokens=(
            sum(one.prompt_tokens for one, _ in known),
            sum(one.prompt_tokens for _, one in known),
        ),
    )


def _pair(before: CaseResult | None, after: CaseResult | None) -> RunPair:
    one = after or before
    if one is None:
        raise ValueError("a pair of nothing")
    return RunPair(
        suite=one.suite,
        case_id=one.case_id,
        arm=one.arm,
        repetition=one.repetition,
        change=_change(before, after),
        before=before,
        after=after,
    )


def _change(before: CaseResult | None, after: CaseResult | None) -> CaseChange:
    if before is None or after is None or CaseStatus.ERROR in (before.status, after.status):
        return CaseChange.UNKNOWN
    if before.is_passed:
        return CaseChange.PASSES if after.is_passed else CaseChange.BROKE
    return CaseChange.MENDED if after.is_passed else CaseChange.FAILS
