"""Show the difference of two data sets."""

from dataclasses import dataclass
from typing import Final

from workbench.library.datasets.opened_rows import OpenedRows
from workbench.library.datasets.set_diff import RowDifference, SetDiff
from workbench.trajectory.sets.diff import place_of_change, shown_values
from workbench.trajectory.sets.row_index import Rows
from workbench.ui.present.data import RowCard
from workbench.ui.present.row_picture import show_row
from workbench.ui.present.words import count

MOST_DIFFERENCES: Final = 20
"""Rows of each kind that are shown. `workbench diff --limit` lists more."""
MOST_CHANGES: Final = 50
"""Changes of a row that are shown."""
MOST_MOVED: Final = 100
"""Figures that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRow:
    """A row that is different in the two sets."""

    title: str
    changes: tuple[tuple[str, str, str, str], ...]
    """Where, `added`, `removed` or `changed`, and both values, shortened to where they differ."""
    more: int
    """Number of further changes that are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDiffView:
    """The difference of two data sets."""

    title: str
    note: str
    """How many rows are unchanged, changed, removed and added."""
    changed: tuple[ChangedRow, ...]
    removed: tuple[RowCard, ...]
    added: tuple[RowCard, ...]
    more: tuple[int, int, int]
    """Number of further changed, removed and added rows."""
    moved: tuple[tuple[str, str, str, str], ...]
    """Figures that are different: the figure, both numbers, and the difference."""


def show_set_diff(diff: SetDiff) -> SetDiffView:
    """Show the difference of two data sets that were read."""
    counts, matches = diff.counts, diff.matches
    kinds = ("changed", "removed", "added")
    moved = (
        (f"{move.figure}: {move.name}" if move.name else move.figure, move.before, move.after)
        for move in diff.moved()[:MOST_MOVED]
    )
    return SetDiffView(
        title=f"{diff.before.name} → {diff.after.name}",
        note="All rows are equal."
        if diff.is_same
        else ", ".join(f"{count(number, 'row')} {kind}" for kind, number in counts.items()),
        changed=tuple(map(_changed, diff.changed(MOST_DIFFERENCES))),
        removed=_cards(diff.before, matches.removed),
        added=_cards(diff.after, matches.added),
        more=(
            max(0, counts[kinds[0]] - MOST_DIFFERENCES),
            max(0, counts[kinds[1]] - MOST_DIFFERENCES),
            max(0, counts[kinds[2]] - MOST_DIFFERENCES),
        ),
        moved=tuple((name, f"{one:,}", f"{other:,}", f"{other - one:+,}") for name, one, other in moved),
    )


def _changed(row: RowDifference) -> ChangedRow:
    changes = tuple(
        (place_of_change(change), str(change.kind), *shown_values(change, 200))
        for change in row.changes[:MOST_CHANGES]
    )
    places = f"row {row.before:,} → row {row.after:,}"
    return ChangedRow(
        title=f"{row.id} · {places}" if row.id else places,
        changes=changes,
        more=max(0, len(row.changes) - MOST_CHANGES),
    )


def _cards(rows: OpenedRows, places: Rows) -> tuple[RowCard, ...]:
    return tuple(show_row(rows, rows.open_row(place)) for place in places[:MOST_DIFFERENCES].tolist())
