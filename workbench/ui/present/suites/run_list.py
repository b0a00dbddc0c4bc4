"""Show the list of runs in the Suites tab."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.records.runs import ListedRun, RunState
from workbench.suite.reports.tables import passed_text
from workbench.ui.present.words import count

MOST_RUNS = 200
"""Maximum number of listed runs, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRowView:
    """One run of the list."""

    id: str
    title: str
    suites: str
    contracts: str
    models: str
    when: str
    """When it was started."""
    result: str
    """Passed and scored repetitions, and the number of errors."""
    share: float
    """Passed repetitions, as a share of all that have a result."""
    state: str
    """Empty for a complete run."""
    duration: str
    tags: tuple[str, ...]
    is_shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedRunView:
    """A deleted run that can be restored."""

    id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunListView:
    """The runs of the user."""

    rows: tuple[RunRowView, ...]
    """Newest first."""
    deleted: tuple[DeletedRunView, ...]
    undo: DeletedRunView | None = None
    """The run that was just deleted, or None."""
    is_look: bool = False
    """True if the tab was just opened. The page then keeps a run that it shows."""
    is_list: bool = True
    """True for the list. The same component also shows a run."""


def show_runs(
    runs: Sequence[ListedRun],
    deleted: Sequence[ListedRun],
    *,
    now: datetime,
    undo_id: str = "",
    is_look: bool = False,
) -> RunListView:
    """Show the list of runs.

    Args:
        now: The current time, in the time zone to show times in.
        undo_id: The run that was just deleted. Empty for none.
        is_look: See `RunListView`.
    """
    gone = tuple(DeletedRunView(id=run.id, title=run.title) for run in deleted)
    return RunListView(
        rows=tuple(_row(run, now) for run in runs),
        deleted=gone,
        undo=next((run for run in gone if run.id == undo_id), None),
        is_look=is_look,
    )


def _row(run: ListedRun, now: datetime) -> RunRowView:
    started = run.created_at.astimezone(now.tzinfo)
    errors = f" · {count(run.errors, 'error')}" if run.errors else ""
    return RunRowView(
        id=run.id,
        title=run.title,
        suites=", ".join(run.suites),
        contracts=", ".join(run.contracts),
        models=", ".join(run.models),
        when=f"{started:%H:%M}" if started.date() == now.date() else f"{started:%Y-%m-%d}",
        result=passed_text(run.passed, run.checked, run.unchecked, word=" passed") + errors,
        share=run.passed / run.checked if run.checked else 0.0,
        state="" if run.state is RunState.DONE else f"{run.state.value}, {run.done} of {run.total}",
        duration=duration_text(run.seconds),
        tags=run.tags,
        is_shared=run.share_key is not None,
    )


def duration_text(seconds: float) -> str:
    """Format a duration.

    >>> duration_text(9.6), duration_text(130), duration_text(7300)
    ('10 s', '2 min', '2.0 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
