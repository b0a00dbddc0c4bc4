"""Compare two runs or two arms on the same cases: what was fixed, what broke, and whether it is chance."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import comb, erfc, sqrt
from typing import Final, NamedTuple

from workbench.chat.figures import known_sum
from workbench.suite.result import CaseResult

# The statistics of suites
#
# A pass rate of few cases says little: 3 of 5 is 60 %, but the true rate may well be 30 %. So each rate comes with the
# Wilson score interval. Unlike the textbook interval (rate ± 1.96 standard errors), it never leaves 0 to 1 and is not
# empty at 0 of n or n of n: 5 of 5 gives 57 % to 100 %.
# Source: https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval
#
# Two runs of the same cases are paired, so their rates are not independent: comparing two intervals would miss most
# real differences. McNemar's test looks only at the pairs that differ. If the runs are equally good, each of these
# falls on either side with probability 1/2. Example: 10 cases were fixed and none broke. All ten falling on one side
# has probability 2 / 2**10 = 0.002, so this is hardly chance; 6 fixed and 4 broken has p = 0.75.
# Source: https://en.wikipedia.org/wiki/McNemar%27s_test
#
# A case that passes in 3 of 4 repetitions is not reliable. pass^k is the probability that k repetitions all pass.
# Raising the rate to the power of k would be biased for few repetitions; the number of ways to choose k passed
# repetitions of all ways to choose k is unbiased.
# Source: https://arxiv.org/abs/2406.12045 (τ-bench)
_Z95: Final = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: an interval of this many standard errors to each side has 95 %."""
SIGNIFICANCE_LEVEL: Final = 0.05
"""A difference is significant if its p-value is below this."""
_EXACT_BELOW: Final = 25
"""With fewer pairs that differ, McNemar's test is exact."""


class Interval(NamedTuple):
    """A confidence interval of a rate, from 0 to 1."""

    low: float
    high: float


def wilson(passed: float, total: int, *, z: float = _Z95) -> Interval:
    """Return the Wilson score interval of a rate, without continuity correction.

    *Source:* E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927,
    https://doi.org/10.1080/01621459.1927.10502953.

    Args:
        passed: Repetitions that passed, of `total`. A sum of estimates from 0 to 1 gives an interval that is at least
            as wide as needed: the variance of such an estimate is at most that of passed and failed.
        total: Scored repetitions. 0 gives the interval from 0 to 1.
        z: Quantile of the normal distribution; 1.96 gives 95 %.
    """
    if total == 0:
        return Interval(0.0, 1.0)
    rate, spread = passed / total, z * z / total
    centre = rate + spread / 2
    half = z * sqrt(rate * (1 - rate) / total + spread / (4 * total))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    # With none or all passed, one bound is exactly the rate; rounding must not move it.
    return Interval(0.0 if passed == 0 else max(0.0, low), 1.0 if passed == total else min(1.0, high))


def mcnemar(better: int, worse: int) -> float:
    """Return the two-sided p-value of McNemar's test: the probability of a split at least this uneven by chance.

    The test is exact (binomial) with fewer than 25 pairs that differ. Otherwise it is the chi-squared test with
    Edwards' continuity correction.

    *Source:* Q. McNemar, 1947, https://doi.org/10.1007/BF02295996; A. L. Edwards, 1948,
    https://doi.org/10.1007/BF02289261.

    Args:
        better: Pairs in which only the second run passed.
        worse: Pairs in which only the first run passed.
    """
    differing = better + worse
    if differing == 0:
        return 1.0
    if differing < _EXACT_BELOW:
        tail = sum(comb(differing, count) for count in range(min(better, worse) + 1))
        return min(1.0, 2 * tail / 2**differing)
    chi_squared = max(abs(better - worse) - 1, 0) ** 2 / differing
    return erfc(sqrt(chi_squared / 2))


def pass_hat(passed: int, total: int, k: int) -> float:
    """Return the estimated probability that `k` repetitions of a case all pass (pass^k).

    *Source:* Yao et al., "τ-bench", 2024, https://arxiv.org/abs/2406.12045: the mean of C(c, k) / C(n, k) over tasks.

    Args:
        passed: Repetitions that passed, of `total`.

    Raises:
        ValueError: There are fewer than `k` repetitions.
    """
    if not 1 <= k <= total:
        raise ValueError(f"{k} of {total} repetitions")
    return comb(passed, k) / comb(total, k)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPoint:
    """An arm by its cost and its worth."""

    label: str
    cost: float
    """Lower is better, such as prompt tokens."""
    worth: float
    """Higher is better, such as a pass rate."""


def pareto_front(points: tuple[ArmPoint, ...]) -> tuple[ArmPoint, ...]:
    """Return the points that no other point beats, in order of cost.

    A point beats another if it is better in cost or worth, and not worse in the other.
    """
    best = [point for point in points if not any(_beats(other, point) for other in points)]
    return tuple(sorted(best, key=lambda point: (point.cost, -point.worth, point.label)))


def _beats(other: ArmPoint, point: ArmPoint) -> bool:
    is_no_worse = other.cost <= point.cost and other.worth >= point.worth
    return is_no_worse and (other.cost < point.cost or other.worth > point.worth)


class CaseChange(StrEnum):
    """How the result of a case changed between two runs, the most important first."""

    BROKE = "broke"
    """It passed before, and fails now."""
    FIXED = "mended"
    """It failed before, and passes now."""
    FAILS = "fails"
    """It fails in both."""
    PASSES = "passes"
    """It passes in both."""
    UNKNOWN = "unknown"
    """It was not checked in one of the runs."""


CHANGE_TEXTS: Final = {**{change: change.value for change in CaseChange}, CaseChange.FIXED: "fixed"}
"""Each change as a word for tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """The same repetition of a case in two runs."""

    suite: str
    case_id: str
    arm: str
    """Label of the arm in the second run."""
    repetition: int
    """From 0."""
    change: CaseChange
    before: CaseResult | None
    """Result in the first run, or None if it has none."""
    after: CaseResult | None
    """Result in the second run, or None if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """How two runs differ."""

    pairs: tuple[RunPair, ...]
    """Cases that broke come first, then cases that were fixed, then the others."""
    broke: int
    fixed: int
    compared: int
    """Number of pairs that were checked in both runs."""
    p: float | None
    """p-value of McNemar's test. None if no pair was checked in both runs."""
    seconds: tuple[float, float]
    """Generation time in each run, over the compared pairs."""
    prompt_tokens: tuple[int | None, int | None]
    """Total length of the first prompts in each run, over the compared pairs. None if one is not known."""

    @property
    def is_significant(self) -> bool:
        """Whether chance gives a split at least this uneven in fewer than 1 of 20 comparisons."""
        return self.p is not None and self.p < SIGNIFICANCE_LEVEL


def compare(
    before: Iterable[CaseResult], after: Iterable[CaseResult], *, arms: tuple[str, str] | None = None
) -> RunComparison:
    """Compare two runs by pairing their results by arm, case and repetition.

    Args:
        before: Results of the first run.
        after: Results of the second run.
        arms: Label of the arm of each run to compare. With None, arms with the same label are paired; if each run
            has a single arm, these two are paired whatever their labels.
    """
    first, second = list(before), list(after)
    if arms is None:
        labels = ({result.arm for result in first}, {result.arm for result in second})
        arms = (labels[0].pop(), labels[1].pop()) if len(labels[0]) == len(labels[1]) == 1 else None
    if arms is not None:
        first = [result for result in first if result.arm == arms[0]]
        second = [result for result in second if result.arm == arms[1]]
    pairs: dict[tuple[str, str, str, int], list[CaseResult | None]] = defaultdict(lambda: [None, None])
    for side, results in enumerate((first, second)):
        for result in results:
            key = ("" if arms else result.arm, result.suite, result.case_id, result.repetition)
            pairs[key][side] = result
    return _comparison([_pair(both[0], both[1]) for both in pairs.values()])


def _comparison(pairs: list[RunPair]) -> RunComparison:
    counts = {change: sum(pair.change is change for pair in pairs) for change in CaseChange}
    measures = [
        (pair.before.measures, pair.after.measures)
        for pair in pairs
        if pair.change is not CaseChange.UNKNOWN and pair.before and pair.after
    ]
    order = list(CaseChange)
    return RunComparison(
        pairs=tuple(sorted(pairs, key=lambda pair: order.index(pair.change))),
        broke=counts[CaseChange.BROKE],
        fixed=counts[CaseChange.FIXED],
        compared=len(measures),
        p=mcnemar(counts[CaseChange.FIXED], counts[CaseChange.BROKE]) if measures else None,
        seconds=(sum(first.seconds for first, _ in measures), sum(second.seconds for _, second in measures)),
        prompt_tokens=(
            known_sum(first.prompt_tokens for first, _ in measures),
            known_sum(second.prompt_tokens for _, second in measures),
        ),
    )


def _pair(before: CaseResult | None, after: CaseResult | None) -> RunPair:
    result = after or before
    if result is None:
        raise ValueError("a pair needs at least one result")
    return RunPair(
        suite=result.suite,
        case_id=result.case_id,
        arm=result.arm,
        repetition=result.repetition,
        change=_change(before, after),
        before=before,
        after=after,
    )


def _change(before: CaseResult | None, after: CaseResult | None) -> CaseChange:
    if before is None or after is None or not (before.is_checked and after.is_checked):
        return CaseChange.UNKNOWN
    if before.is_passed:
        return CaseChange.PASSES if after.is_passed else CaseChange.BROKE
    return CaseChange.FIXED if after.is_passed else CaseChange.FAILS
