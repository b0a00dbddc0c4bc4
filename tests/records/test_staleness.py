"""Which messages are stale after a correction."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records.staleness import PathStep, find_stale

MOMENTS = st.integers(min_value=0, max_value=6).map(lambda minute: at(minute))
STEPS = st.builds(
    PathStep,
    message_id=st.just(""),
    created_at=MOMENTS,
    corrected_at=st.none() | MOMENTS,
    accepted_at=st.none() | MOMENTS,
)
PATHS = st.lists(STEPS, max_size=8).map(
    lambda steps: [replace(step, message_id=str(place)) for place, step in enumerate(steps)]
)


def at(minute):
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)


def step(message_id, created, *, corrected=None, accepted=None):
    return PathStep(
        message_id=message_id,
        created_at=at(created),
        corrected_at=None if corrected is None else at(corrected),
        accepted_at=None if accepted is None else at(accepted),
    )


@pytest.mark.parametrize(
    ("path", "stale"),
    [
        ([], ()),
        ([step("a", 0), step("b", 1)], ()),
        ([step("a", 0, corrected=9), step("b", 1), step("c", 2)], ("b", "c")),
        ([step("a", 0), step("b", 1, corrected=9), step("c", 2)], ("c",)),
        ([step("a", 0, corrected=5), step("b", 6), step("c", 7)], ()),
        ([step("a", 0, corrected=5), step("b", 5)], ("b",)),
        ([step("a", 0, corrected=5), step("b", 1, accepted=5), step("c", 2)], ("c",)),
        ([step("a", 0, corrected=5), step("b", 1, accepted=4)], ("b",)),
        ([step("a", 0, corrected=8), step("b", 1, corrected=3), step("c", 2, accepted=5)], ("b", "c")),
    ],
    ids=[
        "empty", "none corrected", "all after", "none before", "made again", "made at that moment",
        "accepted", "accepted before", "the latest of two",
    ],
)  # fmt: skip
def test_examples(path, stale):
    assert find_stale(path) == stale


@given(path=PATHS)
def test_messages_up_to_the_first_correction_are_not_stale(path):
    first = next((place for place, step in enumerate(path) if step.corrected_at), len(path))
    assert not set(find_stale(path)) & {step.message_id for step in path[: first + 1]}


@given(path=PATHS, place=st.integers(min_value=0, max_value=7))
def test_another_correction_does_not_make_stale_messages_valid(path, place):
    if place < len(path):
        later = [*path]
        later[place] = replace(later[place], corrected_at=at(99))
        assert set(find_stale(path)) <= set(find_stale(later))
        assert set(find_stale(later)) >= {step.message_id for step in path[place + 1 :]} - {
            step.message_id for step in path if step.accepted_at == at(99)
        }


@given(path=PATHS)
def test_accepting_a_message_affects_only_that_message(path):
    before = find_stale(path)
    for message_id in before:
        accepted = [
            replace(step, accepted_at=at(99)) if step.message_id == message_id else step for step in path
        ]
        assert find_stale(accepted) == tuple(step for step in before if step != message_id)
