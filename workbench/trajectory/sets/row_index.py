"""Find the rows behind a figure: a few numbers for each row of a file, in about fifty bytes.

What a row has, such as a tool that it calls or the code of a finding, is a *mark*. Each mark gets a number, and the
index holds pairs of a row and the number of a mark, so that "all rows that call `get_weather`" is one comparison over
an array.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.chat.message import Role
from workbench.trajectory.sets.row_facts import RowFacts

MOST_MARKS: Final = 100_000
"""Different marks that are kept, the first ones, so that rows with tools of their own need bounded memory."""
_UNMEASURED: Final = 2**32 - 1
_MIX: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""*Source:* the constants of SplitMix64, by S. Vigna, https://prng.di.unimi.it/splitmix64.c."""

Rows = NDArray[np.int64]
"""Indexes of rows, from 0."""


class MarkKind(StrEnum):
    """What a mark says about a row."""

    TOOL = "tool"
    VALUE = "value"
    """It uses this value of an enum parameter: the tool, the parameter and the value as JSON."""
    FINDING = "finding"
    FORMAT = "format"
    ROLE = "role"
    WRITER = "writer"
    """It has a text of this origin, such as `mock`."""

    __hash__ = str.__hash__  # as for `Role`


class RowMark(NamedTuple):
    """Something that a row has."""

    kind: MarkKind
    names: tuple[str, ...]


class Range(NamedTuple):
    """Numbers from `least` to `most`, both included."""

    least: int
    most: int | None
    """None for no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Conditions that a row must all meet. None means no condition."""

    marks: tuple[RowMark, ...] = ()
    calls: Range | None = None
    turns: Range | None = None
    tokens: Range | None = None
    """Rows without a length in tokens do not meet it."""


@dataclass(slots=True, kw_only=True)
class RowIndex:
    """Numbers and marks of the rows of one file. Rows are added in order."""

    offsets: "array[int]" = field(default_factory=lambda: array("Q"))
    """Where each row begins in the file, in bytes."""
    numbers: "array[int]" = field(default_factory=lambda: array("I"))
    """Number of each row in the file, from 1, as findings name it."""
    calls: "array[int]" = field(default_factory=lambda: array("I"))
    turns: "array[int]" = field(default_factory=lambda: array("I"))
    tokens: "array[int]" = field(default_factory=lambda: array("I"))
    marks: dict[tuple[MarkKind, tuple[str, ...]], int] = field(
        default_factory=dict[tuple[MarkKind, tuple[str, ...]], int]
    )
    """The number of each `RowMark`."""
    _marked_rows: "array[int]" = field(default_factory=lambda: array("I"))
    _row_marks: "array[int]" = field(default_factory=lambda: array("I"))
    """The mark of the row at the same place in `_marked_rows`."""
    _alike: "dict[tuple[str, tuple[Role, ...]], array[int]]" = field(
        default_factory=dict[tuple[str, tuple[Role, ...]], "array[int]"]
    )
    """The marks of each format with these roles, in order of first occurrence."""

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def all_rows(self) -> Rows:
        """The indexes of all rows, in order."""
        return np.arange(len(self), dtype=np.int64)

    def add(self, offset: int, number: int, facts: RowFacts | None) -> None:
        """Add the next row. `facts` is None for a row that cannot be read."""
        row = len(self.offsets)
        self.offsets.append(offset)
        self.numbers.append(number)
        called = facts.called if facts else ()
        self.calls.append(len(called))
        self.turns.append(facts.turns if facts else 0)
        self.tokens.append(_UNMEASURED if facts is None or facts.tokens is None else facts.tokens)
        if facts is not None:
            self._mark_alike(row, facts.format, tuple(facts.characters))
            for name in dict.fromkeys(called):
                self._mark(row, MarkKind.TOOL, (name,))
            for value in dict.fromkeys(facts.values):
                self._mark(row, MarkKind.VALUE, value)

    def add_writers(self, row: int, writers: Iterable[str]) -> None:
        """Mark a row with those who wrote its messages."""
        for writer in writers:
            self._mark(row, MarkKind.WRITER, (writer,))

    def add_findings(self, row: int, codes: Iterable[str]) -> None:
        """Mark a row with the codes of its findings. Codes of the same row may come in several calls."""
        for code in dict.fromkeys(codes):
            self._mark(row, MarkKind.FINDING, (code,))

    def matching(self, chosen: RowFilter) -> Rows:
        """Return the rows that meet all conditions, in order."""
        rows = self.all_rows
        for mark in chosen.marks:
            number = self.marks.get(mark)
            if number is None:
                return rows[:0]
            marked_rows, numbers = self._pairs()
            marked = marked_rows[numbers == number]
            rows = np.intersect1d(rows, marked.astype(np.int64))
        for numbers, wanted in (
            (self.calls, chosen.calls),
            (self.turns, chosen.turns),
            (self.tokens, chosen.tokens),
        ):
            if wanted is not None:
                values = _values(numbers)[rows]
                most = _UNMEASURED - 1 if wanted.most is None else wanted.most
                rows = rows[(values >= wanted.least) & (values <= most)]
        return rows

    def counts(self, kind: MarkKind) -> dict[tuple[str, ...], int]:
        """Return the number of rows with each mark of a kind, in order of first occurrence."""
        pairs = np.unique(np.stack(self._pairs(), axis=1), axis=0)
        rows = np.bincount(pairs[:, 1].astype(np.int64), minlength=len(self.marks))
        return {names: int(rows[number]) for (marked, names), number in self.marks.items() if marked is kind}

    def _pairs(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return each marked row, and its mark. Another thread may be adding a finding: its row, then its mark."""
        numbers = _values(self._row_marks)
        return _values(self._marked_rows)[: len(numbers)], numbers

    def _mark_alike(self, row: int, format_name: str, roles: tuple[Role, ...]) -> None:
        """Mark a row with its format and roles, in which most rows of a file are alike."""
        numbers = self._alike.get((format_name, roles))
        if numbers is None:
            first = len(self._row_marks)
            self._mark(row, MarkKind.FORMAT, (format_name,))
            for role in roles:
                self._mark(row, MarkKind.ROLE, (role,))
            self._alike[format_name, roles] = self._row_marks[first:]
            return
        self._row_marks.extend(numbers)
        self._marked_rows.extend([row] * len(numbers))

    def _mark(self, row: int, kind: MarkKind, names: tuple[str, ...]) -> None:
        number = self.marks.get((kind, names))
        if number is None:
            if len(self.marks) >= MOST_MARKS:
                return
            number = self.marks[kind, tuple(map(str, names))] = len(self.marks)
        self._marked_rows.append(row)
        self._row_marks.append(number)


def shuffled(rows: Rows, seed: int) -> Rows:
    """Return rows in an order that only depends on the seed and the rows themselves, not on the other rows.

    >>> [int(row) for row in shuffled(np.arange(6), 0)] == [int(row) for row in shuffled(np.arange(6), 0)]
    True
    """
    with np.errstate(over="ignore"):
        mixed = rows.astype(np.uint64) + np.uint64(seed % 2**64) * _MIX[1] + _MIX[0]
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[1]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[2]
        mixed ^= mixed >> np.uint64(31)
    return rows[np.argsort(mixed, kind="stable")]


def _values(numbers: "array[int]") -> NDArray[np.uint64]:
    # A copy, because an array cannot grow while numpy looks at it.
    return np.array(numbers, dtype=np.uint64)
