"""A search finds what a scripted model needs, drops what harms it, and goes on after a kill as if nothing happened."""

import pytest

from tests.app.improve.planted import (
    BALLAST,
    HARMFUL,
    SHORTEST,
    USEFUL,
    PlantedModel,
    begin,
    chosen_text,
    search,
)
from tests.services import services_for
from workbench.records.runs import RunState
from workbench.suite.improve.outcome import Verdict


def searched(folder, *, kills=(), **settings):
    """Search in a new database, killed after each number of case runs, and return the run and its outcome."""
    folder.mkdir()
    with services_for(folder, "x") as (services, _):
        run_id = begin(services, **settings).id
        for stop_after in kills:
            search(services, run_id, PlantedModel(stop_after=stop_after))
        return search(services, run_id, PlantedModel())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
@pytest.mark.slow
def test_improve_keeps_the_three_useful_sentences_and_drops_the_two_harmful_ones(tmp_path, seed):
    stored, outcome = searched(tmp_path / "a", seed=seed, runs=3000)
    text = chosen_text(stored)
    assert all(sentence in text for sentence in USEFUL), text
    assert not any(sentence in text for sentence in HARMFUL), text
    assert outcome.verdict is Verdict.BETTER
    assert stored.listed.state is RunState.DONE
    assert stored.listed.done <= 3000


@pytest.mark.slow
def test_shrink_ends_within_a_tenth_of_the_shortest_contract(tmp_path):
    stored, outcome = searched(tmp_path / "a", mode="shrink", runs=3000)
    text = chosen_text(stored)
    assert len(text) <= 1.1 * len(SHORTEST), text
    assert all(sentence in text for sentence in USEFUL)
    assert not any(sentence in text for sentence in (*HARMFUL, *BALLAST))
    assert outcome.verdict is Verdict.BETTER


@pytest.mark.parametrize("mode", ["improve", "shrink"])
@pytest.mark.slow
def test_a_search_that_was_killed_ends_like_one_that_was_not(tmp_path, mode):
    whole, outcome = searched(tmp_path / "a", mode=mode, runs=1200)
    killed, again = searched(tmp_path / "b", kills=(10, 170, 400), mode=mode, runs=1200)
    assert killed.plan.search == whole.plan.search
    texts = [(arm.label, arm.contract_text) for arm in killed.plan.arms]
    assert texts == [(arm.label, arm.contract_text) for arm in whole.plan.arms]
    assert again == outcome


@pytest.mark.slow
def test_the_worth_of_each_paragraph_that_survives_is_measured(tmp_path):
    stored, _ = searched(tmp_path / "a", mode="shrink", runs=3000)
    left_out = [arm.left_out for arm in stored.plan.arms if arm.left_out_of == stored.plan.search.chosen]
    assert len(left_out) == 3
