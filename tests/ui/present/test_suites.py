"""What the Suites tab shows of a run."""

from dataclasses import replace

from tests.store.runs import PLAN, RESULT
from workbench.suite.reports.report import report_of
from workbench.suite.result import Measures, Status
from workbench.suite.runner import Progress
from workbench.ui.present.suites import show_progress, show_run

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
        measures=Measures(prompt_tokens=10, completion_tokens=3, seconds=1.25),
    )


def view(*statuses, baseline=None):
    results = [result(place, status) for place, status in enumerate(statuses)]
    return show_run(report_of("r1", "s: short", "running", PLAN, results, baseline=baseline))


def test_a_cell_says_how_many_plays_passed_and_can_be_drilled_into():
    shown = view(Status.PASSED, Status.FAILED, Status.ERROR, Status.PASSED)
    first, second = (row.cells[0] for row in shown.rows)
    assert [(row.case, row.cells[0].text) for row in shown.rows] == [("s/a", "1/2"), ("s/b", "1/1, 1 errors")]
    assert (first.tone, second.tone) == ("bad", "odd")
    assert [play.title for play in first.plays] == ["s/a · short", "s/a · short · 2"]
    assert first.plays[1].outcomes == (("✗", "no_call: called f(ü=1)"),)
    assert (first.plays[0].session, first.plays[0].note) == ("s1", "10 + 3 tokens · 1.2 s")


def test_a_run_without_results_has_a_title_and_no_matrix():
    shown = view()
    assert (shown.title, shown.rows, shown.dots) == ("s: short", (), ())
    assert "0 of 4 plays" in shown.note


def test_a_dot_stands_where_its_figures_are():
    [dot] = view(Status.PASSED, Status.FAILED).dots
    assert (dot.x, dot.y, dot.is_on_front) == (1.0, 0.5, True)


def test_a_baseline_is_a_table_of_what_changed():
    before = [result(0, Status.PASSED)]
    shown = view(Status.FAILED, baseline=("old", before))
    assert shown.tables[-1].title == "Against old"
    assert shown.tables[-1].rows[0][:2] == ("broke", "s/a")


def test_progress_tells_what_is_left_while_it_runs():
    progress = Progress(total=4, done=1, passed=1, errors=0, seconds_left=9.0)
    assert show_progress(progress, is_running=True).note == "1 of 4 · 1 passed · 9 s left"
    assert show_progress(progress, is_running=False).note == "1 of 4 · 1 passed"
