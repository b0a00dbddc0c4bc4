"""Runs in the Suites tab: score cards, chart, matrix and progress, and the comparison of two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workbench.records.runs import ListedRun, RunState
from workbench.suite.compare import CaseChange, RunComparison, RunPair
from workbench.suite.reports.report import RunReport
from workbench.suite.reports.tables import (
    Table,
    card_table,
    comparison_line,
    matrix_table,
    percent,
    plays_of,
    told_plays,
    told_result,
    worth_table,
)
from workbench.suite.result import CaseResult, CaseStatus
from workbench.suite.runner import RunProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """Rows under a head."""

    title: str
    note: str
    """Below the title; empty for none."""
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCellView:
    """A case in one arm."""

    arm: str
    """The arm's label."""
    text: str
    tone: str
    """clean, bad, odd or quiet."""
    count: int
    """Plays to be looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """A case in all arms."""

    case: str
    cells: tuple[CaseCellView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DotView:
    """An arm in the picture of pass rate against prompt tokens."""

    label: str
    """The arm's, with its figures."""
    x: float
    """Prompt tokens, of the most; from 0 to 1."""
    y: float
    low: float
    """Where the rate lies at least, most likely."""
    high: float
    """Where it lies at most."""
    is_on_front: bool
    """Whether no other arm beats it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedCase:
    """A case that is looked into."""

    case: str
    arm: str
    """Label of the arm; empty for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunView:
    """A run."""

    id: str
    """The run's; stands in the address bar."""
    title: str
    note: str
    can_go_on: bool
    """True where plays are left and nobody plays them."""
    is_live: bool
    """True of a look at a run under way: it does not take the place of another run that is shown."""
    tables: tuple[TableView, ...]
    """Score cards, contracts × models, what parts are worth."""
    dots: tuple[DotView, ...]
    """The picture; one an arm."""
    most_tokens: str
    arms: tuple[str, ...]
    rows: tuple[RowView, ...]
    picked: SelectedCase | None = None
    """What is to be opened at once; None for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBarView:
    """How far a run is that is under way."""

    note: str
    """What is done, what passes, what is left."""
    share: float
    """Of it that is done, from 0 to 1."""
    is_running: bool
    """True while it can be stopped."""


def show_run(
    report: RunReport, *, is_under_way: bool, is_live: bool = False, picked: SelectedCase | None = None
) -> SuiteRunView:
    """A run, as far as there is one.

    Args:
        is_under_way: Whether somebody plays it now.
        is_live: See `SuiteRunView`.
        picked: What is to be opened.
    """
    done = len(report.results)
    state = report.state if is_under_way or report.state == RunState.DONE else "stopped"
    return SuiteRunView(
        id=report.run_id,
        title=report.title,
        note=f"run {report.run_id[:12]} · {done} of {report.total} plays · {state}",
        can_go_on=not is_under_way and (done < report.total or report.errors > 0),
        is_live=is_live,
        tables=tuple(_tables(report)),
        dots=_dots(report),
        most_tokens=f"{max((card.prompt_tokens for card in report.cards), default=0):.0f} prompt tokens",
        arms=tuple(card.arm for card in report.cards),
        rows=_rows(report),
        picked=picked,
    )


def show_progress(progress: RunProgress, *, is_running: bool) -> RunBarView:
    """How far a run is."""
    left = (
        "" if progress.seconds_left is None or not is_running else f" · {_time(progress.seconds_left)} left"
    )
    errors = f" · {progress.errors} errors" if progress.errors else ""
    stopped = (
        "" if is_running or progress.done == progress.total else " · stopped, the rest can be played later"
    )
    note = f"{progress.done} of {progress.total} · {progress.passed} passed{errors}{left}{stopped}"
    share = progress.done / progress.total if progress.total else 1.0
    return RunBarView(note=note, share=share, is_running=is_running)


def run_label(run: ListedRun) -> str:
    """A run in a list of choices."""
    state = "" if run.state is RunState.DONE else f" · {run.state.value}"
    return f"{run.created_at:%Y-%m-%d %H:%M} · {run.title} · {run.passed}/{run.done}{state}"


def table_view(title: str, table: Table, note: str = "") -> TableView:
    """A report's table under a title."""
    return TableView(title=title, note=note, head=table.head, rows=table.rows)


def _tables(report: RunReport) -> list[TableView]:
    shown = [
        table_view("Score cards", card_table(report), "● is on the front: as good for fewer prompt tokens")
    ]
    if matrix := matrix_table(report):
        shown.append(table_view("Contracts × models", matrix, "What passes, over all ways of each pair"))
    if report.worths:
        shown.append(table_view("What parts are worth", worth_table(report)))
    return shown


def _dots(report: RunReport) -> tuple[DotView, ...]:
    most = max((card.prompt_tokens for card in report.cards), default=0.0) or 1.0
    return tuple(
        DotView(
            label=f"{card.arm}: {percent(card.pass_rate)}, {card.prompt_tokens:.0f} tokens",
            x=card.prompt_tokens / most,
            y=card.pass_rate,
            low=card.interval.low,
            high=card.interval.high,
            is_on_front=card.arm in report.front,
        )
        for card in report.cards
        if card.pass_rate is not None
    )


def _rows(report: RunReport) -> tuple[RowView, ...]:
    return tuple(
        RowView(case=key, cells=tuple(_cell(card.arm, by_arm.get(card.arm, ())) for card in report.cards))
        for key, by_arm in plays_of(report.results).items()
    )


def _cell(arm: str, plays: Sequence[CaseResult]) -> CaseCellView:
    statuses = {one.status for one in plays}
    tone = (
        "quiet"
        if not plays
        else "odd"
        if CaseStatus.ERROR in statuses
        else "bad"
        if CaseStatus.FAILED in statuses
        else "clean"
    )
    return CaseCellView(arm=arm, text=told_plays(plays), tone=tone, count=len(plays))


def _time(seconds: float) -> str:
    """A time for a person.

    >>> _time(9.6), _time(130)
    ('10 s', '2 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


TONES: Final = {CaseChange.BROKE: "bad", CaseChange.MENDED: "clean", CaseChange.UNKNOWN: "odd"}
"""Of what changed; all else is quiet."""
LONGEST: Final = 200
"""Characters of a reading in a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """The same play in both."""

    change: str
    """broke, mended, fails, passes or unknown."""
    tone: str
    """bad, clean, odd or quiet."""
    case: str
    arm: str
    """Label of the arm in the second."""
    before: str
    """What came of it, with what was called or said."""
    after: str
    """The same in the second."""
    index: int
    """Its place in the comparison, to be opened by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """How two differ."""

    title: str
    line: str
    changed: tuple[PairView, ...]
    """What broke first, then what was mended."""
    rest: tuple[PairView, ...]
    """What did not change, or cannot be told."""


def show_comparison(comparison: RunComparison, *, against: str) -> ComparisonView:
    """How two runs or arms differ, regressions first.

    Args:
        comparison: Of the two.
        against: What the first is, for a person.
    """
    pairs = [_pair(index, pair) for index, pair in enumerate(comparison.pairs)]
    told = {CaseChange.BROKE.value, CaseChange.MENDED.value}
    return ComparisonView(
        title=f"Against {against}",
        line=comparison_line(comparison),
        changed=tuple(one for one in pairs if one.change in told),
        rest=tuple(one for one in pairs if one.change not in told),
    )


def shorten(text: str) -> str:
    """A text that a line of a table has room for; the whole stands where the line leads.

    >>> len(shorten("x" * 1000))
    200
    """
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _pair(index: int, pair: RunPair) -> PairView:
    repetition = f" · play {pair.repetition + 1}" if pair.repetition else ""
    return PairView(
        change=pair.change.value,
        tone=TONES.get(pair.change, "quiet"),
        case=f"{pair.suite}/{pair.case_id}{repetition}",
        arm=pair.arm,
        before=shorten(told_result(pair.before)),
        after=shorten(told_result(pair.after)),
        index=index,
    )
