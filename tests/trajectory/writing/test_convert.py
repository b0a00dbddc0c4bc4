"""Converted rows contain everything that is not reported as lost."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties import examples
from tests.trajectory.trajectories import MARKED, PLAIN, trajectories
from workbench.trajectory.formats.known import FORMATS, WRITTEN
from workbench.trajectory.formats.row_format import RowContent
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import is_same_trajectory
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

CONVERSATIONS = [name for name in WRITTEN if FORMATS[name].content is RowContent.CONVERSATION]


@pytest.mark.parametrize("name", CONVERSATIONS)
@settings(max_examples=examples(200, few=20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trajectory=trajectories(), role=st.sampled_from(["tool", "user"]))
def test_a_written_conversation_reads_back_equal_except_for_reported_losses(name, trajectory, role):
    form = FORMATS[name]
    done = write_row(trajectory, form, RowOptions(result_role=role))
    assert done.row is not None, done.problems
    back = read_trajectory(form.read(json.loads(json.dumps(done.row)))).trajectory
    again = write_row(back, form, RowOptions(result_role=role))
    assert {loss.code for loss in again.losses} <= {"big-integers"}
    assert json.dumps(again.row) == json.dumps(done.row)
    if not done.changes and "source" in trajectory.columns:
        assert is_same_trajectory(replace(back, columns={}), replace(trajectory, columns={}))


@pytest.mark.parametrize("name", WRITTEN)
@settings(max_examples=examples(200, few=20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trajectory=trajectories(MARKED | PLAIN))
def test_texts_with_special_tokens_are_written_correctly_or_refused(name, trajectory):
    done = write_row(trajectory, FORMATS[name], RowOptions(label=True))
    assert (done.row is None) == bool(done.problems)
