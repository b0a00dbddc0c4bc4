"""Runs of suites as the Suites tab shows them."""

from dataclasses import dataclass

from workbench.desk.runs.run import ListedRun, RunState
from workbench.suite.reports.report import Report
from workbench.suite.reports.tables import (
    Table,
    card_table,
    change_table,
    comparison_line,
    percent,
    told_plays,
    worth_table,
)
from workbench.suite.result import CaseResult, Status
from workbench.suite.runner import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """Rows under a head."""

    title: str
    """Above it."""
    note: str
    """Below the title; empty for none."""
    head: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """Cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayView:
    """One play of a case, as it is drilled into."""

    title: str
    """The case and the arm."""
    status: str
    """passed, failed or error."""
    said: str
    """What the user said."""
    outcomes: tuple[tuple[str, str], ...]
    """Of each expectation: a sign and the reason."""
    came: tuple[str, ...]
    """Calls, answer or error."""
    note: str
    """Tokens and seconds."""
    session: str
    """Id of the rollout; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """A case in one arm."""

    text: str
    """What came of it."""
    tone: str
    """clean, bad, odd or quiet."""
    plays: tuple[PlayView, ...]
    """To be drilled into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """A case in all arms."""

    case: str
    """Its suite and id."""
    cells: tuple[CellView, ...]
    """One an arm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DotView:
    """An arm in the picture of pass rate against prompt tokens."""

    label: str
    """The arm's, with its figures."""
    x: float
    """Prompt tokens, of the most; from 0 to 1."""
    y: float
    """Pass rate."""
    is_on_front: bool
    """Whether no other arm beats it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRunView:
    """A run."""

    title: str
    """Its suites and arms."""
    note: str
    """How far it is."""
    tables: tuple[TableView, ...]
    """Score cards, what parts are worth, what changed."""
    dots: tuple[DotView, ...]
    """The picture; one an arm."""
    most_tokens: str
    """At the end of its axis."""
    arms: tuple[str, ...]
    """Head of the matrix."""
    rows: tuple[RowView, ...]
    """The matrix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBarView:
    """How far a run is that is under way."""

    note: str
    """What is done, what passes, what is left."""
    share: float
    """Of it that is done, from 0 to 1."""
    is_running: bool
    """True while it can be stopped."""


def show_run(report: Report) -> SuiteRunView:
    """A run, as far as there is one."""
    return SuiteRunView(
        title=report.title,
        note=f"run {report.run_id[:12]} · {len(report.results)} of {report.total} plays · {report.state}",
        tables=tuple(_tables(report)),
        dots=_dots(report),
        most_tokens=f"{max((card.prompt_tokens for card in report.cards), default=0):.0f} prompt tokens",
        arms=tuple(card.arm for card in report.cards),
        rows=_rows(report),
    )


def show_progress(progress: Progress, *, is_running: bool) -> RunBarView:
    """How far a run is."""
    left = (
        "" if progress.seconds_left is None or not is_running else f" · {_time(progress.seconds_left)} left"
    )
    errors = f" · {progress.errors} errors" if progress.errors else ""
    note = f"{progress.done} of {progress.total} · {progress.passed} passed{errors}{left}"
    share = progress.done / progress.total if progress.total else 1.0
    return RunBarView(note=note, share=share, is_running=is_running)


def run_label(run: ListedRun) -> str:
    """A run in a list of choices."""
    state = "" if run.state is RunState.DONE else f" · {run.state.value}"
    return f"{run.created_at:%Y-%m-%d %H:%M} · {run.title} · {run.passed}/{run.done}{state}"


def _tables(report: Report) -> list[TableView]:
    shown = [_table("Score cards", card_table(report), "● is on the front: as good for fewer prompt tokens")]
    if report.worths:
        shown.append(_table("What parts are worth", worth_table(report)))
    if report.comparison:
        told = comparison_line(report.comparison)
        shown.append(_table(f"Against {report.baseline}", change_table(report.comparison), told))
    return shown


def _table(title: str, table: Table, note: str = "") -> TableView:
    return TableView(title=title, note=note, head=table.head, rows=table.rows)


def _dots(report: Report) -> tuple[DotView, ...]:
    most = max((card.prompt_tokens for card in report.cards), default=0.0) or 1.0
    return tuple(
        DotView(
            label=f"{card.arm}: {percent(card.pass_rate)}, {card.prompt_tokens:.0f} tokens",
            x=card.prompt_tokens / most,
            y=card.pass_rate,
            is_on_front=card.arm in report.front,
        )
        for card in report.cards
        if card.pass_rate is not None
    )


def _rows(report: Report) -> tuple[RowView, ...]:
    found: dict[str, dict[str, list[CaseResult]]] = {}
    for one in report.results:
        found.setdefault(one.case_key, {}).setdefault(one.arm, []).append(one)
    return tuple(
        RowView(case=key, cells=tuple(_cell(by_arm.get(card.arm, [])) for card in report.cards))
        for key, by_arm in found.items()
    )


def _cell(plays: list[CaseResult]) -> CellView:
    statuses = {one.status for one in plays}
    tone = (
        "quiet"
        if not plays
        else "odd"
        if Status.ERROR in statuses
        else "bad"
        if Status.FAILED in statuses
        else "clean"
    )
    return CellView(text=told_plays(plays), tone=tone, plays=tuple(map(_play, plays)))


def _play(one: CaseResult) -> PlayView:
    measures = one.measures
    return PlayView(
        title=f"{one.case_key} · {one.arm}" + (f" · {one.repetition + 1}" if one.repetition else ""),
        status=one.status.value,
        said=one.said,
        outcomes=tuple(("✓" if each.holds else "✗", f"{each.kind}: {each.reason}") for each in one.outcomes),
        came=tuple(text for text in (one.calls_told, one.answer, one.error) if text),
        note=f"{measures.prompt_tokens} + {measures.completion_tokens} tokens · {measures.seconds:.1f} s",
        session=one.session_id or "",
    )


def _time(seconds: float) -> str:
    """A time for a person.

    >>> _time(9.6), _time(130)
    ('10 s', '2 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
