"""Show runs in the Suites tab: score cards, chart, matrix, progress, and the comparison of two runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from workbench.records.runs import ListedRun, RunState
from workbench.suite.compare import CHANGE_TEXTS, CaseChange, RunComparison, RunPair
from workbench.suite.improve.outcome import SearchOutcome, outcome_of
from workbench.suite.improve.tables import search_table, verdict_line
from workbench.suite.reports.charts import Chart, report_charts
from workbench.suite.reports.report import RunReport
from workbench.suite.reports.tables import (
    Table,
    card_table,
    comparison_line,
    conversation_table,
    failure_table,
    matrix_table,
    more_line,
    passed_text,
    repetitions_text,
    result_text,
    results_by_case,
    tag_table,
    worth_table,
)
from workbench.suite.result import CaseResult, CaseStatus
from workbench.suite.runner import RunProgress
from workbench.ui.present.compare.signs import DiffWord
from workbench.ui.present.suites.run_list import duration_text
from workbench.ui.present.suites.search import CandidateView, changed_words, front_chart, show_candidates
from workbench.ui.present.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table with a title."""

    title: str
    note: str
    """Shown below the title. Empty if there is none."""
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCellView:
    """The results of a case in one arm."""

    arm: str
    """Label of the arm."""
    text: str
    tone: str
    """`clean`, `bad`, `odd` or `quiet`."""
    count: int
    """Number of runs of the case in this arm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """The results of a case in all arms."""

    case: str
    cells: tuple[CaseCellView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedCase:
    """A selected case."""

    case: str
    arm: str
    """Label of the arm. Empty for all arms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunView:
    """A run of suites."""

    id: str
    """Id of the run, shown in the address bar."""
    title: str
    note: str
    can_resume: bool
    """True if the run is incomplete and not in progress."""
    is_live: bool
    """True for an update of a run in progress. It does not replace another run on the page."""
    tables: tuple[TableView, ...]
    """Score cards, contracts × models, tags, and the effect of each part."""
    charts: tuple[Chart, ...]
    failures: TableView | None
    """What failed and why. None if nothing failed, or while the run is in progress."""
    tags: tuple[str, ...]
    share_key: str
    """Key of the link to the report. Empty if it is not shared."""
    arms: tuple[str, ...]
    rows: tuple[RowView, ...]
    has_failed: bool
    has_passed: bool
    """Whether a repetition passed and no other is still to be run."""
    candidates: tuple[CandidateView, ...] = ()
    """The candidates of a search, as a tree."""
    picked: SelectedCase | None = None
    """The case to open at once, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBarView:
    """The progress of a run."""

    note: str
    """How many cases are done and passed, errors, and the time left."""
    share: float
    """Share of the run that is done, from 0 to 1."""
    is_running: bool
    """True while the run can be stopped."""


def show_run(
    report: RunReport,
    listed: ListedRun,
    *,
    is_under_way: bool,
    is_live: bool = False,
    picked: SelectedCase | None = None,
) -> SuiteRunView:
    """Show the report of a run, with the results so far.

    Args:
        is_under_way: Whether the run is in progress.
        is_live: See `SuiteRunView`.
        picked: The case to open at once, or None.
    """
    done = len(report.results)
    state = "running" if is_under_way else listed.state.value
    search = report.plan.search
    is_ended = bool(search and search.ended)
    outcome = outcome_of(report.plan, search, report.results) if search else None
    if outcome is not None:
        report = replace(
            report, cards=tuple(card for card in report.cards if card.arm in _shown(report, outcome))
        )
    return SuiteRunView(
        id=report.run_id,
        title=report.title,
        note=f"run {report.run_id[:12]} · {done} of {report.total} results · {state}",
        can_resume=not is_under_way and not is_ended and (done < report.total or report.errors > 0),
        is_live=is_live,
        tables=tuple(_tables(report) if outcome is None else _search_tables(report, outcome)),
        charts=report_charts(report) if outcome is None else front_chart(outcome),
        failures=None if is_under_way else _failures(report),
        tags=listed.tags,
        share_key=listed.share_key or "",
        arms=tuple(card.arm for card in report.cards),
        rows=_rows(report),
        has_failed=any(card.failed for card in report.cards),
        has_passed=not is_under_way and any(card.passed for card in report.cards),
        candidates=() if outcome is None else show_candidates(report.plan, outcome),
        picked=picked,
    )


def show_progress(progress: RunProgress, *, is_running: bool) -> RunBarView:
    """Show the progress of a run."""
    left = (
        ""
        if progress.seconds_left is None or not is_running
        else f" · {duration_text(progress.seconds_left)} left"
    )
    errors = f" · {count(progress.errors, 'error')}" if progress.errors else ""
    void = f" · {progress.void} void" if progress.void else ""
    stopped = "" if is_running or progress.done == progress.total else " · stopped, can be resumed"
    passed = _passed(progress.passed, progress.done - progress.errors, progress.unchecked)
    note = f"{progress.done} of {progress.total} · {passed}{errors}{void}{left}{stopped}"
    share = progress.done / progress.total if progress.total else 1.0
    return RunBarView(note=note, share=share, is_running=is_running)


def show_progress_elsewhere(listed: ListedRun) -> RunBarView:
    """Show the progress of a run in another process, which cannot be stopped here."""
    passed = _passed(listed.passed, listed.done - listed.errors, listed.unchecked)
    return RunBarView(
        note=f"{listed.done} of {listed.total} · {passed} · running in another process",
        share=listed.done / listed.total if listed.total else 1.0,
        is_running=False,
    )


def run_label(run: ListedRun) -> str:
    """Format a run for a list of choices."""
    state = "" if run.state is RunState.DONE else f" · {run.state.value}"
    passed = passed_text(run.passed, run.checked, run.unchecked)
    return f"{run.created_at:%Y-%m-%d %H:%M} · {run.title} · {passed}{state}"


def _passed(passed: int, answered: int, unchecked: int) -> str:
    """Say how many passed, next to how many are done."""
    answers = passed_text(0, 0, unchecked) if unchecked else ""
    parts = [f"{passed} passed"] * (not unchecked or unchecked != answered)
    return " · ".join(filter(None, (*parts, answers)))


def table_view(title: str, table: Table, note: str = "") -> TableView:
    """Return a table of a report with a title."""
    return TableView(title=title, note=note, head=table.head, rows=table.rows)


def _tables(report: RunReport) -> list[TableView]:
    tables = [
        table_view(
            "Score cards",
            card_table(report),
            "● is on the Pareto front: no other arm passes more with fewer prompt tokens"
            if report.front
            else "",
        ),
    ]
    if (conversations := conversation_table(report)).rows:
        note = (
            "pass^k is the probability that k repetitions of a case all pass. Void: the person made a mistake"
        )
        tables.append(table_view("Conversations", conversations, note))
    if matrix := matrix_table(report):
        tables.append(table_view("Contracts × models", matrix, "Pass rate of each pair, over all its arms"))
    if tags := tag_table(report):
        tables.append(table_view("Tags", tags))
    if report.worths:
        tables.append(table_view("Effect of each part", worth_table(report)))
    return tables


def _search_tables(report: RunReport, outcome: SearchOutcome) -> Iterator[TableView]:
    """Yield the start, the front and the chosen candidate, and what each paragraph of the chosen one is worth."""
    search = report.plan.search
    if search is not None:
        yield table_view("Candidates", search_table(search, outcome), verdict_line(search, outcome))
    if report.worths:
        yield table_view("Effect of each part", worth_table(report))


def _shown(report: RunReport, outcome: SearchOutcome) -> set[str]:
    """Return the arms of a search whose cases are listed. Most others ran a few cases only."""
    start, search = report.plan.arms[0].label, report.plan.search
    return {start, search.chosen if search else "", *(row.label for row in outcome.rows if row.is_on_front)}


def _failures(report: RunReport) -> TableView | None:
    table = failure_table(report)
    if not table.rows:
        return None
    rows = tuple(tuple(map(shorten, row)) for row in table.rows[:MOST_FAILURES])
    more = len(table.rows) - len(rows)
    note = f"The first {MOST_FAILURES} of {len(table.rows)}; a downloaded report has all" if more else ""
    return TableView(title="Failures and errors", note=note, head=table.head, rows=rows)


def _rows(report: RunReport) -> tuple[RowView, ...]:
    return tuple(
        RowView(case=key, cells=tuple(_cell(card.arm, by_arm.get(card.arm, ())) for card in report.cards))
        for key, by_arm in results_by_case(report.results).items()
    )


def _cell(arm: str, results: Sequence[CaseResult]) -> CaseCellView:
    statuses = {result.status for result in results}
    tone = (
        "quiet"
        if not statuses - {CaseStatus.UNCHECKED}
        else "odd"
        if statuses & {CaseStatus.ERROR, CaseStatus.VOID}
        else "bad"
        if CaseStatus.FAILED in statuses
        else "clean"
    )
    return CaseCellView(arm=arm, text=repetitions_text(results), tone=tone, count=len(results))


TONES: Final = {CaseChange.BROKE: "bad", CaseChange.FIXED: "clean", CaseChange.UNKNOWN: "odd"}
"""Tones of changes. All others are quiet."""
MOST_FAILURES: Final = 200
"""Maximum number of failures to list."""
LONGEST: Final = 200
"""Longer texts are cut to this many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """The same case in both runs or arms."""

    change: str
    """The change in a word, such as `broke` or `fixed`."""
    tone: str
    """`bad`, `clean`, `odd` or `quiet`."""
    case: str
    arm: str
    """Label of the arm in the second run."""
    before: str
    """Result in the first run, with its calls or answer."""
    after: str
    """Result in the second run."""
    index: int
    """Index of the pair in the comparison, to open it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """The comparison of two runs or arms."""

    title: str
    line: str
    changed: tuple[PairView, ...]
    """Cases that broke, then cases that started to pass."""
    rest: tuple[PairView, ...]
    """Cases that did not change, or whose change is unknown."""
    words: tuple[DiffWord, ...] = ()
    """What differs between the contracts of two arms. Empty if they are equal."""


def show_comparison(
    comparison: RunComparison, *, against: str, contracts: tuple[str, str] = ("", "")
) -> ComparisonView:
    """Show how two runs or arms differ, regressions first.

    Args:
        comparison: The comparison of the two.
        against: Name of the first run or arm.
        contracts: The contracts of two arms. Empty texts show none.
    """
    changes = {CaseChange.BROKE, CaseChange.FIXED}
    pairs = [(_pair(index, pair), pair.change in changes) for index, pair in enumerate(comparison.pairs)]
    return ComparisonView(
        title=f"Compared with {against}",
        line=" · ".join(filter(None, (comparison_line(comparison), more_line(comparison)))),
        changed=tuple(view for view, is_changed in pairs if is_changed),
        rest=tuple(view for view, is_changed in pairs if not is_changed),
        words=changed_words(*contracts),
    )


def shorten(text: str, longest: int = LONGEST) -> str:
    """Cut a text to the length that fits into a table row.

    >>> len(shorten("x" * 1000)), shorten("abcdef", 4)
    (200, 'abc…')
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _pair(index: int, pair: RunPair) -> PairView:
    repetition = f" · repetition {pair.repetition + 1}" if pair.repetition else ""
    return PairView(
        change=CHANGE_TEXTS[pair.change],
        tone=TONES.get(pair.change, "quiet"),
        case=f"{pair.suite}/{pair.case_id}{repetition}",
        arm=pair.arm,
        before=shorten(result_text(pair.before)),
        after=shorten(result_text(pair.after)),
        index=index,
    )
