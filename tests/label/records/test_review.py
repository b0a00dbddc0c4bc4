"""Where annotators disagree, and whose labels an annotator may see."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from workbench.chat.message import ToolCall
from workbench.label.records.review import compare_labels, visible_labels
from workbench.records.label import Label, LabelContent, LabelTarget, Verdict

TARGET = LabelTarget(session_id="s", message_id="m", call_index=0)
AT = datetime(2026, 1, 1, tzinfo=UTC)


def label(name, *, is_deciding=False, target=TARGET, **content):
    return Label(
        id=name, target=target, content=LabelContent(**content), annotator=name, project="p",
        is_deciding=is_deciding, revision=1, created_at=AT, updated_at=AT, corrected_at=None,
    )  # fmt: skip


CALL = ToolCall(name="f", arguments={"a": 1, "b": 2})
SAME_CALL = ToolCall(name="f", arguments={"b": 2, "a": 1}, arguments_text='{"b":2,"a":1}')


@pytest.mark.parametrize(
    ("first", "second", "about"),
    [
        ({"verdict": Verdict.RIGHT}, {"verdict": Verdict.RIGHT}, ()),
        ({"verdict": Verdict.RIGHT}, {"verdict": Verdict.NEEDLESS}, ("verdict",)),
        ({"verdict": Verdict.RIGHT}, {}, ()),
        ({"verdict": Verdict.NEEDLESS}, {}, ("verdict",)),
        ({"correction": CALL}, {"correction": SAME_CALL}, ()),
        ({"correction": CALL}, {"correction": replace(CALL, name="g")}, ("correction",)),
        ({"correction": CALL}, {}, ("correction",)),
        ({"answers": {"q": "yes", "r": "x"}}, {"answers": {"q": "no"}}, ("q",)),
        ({"rating": 1, "comment": "a", "tags": ("t",)}, {"rating": 5}, ()),
    ],
)
def test_annotators_disagree_about_verdicts_corrections_and_answers(first, second, about):
    comparison = compare_labels([label("ann", **first), label("ben", **second)], ["ann", "ben"])
    assert [dispute.about for dispute in comparison.disputes] == ([about] if about else [])
    assert comparison.undecided == len(comparison.disputes)


def test_an_annotator_without_a_label_disagrees_with_a_negative_verdict():
    comparison = compare_labels([label("ann", verdict=Verdict.NEEDLESS)], ["ann", "ben"])
    assert [dispute.about for dispute in comparison.disputes] == [("verdict",)]


def test_only_submitted_labels_are_compared_and_a_decision_settles_the_dispute():
    labels = [label("ann", verdict=Verdict.RIGHT), label("ben", verdict=Verdict.NEEDLESS)]
    assert compare_labels(labels, ["ann"]).disputes == ()
    decision = label("cleo", verdict=Verdict.RIGHT, is_deciding=True)
    decided = compare_labels([*labels, decision], ["ann", "ben"])
    assert (decided.undecided, decided.disputes[0].decision) == (0, decision)
    assert [one.annotator for one in decided.disputes[0].labels] == ["ann", "ben"]


def test_a_annotator_sees_others_after_submitting_and_who_decides_sees_all():
    labels = [label("ann"), label("ben"), label("cleo", is_deciding=True)]
    seen = [
        [one.annotator for one in visible_labels(labels, "ann", sees_all=sees_all, has_submitted=submitted)]
        for sees_all, submitted in ((False, False), (False, True), (True, False))
    ]
    assert seen == [["ann"], ["ann", "ben", "cleo"], ["ann", "ben", "cleo"]]
