"""What a conversion tells: row by row, and summed up."""

import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.library.datasets.conversion import RowDone
from workbench.library.datasets.row_writer import RowWriter, open_writer

_MOST_LINES: Final = 20
"""Rows that are told on standard error; a report has all."""


@dataclass(slots=True)
class Summary:
    """All rows together."""

    read: int = 0
    written: int = 0
    splits: Counter[str] = field(default_factory=Counter[str])
    """Rows by split."""
    losses: Counter[str] = field(default_factory=Counter[str])
    """Rows by what they lost; those that were left out do not count."""
    additions: Counter[str] = field(default_factory=Counter[str])
    """Rows by what was added or rearranged."""
    problems: Counter[str] = field(default_factory=Counter[str])
    """Rows by why they were left out."""

    def add(self, done: RowDone) -> None:
        """Count one row."""
        self.read += 1
        self.problems.update({problem.code for problem in done.problems})
        if not done.is_written:
            return
        self.written += 1
        if done.split:
            self.splits[done.split] += 1
        self.losses.update({str(change.code) for change in done.changes if change.is_loss})
        self.additions.update({str(change.code) for change in done.changes if not change.is_loss})

    def to_json(self) -> JsonObject:
        """As `workbench convert --json` prints it."""
        return {
            "read": self.read,
            "written": self.written,
            "left_out": self.read - self.written,
            "splits": dict(self.splits),
            "losses": dict(sorted(self.losses.items())),
            "additions": dict(sorted(self.additions.items())),
            "problems": dict(sorted(self.problems.items())),
        }

    def lines(self) -> list[str]:
        """For a person."""
        lines = [f"{self.read:,} rows read, {self.written:,} written, {self.read - self.written:,} left out"]
        for name, counts in (
            ("in splits", self.splits),
            ("lost", self.losses),
            ("added", self.additions),
            ("left out for", self.problems),
        ):
            if counts:
                told = ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
                lines.append(f"{name}: {told}")
        return lines


class Report:
    """Tells of rows: the first ones on standard error, all in a file if one is wanted.

    Args:
        target: File for all of it, as JSON Lines; empty for none.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._stack = ExitStack()
        self._write: RowWriter | None = None
        self._told = 0

    def __enter__(self) -> "Report":
        if self._target:
            self._write = self._stack.enter_context(open_writer(self._target))
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.__exit__(*raised)  # pyright: ignore[reportArgumentType]  handed on as it came
        if self._told > _MOST_LINES:
            more = self._told - _MOST_LINES
            print(f"… and {more:,} more rows; --report FILE tells of all", file=sys.stderr)

    def add(self, source: str, done: RowDone) -> None:
        """Tell of one row of a file."""
        if self._write and (done.changes or done.problems):
            self._write(_record(source, done))
        line = _line(done)
        if line:
            self._told += 1
            if self._told <= _MOST_LINES:
                print(f"{source}:{done.number}: {line}", file=sys.stderr)


def _line(done: RowDone) -> str:
    """What a person should know of a row; empty where nothing was lost."""
    if done.problems:
        first = done.problems[0]
        where = "" if first.entry is None else f"entry {first.entry}: "
        more = f" (and {len(done.problems) - 1} more)" if len(done.problems) > 1 else ""
        return f"left out: {where}{first.message}{more}"
    places: dict[str, list[str]] = {}
    for change in done.changes:
        if change.is_loss:
            found = places.setdefault(str(change.code), [])
            found.extend(str(one) for one in (change.entry, change.detail) if one not in (None, ""))
    return "; ".join(f"lost {code}" + (f" ({', '.join(of)})" if of else "") for code, of in places.items())


def _record(source: str, done: RowDone) -> JsonObject:
    changes: list[JsonValue] = [
        {"code": str(one.code), "entry": one.entry, "detail": one.detail, "lost": one.is_loss}
        for one in done.changes
    ]
    problems: list[JsonValue] = [
        {"code": one.code, "entry": one.entry, "message": one.message, "pointer": one.pointer}
        for one in done.problems
    ]
    return {
        "file": source,
        "row": done.number,
        "written": done.is_written,
        "split": done.split or None,
        "changes": changes,
        "problems": problems,
    }
