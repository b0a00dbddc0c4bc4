"""Runs of the Suites tab: one at a time for each owner, independent of the browser, stopped and continued."""

from dataclasses import replace
from types import SimpleNamespace

import gradio as gr
import pytest

from tests.services import services_for
from workbench.app.runs.failing import plan_failing
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, find_run
from workbench.app.runs.suites import load_suite
from workbench.errors import BadInput, StoreError
from workbench.records.owner import Owner
from workbench.records.runs import RunState, StoredRun
from workbench.suite.result import CaseStatus
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.present.suites.grid import GridFields
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.suites.parts import SuitesScreen
from workbench.ui.tabs.suites.result_events import RunResultEvents
from workbench.ui.tabs.suites.run_events import RunEvents

SLOW = {"text": "Hello there, " * 4, "seconds_per_token": 0.05}
FIELDS = GridFields(
    suites=["nonsense"], contracts=["minimal"], models=[""], tool_choices=["auto"], grammars=["on"], further=[],
    repeat=1, temperatures=["0"], top_ps=["1"], seed=0, max_tokens=64, tags=[], limit=2, timeout_s=60, judge="", person="",
)  # fmt: skip
REQUEST = SimpleNamespace(session_hash="tab", username=None, query_params={})
WAIT_S = 60


def stored_run(services, **options) -> StoredRun:
    plan = plan_run(
        services, RunRequest(suites=("nonsense",), limit=2, **options), [load_suite(services, "nonsense")]
    )
    return begin_run(services, plan)


def test_a_run_completes_in_its_own_thread(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        active_runs, stored = ActiveRuns(), stored_run(services)
        assert active_runs.begin(services, stored)
        one = active_runs.of(services.owner)
        assert one is None or one.over.wait(WAIT_S)
        assert active_runs.of(services.owner) is None
        found = find_run(services, stored.id)
        assert (found.listed.state, found.listed.done) == (RunState.DONE, 2)


def test_each_owner_has_one_run_at_a_time(tmp_path):
    with services_for(tmp_path, SLOW) as (services, _):
        active_runs = ActiveRuns()
        other = services.of(Owner(key="browser:x"))
        assert active_runs.begin(services, stored_run(services))
        assert not active_runs.begin(services, stored_run(services))
        assert active_runs.begin(other, stored_run(other))
        runs = [active_runs.of(services.owner), active_runs.of(other.owner)]
        active_runs.stop_all()
        assert all(one.over.wait(WAIT_S) for one in runs)
        assert find_run(services, runs[0].id).listed.state is RunState.STOPPED


def test_a_store_error_ends_the_run_and_is_reported(tmp_path):
    with services_for(tmp_path, SLOW) as (services, _):
        active_runs, stored = ActiveRuns(), stored_run(services)
        assert active_runs.begin(services, stored)
        services.runs.delete_run(stored.id)
        with pytest.raises(StoreError):
            ActiveRuns().begin(services, stored)
        one = active_runs.of(services.owner)
        assert one is None or one.over.wait(WAIT_S)
        assert isinstance(active_runs.last(services.owner).error, StoreError)
        assert active_runs.of(services.owner) is None


def fields(services, **changes):
    return FIELDS._replace(models=[services.settings.model], **changes)


def test_watching_without_a_run_changes_nothing(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        events = RunEvents(services, ActiveRuns())
        assert list(events.on_watch_shown(TabState(), None, REQUEST)) == [SuitesScreen()]
        assert list(events.on_watch_started(TabState(), REQUEST)) == [SuitesScreen()]


def test_a_run_is_started_watched_and_inspected(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        active_runs = ActiveRuns()
        events, looks = RunEvents(services, active_runs), RunResultEvents(services, active_runs)
        started = events.on_run(TabState(), "{}", REQUEST, None, *fields(services))
        assert started.bar.is_running
        run_id = started.run.id
        for screen in events.on_watch_started(TabState(), REQUEST):
            assert screen.notice is SAME
        # The run has ended by now, but the tab that started it still gets its result.
        assert next(events.on_watch_started(TabState(), REQUEST)).bar.note == "2 of 2 · 0 passed"
        # A run that ended before anybody watched it is still shown, and no other one is.
        looks_again = [
            list(events.on_watch_shown(TabState(), one, REQUEST)) for one in (run_id, None, "another")
        ]
        assert [one[0].bar is SAME for one in looks_again] == [False, True, True]
        assert looks_again[0][0].bar.note == "2 of 2 · 0 passed"
        shown = looks.on_show(TabState(), run_id, run_id, None, None, REQUEST)
        assert "2 of 2 results · done" in shown.run.note
        assert shown.comparison.changed == ()
        case = shown.run.rows[0].case
        view, _ = looks.on_case(
            TabState(), gr.EventData(None, {"run": run_id, "case": case, "arm": ""}), REQUEST
        )
        assert [message.role for message in view.runs[0].messages] == ["system", "user", "assistant"]
        gone, notice = looks.on_case(
            TabState(), gr.EventData(None, {"run": run_id, "case": "s/nowhere", "arm": ""}), REQUEST
        )
        assert gone is None and "no case" in notice.lines[0].text


def test_a_link_opens_the_run_and_its_case(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        stored = stored_run(services)
        services.runs.end_run(stored.id, RunState.STOPPED)
        events = RunEvents(services, ActiveRuns())
        link = {"run": stored.id, "case": "nonsense/zorbix-add", "arm": "minimal"}
        shown = events.on_open_run(TabState(), REQUEST, gr.EventData(None, link))
        assert (shown.run.id, shown.run.picked.case, shown.run.can_resume) == (
            stored.id,
            "nonsense/zorbix-add",
            True,
        )
        gone = events.on_open_run(TabState(), REQUEST, gr.EventData(None, {**link, "run": "nowhere"}))
        assert "there is no such run" in gone.notice.lines[0].text


@pytest.mark.parametrize(
    ("changes", "notice"),
    [
        ({}, "2 case runs: 2 cases × 1 arm"),
        (
            {"temperatures": ["0", "1"], "grammars": ["on", "off"], "repeat": 3},
            "24 case runs: 2 cases × 4 arms × 3 repetitions",
        ),
        ({"further": ["ablate", "renamed"]}, "10 case runs: 2 cases × 5 arms"),
        ({"contracts": ["nowhere"]}, "contract 'nowhere'"),
        ({"tags": ["nowhere"]}, "there are no cases to run"),
        ({"suites": []}, "Suites: nothing is selected"),
    ],
)
def test_the_form_shows_the_size_of_the_run_or_an_error(tmp_path, changes, notice):
    with services_for(tmp_path, "Hello.") as (services, _):
        view = RunEvents(services, ActiveRuns()).on_size(
            TabState(), "{}", REQUEST, *fields(services, **changes)
        )
    assert notice in view.lines[0].text


def test_a_run_of_a_space_visitor_is_limited(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        public = replace(services, settings=replace(services.settings, is_on_space=True))
        view = RunEvents(public, ActiveRuns()).on_size(
            TabState(), "{}", REQUEST, *fields(public, repeat=1000)
        )
    assert "case runs; at most 200 are allowed" in view.lines[0].text


def test_only_failing_cases_are_run_again_with_the_draft_of_their_contract(tmp_path):
    with services_for(tmp_path, "Hello.") as (services, _):
        active_runs, stored = ActiveRuns(), stored_run(services, contracts=("minimal",))
        assert active_runs.begin(services, stored)
        one = active_runs.of(services.owner)
        assert one is None or one.over.wait(WAIT_S)
        results = services.runs.results(stored.id)
        passed = replace(results[0], status=CaseStatus.PASSED)
        plan = plan_failing(services, stored.plan, (passed, *results[1:]), {"minimal@draft": "My text."})
        assert [case.key for case in plan.cases] == [results[1].case_key]
        (arm,), (before,) = plan.arms, stored.plan.arms
        assert (arm.label, arm.contract_name, arm.contract_text) == (
            before.label,
            "minimal@draft",
            "My text.",
        )
        pinned = replace(stored.plan, arms=(replace(before, contract_name="minimal@1"),))
        assert plan_failing(services, pinned, results, {"minimal@draft": "x"}).arms == pinned.arms
        with pytest.raises(BadInput, match="no case failed"):
            plan_failing(services, stored.plan, [passed], {})
