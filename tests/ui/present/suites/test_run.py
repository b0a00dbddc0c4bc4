"""The results of a run in the Suites tab."""

from dataclasses import replace

from tests.store.runs import PLAN, RESULT
from workbench.suite.reports.report import report_of
from workbench.suite.result import CaseMeasures, CaseStatus
from workbench.suite.runner import RunProgress
from workbench.ui.present.suites.run import SelectedCase, show_progress, show_run

JOBS = PLAN.jobs()


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
    return show_run(report_of("r1", "s: short", state, PLAN, results), is_under_way=is_under_way, **more)


def test_a_cell_shows_how_many_runs_of_a_case_passed():
    shown = view(CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.ERROR, CaseStatus.PASSED)
    first, second = (row.cells[0] for row in shown.rows)
    assert [(row.case, row.cells[0].text) for row in shown.rows] == [("s/a", "1/2"), ("s/b", "1/1, 1 error")]
    assert (first.tone, second.tone) == ("bad", "odd")
    assert (first.arm, first.count) == ("short", 2)


def test_a_run_without_results_has_a_title_and_no_matrix():
    shown = view()
    assert (shown.title, shown.rows, shown.dots) == ("s: short", (), ())
    assert "0 of 4 results" in shown.note


def test_a_run_with_missing_or_failed_results_can_be_resumed():
    passed = [CaseStatus.PASSED] * 3
    assert view(*passed).can_resume
    assert "stopped" in view(*passed).note
    assert not view(*passed, is_under_way=True).can_resume
    assert "running" in view(*passed, is_under_way=True).note
    assert not view(*passed, CaseStatus.PASSED, state="done").can_resume
    assert view(*passed, CaseStatus.ERROR, state="done").can_resume


def test_a_dot_is_placed_by_its_figures():
    [dot] = view(CaseStatus.PASSED, CaseStatus.FAILED).dots
    assert (dot.x, dot.y, dot.is_on_front) == (1.0, 0.5, True)
    assert 0 < dot.low < 0.5 < dot.high < 1


def test_a_link_selects_the_case_to_open():
    picked = SelectedCase(case="s/a", arm="short")
    assert view(CaseStatus.PASSED, picked=picked).picked == picked


def test_progress_shows_the_time_left_while_running():
    progress = RunProgress(total=4, done=1, passed=1, errors=0, seconds_left=9.0)
    assert show_progress(progress, is_running=True).note == "1 of 4 · 1 passed · 9 s left"
    assert "stopped" in show_progress(progress, is_running=False).note
    whole = RunProgress(total=1, done=1, passed=1)
    assert show_progress(whole, is_running=False).note == "1 of 1 · 1 passed"
