"""Statistics, held against scipy."""

import pytest
from scipy import stats

from workbench.suite.compare import ArmPoint, Interval, front, mcnemar, pass_hat, wilson


@pytest.mark.parametrize(
    ("passed", "total"), [(0, 1), (1, 1), (3, 5), (0, 40), (40, 40), (81, 263), (999, 1000)]
)
def test_the_interval_is_wilson_s(passed, total):
    theirs = stats.binomtest(passed, total).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(passed, total) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_nothing_is_known_of_no_plays():
    assert wilson(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (1, 0), (5, 0), (0, 6), (4, 9), (12, 12), (7, 17)])
def test_few_pairs_are_counted_exactly(better, worse):
    theirs = stats.binomtest(better, better + worse, 0.5).pvalue
    assert mcnemar(better, worse) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("better", "worse"), [(25, 0), (20, 30), (121, 59), (13, 13)])
def test_many_pairs_are_chi_squared(better, worse):
    statistic = max(abs(better - worse) - 1, 0) ** 2 / (better + worse)
    assert mcnemar(better, worse) == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-9)


def test_runs_that_do_not_differ_differ_by_chance():
    assert mcnemar(0, 0) == 1.0


@pytest.mark.parametrize(("passed", "total", "k"), [(3, 4, 1), (3, 4, 2), (4, 4, 4), (2, 4, 3)])
def test_pass_hat_is_the_chance_of_k_draws_without_a_failure(passed, total, k):
    assert pass_hat(passed, total, k) == pytest.approx(stats.hypergeom(total, passed, k).pmf(k))


def test_there_are_no_more_draws_than_plays():
    with pytest.raises(ValueError, match="5 of 4 plays"):
        pass_hat(1, 4, 5)


def test_the_front_is_what_no_other_beats():
    points = {name: ArmPoint(label=name, cost=cost, worth=worth) for name, cost, worth in [
        ("cheap", 10, 0.5), ("same", 10, 0.5), ("dear", 30, 0.9), ("beaten", 30, 0.5), ("worse", 10, 0.4),
    ]}  # fmt: skip
    assert [one.label for one in front(tuple(points.values()))] == ["cheap", "same", "dear"]
