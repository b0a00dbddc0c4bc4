"""A mix takes the right number of rows of each file, each row as often as its weight says, in a random order."""

from collections import Counter
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.trajectory.sets.mix import choose_rows, mixed_order, parse_weights, share_weights, taken_rows

WEIGHTS = st.fractions(min_value=Fraction(1, 100), max_value=4, max_denominator=100)


@given(st.integers(1, 60), WEIGHTS, st.integers(0, 5))
def test_each_row_is_taken_as_often_as_the_weight_says(rows, weight, seed):
    taken = taken_rows(rows, weight)
    chosen = list(choose_rows(rows, taken, str(seed)))
    assert chosen == list(choose_rows(rows, taken, str(seed)))
    assert len(chosen) == taken
    assert abs(taken - rows * weight) <= Fraction(1, 2)
    times = Counter(row.place for row in chosen)
    assert set(times.values()) <= {taken // rows, taken // rows + 1}
    if weight <= 1:
        assert set(times.values()) <= {1}
    # The rows of one pass are in the order of the file, and a row is taken once in each pass.
    assert [(row.turn, row.place) for row in chosen] == sorted(set(chosen))


def test_every_selection_has_the_same_probability():
    selections = Counter(tuple(row.place for row in choose_rows(4, 2, str(seed))) for seed in range(6000))
    assert len(selections) == 6
    # The standard deviation of each count is 29.
    assert all(abs(count - 1000) < 150 for count in selections.values())


@given(st.lists(st.integers(0, 30), min_size=1, max_size=5), st.integers(0, 5))
def test_the_order_has_every_row_of_every_file(taken, seed):
    order = list(mixed_order(taken, str(seed)))
    assert order == list(mixed_order(taken, str(seed)))
    assert [order.count(index) for index in range(len(taken))] == taken


def test_every_order_has_the_same_probability():
    orders = Counter(tuple(mixed_order([2, 2], str(seed))) for seed in range(6000))
    assert len(orders) == 6
    assert all(abs(count - 1000) < 150 for count in orders.values())


def test_a_seed_gives_the_same_rows_in_every_version():
    assert [row.place for row in choose_rows(10, 3, "0")] == CHOSEN
    assert list(mixed_order([3, 3], "0")) == ORDER


CHOSEN, ORDER = [4, 5, 7], [1, 0, 0, 1, 0, 1]


def test_rows_are_chosen_one_by_one():
    size = 10**15
    first = list(islice(choose_rows(size, size // 2, "1"), 3))
    assert first[0].place < first[1].place < first[2].place < 100
    assert list(islice(mixed_order([size, 1], "1"), 3)) == [0, 0, 0]


@given(st.lists(st.tuples(WEIGHTS, st.integers(1, 1000)), min_size=1, max_size=4))
def test_shares_give_the_largest_mix_without_a_row_twice(files):
    shares, rows = [share for share, _ in files], [count for _, count in files]
    weights = share_weights(shares, rows)
    assert max(weights) == 1
    sizes = [weight * count for weight, count in zip(weights, rows, strict=True)]
    assert [size / sum(sizes) for size in sizes] == [share / sum(shares) for share in shares]


def test_shares_are_the_probabilities_of_interleave_datasets():
    """Like its `first_exhausted`, but exactly and without its last draws: 1,000 and 300 rows as 70 to 30."""
    weights = share_weights([Fraction("0.7"), Fraction("0.3")], [1000, 300])
    assert [taken_rows(*pair) for pair in zip([1000, 300], weights, strict=True)] == [700, 300]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not a list of positive numbers"),
        ("1,x", "not a list of positive numbers"),
        ("1,0", "not a list of positive numbers"),
        ("1,-2", "not a list of positive numbers"),
        ("1,nan", "not a list of positive numbers"),
        ("1,inf", "not a list of positive numbers"),
        ("1,1/0", "not a list of positive numbers"),
        ("1", "1 for 2 files"),
        ("1,2,3", "3 for 2 files"),
    ],
)
def test_invalid_weights_are_refused(text, problem):
    with pytest.raises(BadInput, match=problem):
        parse_weights(text, 2, "--weights")
