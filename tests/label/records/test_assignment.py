"""Assignment of sessions to annotators."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.label.records.project import Assignment, plan_assignments

SESSIONS = st.lists(st.sampled_from("stuvwxyz"), unique=True)
ANNOTATORS = st.lists(st.sampled_from(["anna", "ben", "cleo", "dora"]), min_size=1, unique=True)


@given(sessions=SESSIONS, annotators=ANNOTATORS, data=st.data())
def test_each_session_gets_enough_annotators_and_the_load_is_even(sessions, annotators, data):
    overlap = data.draw(st.integers(min_value=1, max_value=len(annotators)))
    planned = plan_assignments(sessions, annotators, overlap=overlap)
    assert len(set(planned)) == len(planned)
    assert Counter(assignment.session_id for assignment in planned) == dict.fromkeys(sessions, overlap)
    load = Counter(assignment.annotator for assignment in planned)
    shares = [load[annotator] for annotator in annotators]
    assert max(shares) - min(shares) <= 1


@given(sessions=SESSIONS, annotators=ANNOTATORS)
def test_existing_assignments_are_not_repeated(sessions, annotators):
    planned = plan_assignments(sessions, annotators, overlap=1)
    assert plan_assignments(sessions, annotators, overlap=1, existing=planned) == []


def test_the_busiest_annotator_comes_last():
    given = [Assignment("s", "anna"), Assignment("t", "anna")]
    assert plan_assignments(["u"], ["anna", "ben"], overlap=1, existing=given) == [Assignment("u", "ben")]


def test_too_few_annotators_are_refused():
    with pytest.raises(BadInput, match="1 available, but each session needs 2"):
        plan_assignments(["s"], ["anna", "anna"], overlap=2)


def test_a_task_of_nobody_does_not_count_and_many_sessions_are_planned_quickly():
    ids = [str(number) for number in range(20_000)]
    existing = [Assignment(session_id, "") for session_id in ids]
    planned = plan_assignments(ids, ["ann", "ben", "cleo"], overlap=2, existing=existing)
    assert len(planned) == 40_000
    assert {name: sum(item.annotator == name for item in planned) for name in ("ann", "ben", "cleo")} == {
        "ann": 13_334, "ben": 13_333, "cleo": 13_333,
    }  # fmt: skip
    assert plan_assignments(ids, ["ann", "ben", "cleo"], overlap=2, existing=planned) == []
