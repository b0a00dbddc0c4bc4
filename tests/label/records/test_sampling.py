"""The risks of acceptance sampling are exact, and the smallest plan is the smallest."""

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from workbench.errors import BadInput
from workbench.label.records.sampling import SamplingPlan, acceptance_probability, smallest_plan


def plan(size, sample, accept, good=0.01, bad=0.05):
    return SamplingPlan(size=size, sample=sample, accept=accept, good=good, bad=bad)


@given(st.integers(1, 300), st.data())
def test_the_probability_is_that_of_scipy(size, data):
    bad, sample = data.draw(st.integers(0, size)), data.draw(st.integers(1, size))
    accept = data.draw(st.integers(0, sample))
    expected = hypergeom.cdf(accept, size, bad, sample)
    assert float(acceptance_probability(size, bad, sample, accept)) == pytest.approx(expected, abs=1e-9)


def test_the_probability_is_exact():
    # Of 10 rows with 2 bad ones, 3 are drawn: C(8, 3) / C(10, 3) have no bad one.
    assert acceptance_probability(10, 2, 3, 0) == Fraction(56, 120)
    assert acceptance_probability(10, 2, 3, 1) == Fraction(56 + 2 * 28, 120)
    assert acceptance_probability(10, 2, 3, 2) == 1
    assert acceptance_probability(10, 0, 10, 0) == 1
    assert acceptance_probability(10, 10, 1, 0) == 0


def test_both_risks_are_those_of_a_good_and_a_bad_lot():
    found = plan(1000, 128, 3)
    assert found.producer_risk == pytest.approx(hypergeom.sf(3, 1000, 10, 128))
    assert found.consumer_risk == pytest.approx(hypergeom.cdf(3, 1000, 50, 128))
    assert found.describe() == (
        "128 of 1,000 rows are labelled; accepted if at most 3 are bad. Producer's risk 2.9% (rejected with 0.01 "
        "bad), consumer's risk 9.7% (accepted with 0.05 bad)."
    )
    # In a large lot, drawing without replacement is like drawing with it.
    large = plan(10**7, 128, 3)
    assert large.producer_risk == pytest.approx(binom.sf(3, 128, 0.01), abs=1e-5)
    assert large.consumer_risk == pytest.approx(binom.cdf(3, 128, 0.05), abs=1e-5)
    whole = plan(1000, 1000, 10)
    assert (whole.producer_risk, whole.consumer_risk) == (0, 0)


@pytest.mark.parametrize("size", [20, 90, 150])
@pytest.mark.parametrize(("good", "bad"), [(0.01, 0.1), (0.0, 0.05), (0.05, 0.2)])
def test_no_smaller_plan_has_these_risks(size, good, bad):
    found = smallest_plan(size, good=good, bad=bad)
    assert found.producer_risk <= 0.05
    assert found.consumer_risk <= 0.1
    count_good, count_bad = floor(Fraction(str(good)) * size), ceil(Fraction(str(bad)) * size)
    for sample in range(1, found.sample):
        for accept in range(sample):
            producer = hypergeom.sf(accept, size, count_good, sample)
            consumer = hypergeom.cdf(accept, size, count_bad, sample)
            assert producer > 0.05 or consumer > 0.1, (sample, accept)


def test_plans_for_many_rows_and_close_shares_are_found():
    found = smallest_plan(200_000, good=0.01, bad=0.015)
    assert (found.sample, found.accept) == (4083, 51)
    assert found.producer_risk == pytest.approx(hypergeom.sf(51, 200_000, 2000, 4083), rel=1e-6)
    assert found.consumer_risk == pytest.approx(hypergeom.cdf(51, 200_000, 3000, 4083), rel=1e-6)


@pytest.mark.parametrize(
    "numbers",
    [
        {"good": 0.05, "bad": 0.05},
        {"good": -0.1, "bad": 0.05},
        {"good": 0.1, "bad": 1.5},
        {"sample": 0},
        {"sample": 11},
        {"accept": 5},
        {"accept": -1},
    ],
)
def test_plans_that_contradict_themselves_are_refused(numbers):
    with pytest.raises(BadInput, match="lot"):
        plan(**{"size": 10, "sample": 5, "accept": 0, **numbers}).check()


def test_a_lot_without_rows_has_no_plan():
    with pytest.raises(BadInput):
        smallest_plan(0, good=0.01, bad=0.05)
