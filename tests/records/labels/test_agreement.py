"""Cohen's kappa: worked examples, properties, and reasons why it is not defined."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records.labels.agreement import AnnotatorVerdict, agreement_of, cohens_kappa

VERDICTS = st.sampled_from(["right", "wrong-tool", "needless"])
PAIRS = st.lists(st.tuples(VERDICTS, VERDICTS), min_size=1, max_size=30)


def judged(**verdicts):
    """Return verdicts by labeller: each letter is the verdict on the next item, `.` means no verdict."""
    return [
        AnnotatorVerdict(item=str(place), labeller=labeller, verdict=verdict)
        for labeller, row in verdicts.items()
        for place, verdict in enumerate(row)
        if verdict != "."
    ]


def table(both, only_first, only_second, neither):
    return (
        [("y", "y")] * both + [("y", "n")] * only_first + [("n", "y")] * only_second + [("n", "n")] * neither
    )


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        (table(20, 5, 10, 15), Fraction(2, 5)),
        (table(45, 15, 25, 15), Fraction(3, 23)),
        (table(25, 35, 5, 35), Fraction(7, 27)),
        (table(1, 0, 0, 1), Fraction(1)),
        (table(0, 1, 1, 0), Fraction(-1)),
        (table(1, 1, 1, 1), Fraction(0)),
        (table(0, 1, 0, 0), Fraction(0)),
        (table(9, 0, 0, 0), None),
    ],
)
def test_worked_examples(pairs, kappa):
    assert cohens_kappa(pairs) == kappa


@given(pairs=PAIRS)
def test_kappa_is_between_minus_one_and_one_and_is_one_only_if_all_agree(pairs):
    kappa = cohens_kappa(pairs)
    if kappa is not None:
        assert -1 <= kappa <= 1
        assert (kappa == 1) == all(first == second for first, second in pairs)


@given(pairs=PAIRS)
def test_order_and_names_of_verdicts_do_not_matter(pairs):
    kappa = cohens_kappa(pairs)
    assert cohens_kappa([(second, first) for first, second in pairs]) == kappa
    assert cohens_kappa(pairs[::-1]) == kappa
    assert cohens_kappa([(first + "!", second + "!") for first, second in pairs]) == kappa
    assert cohens_kappa(pairs * 3) == kappa


def test_kappa_of_two_labellers_uses_the_items_that_both_labelled():
    found = agreement_of(judged(anna="yynn.", ben="ynnny"))
    (pair,) = found.pairs
    assert (pair.labellers, pair.item_count, pair.agreed_count) == (("anna", "ben"), 4, 3)
    assert found.kappa == pair.kappa == 0.5
    assert (found.item_count, found.problem) == (4, "")


def test_kappa_of_several_labellers_is_the_mean_of_the_pairs():
    found = agreement_of(judged(anna="yynn", ben="ynnn", cleo="yynn", dora="...."))
    assert [pair.kappa for pair in found.pairs] == [0.5, 1.0, 0.5]
    assert found.kappa == pytest.approx(2 / 3)
    alone = agreement_of(judged(anna="yn...", ben="yn...", cleo="...yn"))
    assert [pair.kappa for pair in alone.pairs] == [1.0, None, None]
    assert (alone.kappa, alone.item_count) == (1.0, 2)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ({}, "fewer than two labellers"),
        ({"anna": "yn"}, "fewer than two labellers"),
        ({"anna": "yy", "ben": "yy"}, "both always chose 'y', so chance would agree too"),
        ({"anna": "y.", "ben": ".y"}, "they labelled no item in common"),
        ({"anna": "y.", "ben": ".y", "cleo": "y."}, "no two labellers have a kappa"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_undefined_kappa_has_a_reason(rows, problem):
    found = agreement_of(judged(**rows))
    assert (found.kappa, found.problem) == (None, problem)


def test_the_last_verdict_of_a_labeller_counts():
    one, other = judged(anna="y")[0], judged(ben="y")[0]
    changed = AnnotatorVerdict(item="0", labeller="anna", verdict="n")
    assert agreement_of([one, other, changed]).pairs[0].agreed_count == 0
    kappas = {agreement_of(order).kappa for order in permutations(judged(anna="yn", ben="nn"))}
    assert len(kappas) == 1
