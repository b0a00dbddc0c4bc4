"""Assignment of sessions to labellers."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.records.labels.project import Assignment, plan_assignments

SESSIONS = st.lists(st.sampled_from("stuvwxyz"), unique=True)
LABELLERS = st.lists(st.sampled_from(["anna", "ben", "cleo", "dora"]), min_size=1, unique=True)


@given(sessions=SESSIONS, labellers=LABELLERS, data=st.data())
def test_each_session_gets_enough_labellers_and_the_load_is_even(sessions, labellers, data):
    overlap = data.draw(st.integers(min_value=1, max_value=len(labellers)))
    planned = plan_assignments(sessions, labellers, overlap=overlap)
    assert len(set(planned)) == len(planned)
    assert Counter(assignment.session_id for assignment in planned) == dict.fromkeys(sessions, overlap)
    load = Counter(assignment.labeller for assignment in planned)
    shares = [load[labeller] for labeller in labellers]
    assert max(shares) - min(shares) <= 1


@given(sessions=SESSIONS, labellers=LABELLERS)
def test_existing_assignments_are_not_repeated(sessions, labellers):
    planned = plan_assignments(sessions, labellers, overlap=1)
    assert plan_assignments(sessions, labellers, overlap=1, existing=planned) == []


def test_the_busiest_labeller_comes_last():
    given = [Assignment("s", "anna"), Assignment("t", "anna")]
    assert plan_assignments(["u"], ["anna", "ben"], overlap=1, existing=given) == [Assignment("u", "ben")]


def test_too_few_labellers_are_refused():
    with pytest.raises(BadInput, match="1 available, but each session needs 2"):
        plan_assignments(["s"], ["anna", "anna"], overlap=2)
