"""What `workbench run` prints: the progress, the tables of the report, and the lists of suites and runs."""

import sys
from collections.abc import Iterable, Iterator

from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.cli.suites.run_options import run_line
from workbench.cli.terminal.paint import Tone, terminal_paint
from workbench.cli.terminal.visible import shown
from workbench.suite.reports.markdown import table_text
from workbench.suite.reports.report import RunReport
from workbench.suite.reports.tables import (
    card_table,
    change_table,
    comparison_line,
    conversation_table,
    failure_table,
    more_line,
    worth_table,
)
from workbench.suite.runner import CaseFinished, RunEvent

_MOST_FAILURES = 20


def with_progress_lines(events: Iterable[RunEvent], *, is_quiet: bool) -> Iterator[RunEvent]:
    """Yield the same events, and print a line on standard error for each finished case unless quiet."""
    for event in events:
        if isinstance(event, CaseFinished) and not is_quiet:
            progress, result = event.progress, event.result
            left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
            line = f"{progress.done}/{progress.total} {result.status.value} {result.case_key} · {result.arm}"
            print(shown(f"{line}{left}"), file=sys.stderr, flush=True)
        yield event


def print_report(report: RunReport) -> None:
    """Print the main tables of the report."""
    paint = terminal_paint()
    print(table_text(card_table(report)))
    if (conversations := conversation_table(report)).rows:
        print("\n" + table_text(conversations))
    if report.worths:
        print("\n" + table_text(worth_table(report)))
    if report.comparison:
        heading = paint(f"compared with {report.baseline}", Tone.TITLE)
        print(f"\n{heading}: {comparison_line(report.comparison)}")
        if more := more_line(report.comparison):
            print(more)
        print(shown(table_text(change_table(report.comparison))))
    failures = failure_table(report)
    for case, arm, status, reason, answer in failures.rows[:_MOST_FAILURES]:
        print(paint(shown(f"{status} {case} · {arm}: {reason}"), Tone.BAD) + shown(f"\n    {answer[:200]}"))
    if len(failures.rows) > _MOST_FAILURES:
        print(f"… and {len(failures.rows) - _MOST_FAILURES} more; --markdown and --html list all of them")


def print_list(services: Services) -> None:
    """Print the suites, then the runs, the newest run first."""
    print("suites: " + ", ".join(suite_names(services)))
    for listed in services.runs.list_runs():
        print(run_line(listed))
