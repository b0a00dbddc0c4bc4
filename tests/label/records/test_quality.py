"""Outcomes of rows, verdicts on lots, and the accuracy of annotators on gold rows. Labels of models count as none."""

from datetime import UTC, datetime

import pytest

from workbench.label.records.agreement import AnnotatorVerdict, ItemKind, project_agreement
from workbench.label.records.quality import (
    Lot,
    LotState,
    LotVerdict,
    RowOutcome,
    gold_accuracies,
    row_outcome,
)
from workbench.label.records.sampling import SamplingPlan
from workbench.records.corpus.label_summary import NO_LABELS, summarize_labels
from workbench.records.label import Label, LabelContent, LabelTarget, Verdict, label_json
from workbench.records.label_words import QueueState

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DONE, DRAFT, DISCARDED = QueueState.DONE, QueueState.DRAFT, QueueState.DISCARDED


def label(annotator, verdict=None, *, row="s", message="m", deciding=False, model=False, **answers):
    return Label(
        id="id",
        target=LabelTarget(session_id=row, message_id=message),
        content=LabelContent(verdict=verdict, answers=answers),
        annotator=annotator,
        project="p",
        is_deciding=deciding,
        is_model=model,
        revision=1,
        created_at=NOW,
        updated_at=NOW,
        corrected_at=None,
    )


GOOD, BAD = Verdict.GOOD, Verdict.BAD_ANSWER


@pytest.mark.parametrize(
    ("labels", "states", "outcome"),
    [
        ([], {}, RowOutcome.OPEN),
        ([], {"ben": QueueState.PENDING}, RowOutcome.OPEN),
        ([label("ben", GOOD)], {"ben": DONE}, RowOutcome.GOOD),
        ([], {"ben": DONE}, RowOutcome.GOOD),
        ([label("ben", BAD)], {"ben": DONE}, RowOutcome.BAD),
        ([label("ben", BAD)], {"ben": DRAFT}, RowOutcome.OPEN),
        ([label("ben", BAD), label("cleo", BAD)], {"ben": DONE, "cleo": DONE}, RowOutcome.BAD),
        ([label("ben", BAD), label("cleo", GOOD)], {"ben": DONE, "cleo": DONE}, RowOutcome.OPEN),
        (
            [label("ben", BAD), label("cleo", GOOD), label("dora", GOOD, deciding=True)],
            {"ben": DONE, "cleo": DONE},
            RowOutcome.GOOD,
        ),
        (
            [label("ben", GOOD), label("cleo", GOOD), label("dora", BAD, deciding=True)],
            {"ben": DONE, "cleo": DONE},
            RowOutcome.BAD,
        ),
        ([label("ben", BAD)], {"ben": DONE, "cleo": DRAFT}, RowOutcome.OPEN),
        ([], {"ben": DISCARDED}, RowOutcome.BAD),
        ([label("m", BAD, model=True), label("ben", GOOD)], {"ben": DONE}, RowOutcome.GOOD),
        ([label("ben", BAD, model=True)], {"ben": DONE}, RowOutcome.GOOD),
        ([label("ben", Verdict.FIRST_BETTER)], {"ben": DONE}, RowOutcome.GOOD),
        ([label("ben", Verdict.TIE)], {"ben": DONE}, RowOutcome.BAD),
    ],
)
def test_a_row_is_good_or_bad_by_what_people_found(labels, states, outcome):
    assert row_outcome(labels, states) is outcome


PLAN = SamplingPlan(size=100, sample=5, accept=1, good=0.01, bad=0.3)


@pytest.mark.parametrize(
    ("judged", "bad", "verdict"),
    [
        (0, 0, "open"),
        (3, 0, "open"),
        (4, 0, "accepted"),
        (4, 1, "open"),
        (5, 1, "accepted"),
        (2, 2, "rejected"),
        (5, 2, "rejected"),
    ],
)
def test_a_lot_is_decided_as_soon_as_the_rest_cannot_change_it(judged, bad, verdict):
    lot = Lot(name="a", chosen="", plan=PLAN, seed=0, rows=(), created_at=NOW)
    state = LotState(lot, judged, bad)
    assert state.verdict == verdict
    assert state.describe() == f"{verdict}: {judged} of 5 judged, {bad} bad"


def test_a_recorded_verdict_does_not_change():
    lot = Lot(
        name="a", chosen="", plan=PLAN, seed=0, rows=(), created_at=NOW, verdict=LotVerdict.ACCEPTED,
        bad_count=1, decided_at=NOW, decided_by="ann",
    )  # fmt: skip
    state = LotState(lot, 5, 4)
    assert state.verdict is LotVerdict.ACCEPTED
    assert state.describe() == "accepted with 1 bad, recorded on 2026-01-01 by ann"


def test_annotators_are_measured_by_what_is_known():
    known = [
        label("ann", GOOD, row="r1", message="m1", deciding=True, polite="yes"),
        label("ann", BAD, row="r1", message="m2", deciding=True),
        label("ann", BAD, row="r2", message="m3", deciding=True),
    ]
    given = [
        label("ben", BAD, row="r1", message="m2"),
        label("ben", GOOD, row="r2", message="m3"),
        label("cleo", BAD, row="r2", message="m3"),
        label("judge", BAD, row="r1", message="m1", model=True, polite="yes"),
        label("judge", Verdict.MISSING_CALL, row="r1", message="m2", model=True),
    ]
    found = gold_accuracies([*known, *given], {"r1": ["ben"], "r2": ["ben", "cleo"]})
    # Ben: m1 without a verdict is found fine, but the question has no answer; m2 right; m3 wrong.
    assert [(one.name, one.is_model, one.right, one.total) for one in found] == [
        ("ben", False, 2, 4),
        ("cleo", False, 1, 1),
        ("judge", True, 1, 3),
    ]
    assert found[0].describe() == "ben: 50% right (2 of 4), 95 % interval 15% to 85%"
    assert found[2].describe().startswith("judge (model): 33% right")
    assert gold_accuracies([], {}) == []


def judgement(annotator, item, verdict, *, model=False):
    return AnnotatorVerdict(
        kind=ItemKind.CALL, item=item, row=item, annotator=annotator, verdict=verdict, is_model=model
    )


def test_a_model_agrees_beside_people_and_never_among_them():
    people = [judgement(name, item, "right") for name in ("ben", "cleo") for item in "abc"]
    people[2] = judgement("ben", "c", "needless")
    alone = project_agreement(people)
    model = [
        judgement("judge (model)", item, "right" if item != "c" else "needless", model=True) for item in "abc"
    ]
    both = project_agreement([*people, *model])
    assert both.kinds == alone.kinds
    assert alone.models == {}
    [with_ben, with_cleo] = both.models["calls"]
    assert (with_ben.annotators, with_ben.agreed_count, with_ben.kappa) == (("ben", "judge (model)"), 3, 1.0)
    assert (with_cleo.annotators, with_cleo.agreed_count) == (("cleo", "judge (model)"), 2)
    only = project_agreement(model)
    assert (only.kinds, only.models) == ({}, {})


def test_exports_and_receipts_do_not_count_labels_of_models():
    labels = [label("judge", BAD, model=True)]
    assert summarize_labels(labels).get("m", NO_LABELS) == NO_LABELS
    assert summarize_labels([*labels, label("ben", GOOD)])["m"].is_good is True
    assert label_json(labels[0])["kind"] == "model"
    assert "kind" not in label_json(label("ben", GOOD))
