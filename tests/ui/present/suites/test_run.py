"""The results of a run in the Suites tab."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.store.runs.examples import PLAN, RESULT
from workbench.records.runs import ListedRun, RunState
from workbench.suite.reports.charts import ChartKind
from workbench.suite.reports.report import report_of
from workbench.suite.result import CaseMeasures, CaseStatus
from workbench.suite.runner import RunProgress
from workbench.ui.present.suites.run import SelectedCase, show_progress, show_run
from workbench.ui.present.suites.run_list import show_runs

JOBS = PLAN.jobs()
MOMENT = datetime(2026, 11, 24, 12, tzinfo=UTC)
LISTED = ListedRun(
    id="r1",
    title="s: short",
    state=RunState.STOPPED,
    created_at=MOMENT,
    updated_at=MOMENT + timedelta(seconds=9.6),
    total=4,
    done=3,
    passed=1,
    errors=1,
    suites=("s",),
    contracts=("short@2",),
    models=("embedded",),
    tags=("nightly",),
)


def result(place, status):
    job = JOBS[place]
    return replace(
        RESULT,
        key=job.key,
        case_id=job.case.id,
        repetition=job.repetition,
        status=status,
        session_id="s1",
        calls_told="f()",
        measures=CaseMeasures(prompt_tokens=10, completion_tokens=3, seconds=1.25),
    )


def view(*statuses, state="running", is_under_way=False, **more):
    results = [result(place, status) for place, status in enumerate(statuses)]
    report = report_of("r1", "s: short", state, PLAN, results)
    return show_run(report, LISTED, is_under_way=is_under_way, **more)


def test_a_cell_shows_how_many_runs_of_a_case_passed():
    shown = view(CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.ERROR, CaseStatus.PASSED)
    first, second = (row.cells[0] for row in shown.rows)
    assert [(row.case, row.cells[0].text) for row in shown.rows] == [("s/a", "1/2"), ("s/b", "1/1, 1 error")]
    assert (first.tone, second.tone) == ("bad", "odd")
    assert (first.arm, first.count) == ("short", 2)


def test_a_run_without_results_has_a_title_and_no_matrix():
    shown = view()
    assert (shown.title, shown.rows, shown.charts) == ("s: short", (), ())
    assert "0 of 4 results" in shown.note


def test_a_run_with_missing_or_failed_results_can_be_resumed():
    passed = [CaseStatus.PASSED] * 3
    assert view(*passed).can_resume
    assert "stopped" in view(*passed).note
    assert not view(*passed, is_under_way=True).can_resume
    assert "running" in view(*passed, is_under_way=True).note
    assert not view(*passed, CaseStatus.PASSED, state="done").can_resume
    assert view(*passed, CaseStatus.ERROR, state="done").can_resume


def test_a_report_has_charts_tags_and_failures():
    shown = view(CaseStatus.PASSED, CaseStatus.FAILED)
    [chart] = shown.charts
    [mark] = chart.marks
    assert (chart.kind, mark.category, mark.y, mark.is_full) == (ChartKind.RATES, "short", 0.5, True)
    assert 0 < mark.low < 0.5 < mark.high < 1
    assert (shown.tags, shown.share_key) == (("nightly",), "")
    assert [row[:3] for row in shown.failures.rows] == [("s/a", "short", "failed")]
    assert view(CaseStatus.PASSED).failures is None
    assert view(CaseStatus.FAILED, is_under_way=True).failures is None


def test_the_list_shows_what_a_run_compared_and_how_it_went():
    shown = show_runs([LISTED], [LISTED], now=MOMENT, undo_id="r1")
    [row] = shown.rows
    assert (row.suites, row.contracts, row.models, row.tags) == ("s", "short@2", "embedded", ("nightly",))
    assert (row.when, row.result, row.duration) == ("12:00", "1/2 passed · 1 error", "10 s")
    assert row.state == "stopped, 3 of 4"
    assert shown.undo == shown.deleted[0]
    assert show_runs([LISTED], [], now=MOMENT + timedelta(days=1)).rows[0].when == "2026-11-24"


def test_a_link_selects_the_case_to_open():
    picked = SelectedCase(case="s/a", arm="short")
    assert view(CaseStatus.PASSED, picked=picked).picked == picked


def test_progress_shows_the_time_left_while_running():
    progress = RunProgress(total=4, done=1, passed=1, errors=0, seconds_left=9.0)
    assert show_progress(progress, is_running=True).note == "1 of 4 · 1 passed · 9 s left"
    assert "stopped" in show_progress(progress, is_running=False).note
    whole = RunProgress(total=1, done=1, passed=1)
    assert show_progress(whole, is_running=False).note == "1 of 1 · 1 passed"
