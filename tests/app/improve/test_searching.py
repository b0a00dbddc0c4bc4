"""Budgets, refusals, stopping, and taking a candidate over."""

from dataclasses import replace

import pytest

from tests.app.improve.planted import USEFUL, PlantedModel, begin, chosen_text, search
from tests.services import services_for
from workbench.app.improve.running import execute_any
from workbench.app.improve.starting import refuse_lent_model
from workbench.app.improve.taking import outcome_for, take_candidate
from workbench.app.runs.failing import plan_failing
from workbench.app.runs.running import find_run
from workbench.errors import BadInput
from workbench.records.owner import Owner, UserRole
from workbench.records.runs import RunState
from workbench.records.versions import VersionKind
from workbench.settings import Secret
from workbench.suite.improve.outcome import Verdict
from workbench.suite.improve.tables import verdict_line
from workbench.suite.runner import RunEnded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        pytest.param({"runs": 150}, "case runs", id="runs"),
        pytest.param({"runs": 3000, "tokens": 20_000}, "tokens", id="tokens"),
    ],
)
def test_a_budget_holds_and_is_named(tmp_path, budget, reason):
    with services_for(tmp_path, "x") as (services, _):
        model = PlantedModel()
        stored, outcome = search(services, begin(services, **budget).id, model)
        results = services.runs.results(stored.id)
    assert outcome.verdict is not None
    assert stored.plan.search.ended == f"the budget of {reason} is spent"
    assert model.runs <= budget["runs"]
    tokens = sum(result.measures.prompt_tokens + result.measures.completion_tokens for result in results)
    assert tokens <= 1.1 * budget.get("tokens", tokens)


@pytest.mark.slow
def test_lengths_that_the_model_does_not_report_are_marked_as_estimates(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        model = PlantedModel(reports_tokens=False)
        stored, outcome = search(services, begin(services, runs=800, mode="shrink").id, model)
    assert all(row.tokens_text.startswith("≈ ") for row in outcome.rows)
    assert "Estimated prompt tokens: -" in verdict_line(stored.plan.search, outcome)


def test_a_budget_of_tokens_that_the_model_does_not_report_is_not_ignored(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        model = PlantedModel(reports_tokens=False)
        stored, _ = search(services, begin(services, runs=800, tokens=20_000).id, model)
    assert stored.plan.search.ended == "the model's server reports no tokens, so their budget cannot be kept"


def test_a_small_suite_and_a_small_budget_are_refused(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        with pytest.raises(BadInput, match="families"):
            begin(services, count=4)
        with pytest.raises(BadInput, match="too small"):
            begin(services, runs=20)


@pytest.mark.slow
def test_a_stopped_search_can_be_resumed(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        stored, model = begin(services, runs=400), PlantedModel()
        events = list(execute_any(services, stored, is_cancelled=lambda: model.runs >= 100, executor=model))
        assert isinstance(events[-1], RunEnded) and events[-1].is_cancelled
        assert find_run(services, stored.id).listed.state is RunState.STOPPED
        done, outcome = search(services, stored.id, PlantedModel())
        assert done.listed.state is RunState.DONE and outcome.verdict is not None


@pytest.mark.slow
def test_a_candidate_becomes_a_version_with_its_proof_and_nothing_else_does(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        stored, _ = search(services, begin(services, runs=800, mode="shrink").id, PlantedModel())
        history = services.versions.history(VersionKind.CONTRACT, "planted", limit=9)
        assert len(history) == 1
        version = take_candidate(services, stored, stored.plan.search.chosen)
        assert version.number == 2 and chosen_text(stored) in version.text
        assert stored.id[:12] in version.message and "kept 15 of 15" in version.message
        with pytest.raises(BadInput, match="no result"):
            take_candidate(services, stored, "planted #000000")
        line = verdict_line(stored.plan.search, outcome_for(services, stored))
        assert line.startswith("Better. It passes 6 that the start fails")


@pytest.mark.slow
def test_each_look_at_the_kept_part_is_counted_and_makes_the_test_stricter(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        first, before = search(services, begin(services, runs=800, mode="shrink").id, PlantedModel())
        second, after = search(services, begin(services, runs=801, mode="shrink").id, PlantedModel())
    assert (first.plan.search.looks, second.plan.search.looks) == (1, 2)
    assert after.p == pytest.approx(2 * before.p)
    assert before.verdict is Verdict.BETTER and after.verdict is not Verdict.BETTER


def test_a_contract_without_anything_to_find_is_not_better(tmp_path):
    text = "\n\n".join((*USEFUL, "<tools>\n{{ tools }}\n</tools>"))
    with services_for(tmp_path, "x") as (services, _):
        stored, outcome = search(services, begin(services, text=text, runs=800).id, PlantedModel())
    assert stored.plan.search.chosen == "planted"
    assert outcome.verdict is Verdict.NOT_BETTER


@pytest.mark.slow
def test_running_the_failing_cases_of_a_search_again_is_an_ordinary_run_of_its_contract(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        stored, _ = search(services, begin(services, runs=200, mode="shrink").id, PlantedModel())
        plan = plan_failing(services, stored.plan, services.runs.results(stored.id), {})
    assert plan.search is None and [arm.label for arm in plan.arms] == ["planted"]


def test_a_visitor_needs_a_model_of_their_own(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        visitor = replace(services, owner=Owner(key="ann", role=UserRole.VISITOR))
        for models, token in ((("embedded",), Secret("t")), (("hf-inference:a/b",), None)):
            with pytest.raises(BadInput, match="own model"):
                refuse_lent_model(visitor, models, token)
        refuse_lent_model(visitor, ("hf-inference:a/b",), Secret("t"))
        refuse_lent_model(services, ("embedded",), None)
        for settings in ({}, {"reflect": "embedded"}, {"mode": "shrink"}):
            with pytest.raises(BadInput, match="own model"):
                begin(visitor, **settings)
        assert services.runs.list_runs() == visitor.runs.list_runs() == ()
