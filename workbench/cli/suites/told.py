"""A run on the terminal: its progress, its report, the list of runs."""

import sys
from collections.abc import Iterable, Iterator

from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.cli.terminal.paint import Tone, shown, terminal_paint
from workbench.suite.reports.markdown import table_text
from workbench.suite.reports.report import Report
from workbench.suite.reports.tables import (
    card_table,
    change_table,
    comparison_line,
    failure_table,
    worth_table,
)
from workbench.suite.runner import CaseFinished, RunEvent

_MOST_FAILURES = 20


def told_events(events: Iterable[RunEvent], *, is_quiet: bool) -> Iterator[RunEvent]:
    """The same events, each result told on standard error as it passes."""
    for event in events:
        if isinstance(event, CaseFinished) and not is_quiet:
            progress, result = event.progress, event.result
            left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
            line = f"{progress.done}/{progress.total} {result.status.value} {result.case_key} · {result.arm}"
            print(shown(f"{line}{left}"), file=sys.stderr, flush=True)
        yield event


def print_report(report: Report) -> None:
    """The tables that one looks at first."""
    paint = terminal_paint()
    print(table_text(card_table(report)))
    if report.worths:
        print("\n" + table_text(worth_table(report)))
    if report.comparison:
        print(f"\n{paint(f'against {report.baseline}', Tone.TITLE)}: {comparison_line(report.comparison)}")
        print(shown(table_text(change_table(report.comparison))))
    failures = failure_table(report)
    for case, arm, status, why, came in failures.rows[:_MOST_FAILURES]:
        print(paint(shown(f"{status} {case} · {arm}: {why}"), Tone.BAD) + shown(f"\n    {came[:200]}"))
    if len(failures.rows) > _MOST_FAILURES:
        print(f"… and {len(failures.rows) - _MOST_FAILURES} more; --markdown or --html has all")


def print_list(services: Services) -> None:
    """Suites, then runs, the newest first."""
    print("suites: " + ", ".join(suite_names(services)))
    for one in services.runs.list_runs():
        moment = one.created_at.strftime("%Y-%m-%d %H:%M")
        told = f"{one.passed} passed, {one.errors} errors, {one.done} of {one.total} done"
        print(shown(f"{one.id[:12]}  {moment}  {one.state.value}  {one.title}: {told}"))
