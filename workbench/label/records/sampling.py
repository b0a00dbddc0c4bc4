"""Accept or reject a lot of rows by a sample, with both risks computed exactly.

A lot is accepted if at most `accept` rows of a random sample are bad. Two things can go wrong. The producer's risk is
that a good lot is rejected, and the consumer's risk is that a bad lot is accepted. What counts as a good and a bad lot
are shares of bad rows, which the user chooses.

The number of bad rows in a sample without replacement has a hypergeometric distribution. Its probabilities are ratios
of whole numbers, so nothing is rounded before the end.

Example: of 1,000 rows, 124 are labelled, and the lot is accepted if at most 3 of them are bad. A lot with 1 % bad rows
is then rejected with a probability of 3 %, and a lot with 5 % bad rows is accepted with one of 11 %.

*Source:* ISO 2859-2 (isolated lots); D. C. Montgomery, Introduction to Statistical Quality Control, chapter 15.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, exp, floor, lgamma
from typing import Final

from workbench.errors import BadInput


def acceptance_probability(size: int, bad: int, sample: int, accept: int) -> Fraction:
    """Return the exact probability that at most `accept` of `sample` rows are bad, of `size` rows with `bad` bad ones.

    >>> acceptance_probability(10, 2, 3, 0)
    Fraction(7, 15)
    """
    ways = sum(
        comb(bad, found) * comb(size - bad, sample - found) for found in range(min(accept, bad, sample) + 1)
    )
    return Fraction(ways, comb(size, sample))


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingPlan:
    """How a lot is judged by a sample."""

    size: int
    """Number of rows of the lot."""
    sample: int
    """Number of rows to label."""
    accept: int
    """The lot is accepted if at most this number of rows of the sample are bad."""
    good: float
    """Share of bad rows of a lot that should be accepted."""
    bad: float
    """Share of bad rows of a lot that should be rejected."""

    @property
    def producer_risk(self) -> float:
        """Probability that a lot with the share `good` of bad rows, rounded down, is rejected."""
        count = floor(Fraction(str(self.good)) * self.size)
        return float(1 - acceptance_probability(self.size, count, self.sample, self.accept))

    @property
    def consumer_risk(self) -> float:
        """Probability that a lot with the share `bad` of bad rows, rounded up, is accepted."""
        count = ceil(Fraction(str(self.bad)) * self.size)
        return float(acceptance_probability(self.size, count, self.sample, self.accept))

    def check(self) -> None:
        """Raise BadInput if the numbers contradict each other."""
        if not 0 <= self.good < self.bad <= 1:
            raise BadInput(
                "lot", f"good {self.good:g}, bad {self.bad:g}", "give shares of bad rows, good below bad"
            )
        if not 1 <= self.sample <= self.size or not 0 <= self.accept < self.sample:
            raise BadInput(
                "lot",
                f"{self.sample} of {self.size} rows, of which {self.accept} may be bad",
                "label 1 or more rows of the lot, and accept fewer bad ones than that",
            )

    def describe(self) -> str:
        """Return the rule and its risks as one sentence."""
        return (
            f"{self.sample:,} of {self.size:,} rows are labelled; accepted if at most {self.accept:,} are bad. "
            f"Producer's risk {self.producer_risk:.1%} (rejected with {self.good:.3g} bad), "
            f"consumer's risk {self.consumer_risk:.1%} (accepted with {self.bad:.3g} bad)."
        )


def smallest_plan(
    size: int, *, good: float, bad: float, producer: float = 0.05, consumer: float = 0.1
) -> SamplingPlan:
    """Return the plan with the smallest sample whose risks are not above `producer` and `consumer`.

    For a number of bad rows to accept, a larger sample lowers the consumer's risk and raises the producer's. So the
    smallest sample that satisfies the consumer is the best one; if it does not satisfy the producer, more bad rows
    must be accepted. All rows together have no risk.

    Raises:
        BadInput: The shares contradict each other, or the lot is empty.
    """
    SamplingPlan(size=size, sample=size, accept=0, good=good, bad=bad).check()
    count_good, count_bad = floor(Fraction(str(good)) * size), ceil(Fraction(str(bad)) * size)
    for accept in range(size):
        low, high = accept + 1, size
        while low < high:
            middle = (low + high) // 2
            is_enough = _estimate(size, count_bad, middle, accept) <= consumer * (1 + _ROUNDING)
            low, high = (low, middle) if is_enough else (middle + 1, high)
        if 1 - _estimate(size, count_good, low, accept) > producer * (1 + _ROUNDING):
            continue
        # The estimates are not exact, so the risks themselves decide.
        for sample in range(low, min(low + 3, size + 1)):
            plan = SamplingPlan(size=size, sample=sample, accept=accept, good=good, bad=bad)
            if plan.consumer_risk <= consumer and plan.producer_risk <= producer:
                return plan
    raise BadInput(
        "lot", f"{size} rows cannot tell {good:g} from {bad:g} bad", "choose shares that are further apart"
    )


_ROUNDING: Final = 1e-6
"""More than the relative error of an estimate."""


def _estimate(size: int, bad: int, sample: int, accept: int) -> float:
    """Return `acceptance_probability` with rounding errors, in a time that does not grow with the sample."""
    first, last = max(0, sample - (size - bad)), min(accept, bad, sample)
    total = _log_comb(size, sample)
    return sum(
        exp(_log_comb(bad, found) + _log_comb(size - bad, sample - found) - total)
        for found in range(first, last + 1)
    )


def _log_comb(total: int, chosen: int) -> float:
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)
