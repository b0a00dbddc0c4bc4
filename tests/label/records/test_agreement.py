"""Cohen's kappa: worked examples, properties, and reasons why it is not defined."""

import random
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.label.records.agreement import (
    AnnotatorVerdict,
    ItemKind,
    agreement_of,
    cohens_kappa,
    krippendorffs_alpha,
    project_agreement,
)

VERDICTS = st.sampled_from(["right", "wrong-tool", "needless"])
PAIRS = st.lists(st.tuples(VERDICTS, VERDICTS), min_size=1, max_size=30)


def given_verdict(kind=ItemKind.MESSAGE, item="0", row="r", annotator="anna", verdict="n", question=""):
    return AnnotatorVerdict(
        kind=kind, item=item, row=row, annotator=annotator, verdict=verdict, question=question
    )


def judged(**verdicts):
    """Return verdicts by annotator: each letter is the verdict on the next item, `.` means no verdict."""
    return [
        given_verdict(item=str(place), annotator=annotator, verdict=verdict)
        for annotator, row in verdicts.items()
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


def test_kappa_of_two_annotators_uses_the_items_that_both_labelled():
    found = agreement_of(judged(anna="yynn.", ben="ynnny"))
    (pair,) = found.pairs
    assert (pair.annotators, pair.item_count, pair.agreed_count) == (("anna", "ben"), 4, 3)
    assert found.kappa == pair.kappa == 0.5
    assert (found.item_count, found.problem) == (4, "")


def test_kappa_of_several_annotators_is_the_mean_of_the_pairs():
    found = agreement_of(judged(anna="yynn", ben="ynnn", cleo="yynn", dora="...."))
    assert [pair.kappa for pair in found.pairs] == [0.5, 1.0, 0.5]
    assert found.kappa == pytest.approx(2 / 3)
    alone = agreement_of(judged(anna="yn...", ben="yn...", cleo="...yn"))
    assert [pair.kappa for pair in alone.pairs] == [1.0, None, None]
    assert (alone.kappa, alone.item_count) == (1.0, 2)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ({}, "fewer than two annotators"),
        ({"anna": "yn"}, "fewer than two annotators"),
        ({"anna": "yy", "ben": "yy"}, "both always chose 'y', so chance would agree too"),
        ({"anna": "y.", "ben": ".y"}, "they labelled no item in common"),
        ({"anna": "y.", "ben": ".y", "cleo": "y."}, "no two annotators have a kappa"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_undefined_kappa_has_a_reason(rows, problem):
    found = agreement_of(judged(**rows))
    assert (found.kappa, found.problem) == (None, problem)


def test_the_last_verdict_of_a_annotator_counts():
    one, other = judged(anna="y")[0], judged(ben="y")[0]
    changed = given_verdict()
    assert agreement_of([one, other, changed]).pairs[0].agreed_count == 0
    kappas = {agreement_of(order).kappa for order in permutations(judged(anna="yn", ben="nn"))}
    assert len(kappas) == 1


CODES = {"right": 0, "wrong-tool": 1, "needless": 2}
MATRICES = st.lists(st.lists(st.sampled_from([*CODES, "."]), min_size=6, max_size=6), min_size=2, max_size=5)


@given(pairs=PAIRS)
def test_kappa_is_that_of_scikit_learn(pairs):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed (extra dev)")
    kappa = cohens_kappa(pairs)
    if kappa is not None:
        assert float(kappa) == pytest.approx(metrics.cohen_kappa_score(*zip(*pairs, strict=True)))


@given(rows=MATRICES)
def test_alpha_is_that_of_krippendorff(rows):
    package = pytest.importorskip("krippendorff", reason="krippendorff is not installed (extra dev)")
    items = [[value for value in column if value != "."] for column in zip(*rows, strict=True)]
    alpha = krippendorffs_alpha(items)
    if alpha is not None:
        values = [[CODES.get(value, float("nan")) for value in row] for row in rows]
        theirs = package.alpha(
            reliability_data=values, level_of_measurement="nominal", value_domain=[0, 1, 2]
        )
        assert float(alpha) == pytest.approx(theirs, abs=1e-9)


def test_alpha_takes_missing_labels_and_any_number_of_annotators():
    assert krippendorffs_alpha([["y", "y"], ["n", "n"], ["y"]]) == 1
    assert krippendorffs_alpha([["y", "n"], ["n", "y"]]) == Fraction(-1, 2)
    assert krippendorffs_alpha([["y", "y"], ["y", "y"]]) is None
    assert krippendorffs_alpha([["y"], []]) is None


@given(pairs=PAIRS)
def test_alpha_does_not_depend_on_order_or_names(pairs):
    alpha = krippendorffs_alpha(pairs)
    assert krippendorffs_alpha([pair[::-1] for pair in pairs[::-1]]) == alpha
    assert krippendorffs_alpha([[value + "!" for value in pair] for pair in pairs]) == alpha
    if alpha is not None:
        assert alpha <= 1
        assert (alpha == 1) == all(first == second for first, second in pairs)


def test_kappa_is_reported_for_two_annotators_and_alpha_otherwise():
    assert agreement_of(judged(anna="yynn", ben="ynnn")).measure == ("kappa", 0.5)
    measure, value = agreement_of(judged(anna="yynn", ben="ynnn", cleo="yynn")).measure
    assert (measure, value) == ("alpha", pytest.approx(0.64, abs=0.05))
    assert agreement_of(judged(anna="y.", ben=".y")).measure == ("kappa", None)


def test_each_question_has_its_own_agreement():
    answers = [
        given_verdict(
            kind=ItemKind.QUESTION if question else ItemKind.CALL,
            item=str(item),
            annotator=annotator,
            verdict=verdict,
            question=question,
        )
        for annotator, question, row in (("a", "", "yn"), ("b", "", "yn"), ("a", "q", "yn"), ("b", "q", "ny"))
        for item, verdict in enumerate(row)
    ]
    found = project_agreement(answers)
    assert {kind: agreed.kappa for kind, agreed in found.kinds.items()} == {ItemKind.CALL: 1.0}
    assert {name: agreed.kappa for name, agreed in found.questions.items()} == {"q": -1.0}
    assert not project_agreement([]).kinds


KINDS = {
    ItemKind.CALL: ["right"] * 14 + ["bad-arguments"] * 4 + ["wrong-tool"] * 2,
    ItemKind.MESSAGE: ["good"] * 18 + ["bad-answer"] * 2,
    ItemKind.PAIR: ["first-better", "second-better", "tie"],
}


def noise(seed, *, rows=60, overlap=2):
    """Random verdicts of three annotators: a row has a call, a message and a pair, and two annotators."""
    draw = random.Random(seed)
    return [
        given_verdict(
            kind=kind, item=f"{row}-{kind}", row=str(row), annotator=annotator, verdict=draw.choice(verdicts)
        )
        for row in range(rows)
        for annotator in draw.sample(["anna", "ben", "cleo"], overlap)
        for kind, verdicts in KINDS.items()
    ]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("by_row", [False, True])
def test_random_verdicts_agree_no_more_than_by_chance(seed, by_row):
    found = project_agreement(noise(seed, rows=240), by_row=by_row)
    assert found.kinds.keys() == KINDS.keys()
    for kind, agreed in found.kinds.items():
        assert abs(agreed.alpha) < 0.15, kind


def test_pooled_kinds_would_look_reliable():
    """What the separate figures avoid: of the same noise, pooled, alpha says that labels can be relied on."""
    assert agreement_of(noise(1)).alpha > 0.5


def test_a_row_with_many_calls_counts_once_by_row():
    many = [
        given_verdict(kind=ItemKind.CALL, item=f"r-{call}", row="r", annotator=annotator, verdict="right")
        for call in range(20)
        for annotator in ("anna", "ben")
    ]
    wrong = [
        given_verdict(kind=ItemKind.CALL, item="s-0", row="s", annotator=annotator, verdict=verdict)
        for annotator, verdict in (("anna", "right"), ("ben", "wrong-tool"))
    ]
    by_item, by_row = (project_agreement(many + wrong, by_row=each) for each in (False, True))
    assert (by_item.kinds[ItemKind.CALL].item_count, by_row.kinds[ItemKind.CALL].item_count) == (21, 2)
    corrected = given_verdict(kind=ItemKind.CALL, item="r-3", row="r", annotator="ben", verdict="needless")
    (pair,) = project_agreement([*many, *wrong, corrected], by_row=True).kinds[ItemKind.CALL].pairs
    assert (pair.item_count, pair.agreed_count) == (2, 0)
