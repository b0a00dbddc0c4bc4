"""Compare two files of rows: which rows were added, removed and changed, and which figures moved."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from workbench.chat.json_value import JsonObject
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.records.corpus.material import row_id_of
from workbench.trajectory.formats.known import AUTO
from workbench.trajectory.sets.diff import (
    Matches,
    Movement,
    PartChange,
    RowKeys,
    changes_between,
    compared,
    find_movements,
    match_rows,
)
from workbench.trajectory.sets.row_index import Rows


class RowDifference(NamedTuple):
    """A row that is only in one set, or different in both."""

    id: str
    """Its own id; empty if it has none."""
    before: int | None
    """Its number in the first file, from 1; None if it was added."""
    after: int | None
    """Its number in the second file; None if it was removed."""
    changes: tuple[PartChange, ...] = ()
    """Empty if it was added or removed, or cannot be read."""

    def document(self) -> JsonObject:
        """Return the difference as JSON."""
        changes: JsonObject = (
            {"changes": [change.document() for change in self.changes]} if self.changes else {}
        )
        return {"id": self.id or None, "before": self.before, "after": self.after, **changes}


@dataclass(slots=True, kw_only=True)
class SetDiff:
    """Two sets of rows. Read both sets, then `finish`. Each row needs 40 bytes more than in `OpenedRows`."""

    before: OpenedRows
    after: OpenedRows
    matches: Matches = field(default_factory=lambda: match_rows(RowKeys(), RowKeys()))

    @classmethod
    def of(cls, before: str, after: str, read_as: str = AUTO) -> "SetDiff":
        """Return two empty sets to be read.

        Args:
            before: What people call the first set.
            after: What they call the second set.
            read_as: Format of the rows, or `auto`.
        """
        return cls(
            before=OpenedRows(name=before, read_as=read_as, keys=RowKeys()),
            after=OpenedRows(name=after, read_as=read_as, keys=RowKeys()),
        )

    def finish(self) -> None:
        """Match the rows."""
        self.before.finish()
        self.after.finish()
        self.matches = match_rows(self.before.keys or RowKeys(), self.after.keys or RowKeys())

    def close(self) -> None:
        """Close both files."""
        self.before.close()
        self.after.close()

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows that are unchanged, changed, removed and added."""
        changed = int(np.count_nonzero(self.matches.is_changed))
        return {
            "unchanged": len(self.matches.after) - changed,
            "changed": changed,
            "removed": len(self.matches.removed),
            "added": len(self.matches.added),
        }

    @property
    def is_same(self) -> bool:
        """Whether every row has an equal row in the other set."""
        return sum(self.counts.values()) == self.counts["unchanged"]

    def changed(self, most: int) -> Iterator[RowDifference]:
        """Yield the first changed rows, in the order of the second set."""
        for place in np.flatnonzero(self.matches.is_changed)[:most].tolist():
            one, other = int(self.matches.before[place]), int(self.matches.after[place])
            old, new = self.before.training_row(one), self.after.training_row(other)
            changes = tuple(changes_between(compared(old), compared(new))) if old and new else ()
            number, other_number = self.before.index.numbers[one], self.after.index.numbers[other]
            yield RowDifference(row_id_of(new.fields) if new else "", number, other_number, changes)

    def removed(self, most: int) -> Iterator[RowDifference]:
        """Yield the first rows that are only in the first set."""
        for row_id, number in _ids(self.before, self.matches.removed[:most]):
            yield RowDifference(row_id, number, None)

    def added(self, most: int) -> Iterator[RowDifference]:
        """Yield the first rows that are only in the second set."""
        for row_id, number in _ids(self.after, self.matches.added[:most]):
            yield RowDifference(row_id, None, number)

    def moved(self) -> tuple[Movement, ...]:
        """Return the figures that are different in the two sets."""
        return tuple(find_movements(self.before.stats, self.after.stats, self.before.codes, self.after.codes))


def _ids(rows: OpenedRows, places: Rows) -> Iterator[tuple[str, int]]:
    for place in places.tolist():
        row = rows.training_row(place)
        yield row_id_of(row.fields) if row else "", rows.index.numbers[place]
