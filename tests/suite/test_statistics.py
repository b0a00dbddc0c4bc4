"""The statistics agree with SciPy."""

import pytest
from scipy import stats

from workbench.suite.compare import ArmPoint, Interval, mcnemar, pareto_front, pass_hat, wilson


@pytest.mark.parametrize(
    ("passed", "total"), [(0, 1), (1, 1), (3, 5), (0, 40), (40, 40), (81, 263), (999, 1000)]
)
def test_the_interval_is_the_wilson_interval(passed, total):
    expected = stats.binomtest(passed, total).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(passed, total) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_interval_without_repetitions_is_from_0_to_1():
    assert wilson(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("better", "worse"), [(0, 1), (1, 0), (5, 0), (0, 6), (4, 9), (12, 12), (7, 17)])
def test_with_few_pairs_the_test_is_exact(better, worse):
    expected = stats.binomtest(better, better + worse, 0.5).pvalue
    assert mcnemar(better, worse) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("better", "worse"), [(25, 0), (20, 30), (121, 59), (13, 13)])
def test_with_many_pairs_the_test_is_chi_squared(better, worse):
    statistic = max(abs(better - worse) - 1, 0) ** 2 / (better + worse)
    assert mcnemar(better, worse) == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-9)


def test_runs_without_differences_have_a_p_value_of_1():
    assert mcnemar(0, 0) == 1.0


@pytest.mark.parametrize(("passed", "total", "k"), [(3, 4, 1), (3, 4, 2), (4, 4, 4), (2, 4, 3)])
def test_pass_hat_is_the_probability_of_k_draws_without_a_failure(passed, total, k):
    assert pass_hat(passed, total, k) == pytest.approx(stats.hypergeom(total, passed, k).pmf(k))


def test_k_cannot_exceed_the_number_of_repetitions():
    with pytest.raises(ValueError, match="5 of 4 repetitions"):
        pass_hat(1, 4, 5)


def test_the_pareto_front_has_the_points_that_no_other_point_beats():
    points = {name: ArmPoint(label=name, cost=cost, worth=worth) for name, cost, worth in [
        ("cheap", 10, 0.5), ("same", 10, 0.5), ("dear", 30, 0.9), ("beaten", 30, 0.5), ("worse", 10, 0.4),
    ]}  # fmt: skip
    assert [point.label for point in pareto_front(tuple(points.values()))] == ["cheap", "same", "dear"]
