"""Rows that stand twice: within a file, across files, and almost."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.trajectory.validate.likeness import Likeness

MOST_BITS: Final = 3
"""Sketches that differ in no more bits belong to rows that are almost the same."""
_BLOCKS: Final = 4
"""With three differing bits, one of four blocks of 16 is equal: only rows that share one are compared."""
_WIDEST: Final = 64
"""So many rows that share a block are compared with each; more of them say nothing of likeness."""


class Double(NamedTuple):
    """A row that stands somewhere else too."""

    code: str
    """`duplicate-row`, `near-duplicate-row` or `shared-row`."""
    row: int
    """Its place among all rows of all files, from 0."""
    first: int
    """The place of the earlier one."""


class Likenesses:
    """The likeness of every row, 16 bytes each, in the order of the rows."""

    __slots__ = ("exact", "sketches")

    def __init__(self) -> None:
        self.exact = array("Q")
        self.sketches = array("Q")

    def append(self, one: Likeness) -> None:
        """The next row's."""
        self.exact.append(one.exact)
        self.sketches.append(one.sketch)

    def extend(self, others: "Likenesses") -> None:
        """The next rows'."""
        self.exact.extend(others.exact)
        self.sketches.extend(others.sketches)

    def doubles(self, files: Sequence[int]) -> Iterator[Double]:
        """The rows that stand twice, in order of place.

        Args:
            files: For each file, the place of the row behind its last, ascending.
        """
        exact = np.frombuffer(self.exact, dtype=np.uint64) if self.exact else np.empty(0, np.uint64)
        firsts = _firsts(exact)
        file_of = np.searchsorted(np.asarray(files), np.arange(len(exact)), side="right")
        found = [
            Double("duplicate-row" if file_of[row] == file_of[first] else "shared-row", row, first)
            for row, first in _places(firsts)
        ]
        told = {double.row for double in found}
        found.extend(
            Double("near-duplicate-row", row, first)
            for row, first in _places(self._nearest())
            if row not in told and firsts[first] == first
        )
        yield from sorted(found, key=lambda double: double.row)

    def _nearest(self) -> NDArray[np.int64]:
        """For each row the first that is almost the same, or its own place."""
        nearest = np.arange(len(self.sketches))
        if self.sketches:
            sketches = np.frombuffer(self.sketches, dtype=np.uint64)
            for block in range(_BLOCKS):
                _near_in_block(sketches, block, nearest)
        return nearest


def _firsts(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each place the first place of the same value; a place of 0, which is like nothing, its own."""
    places = np.arange(len(values))
    if not len(values):
        return places
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.where(values == 0, places, first[inverse])


def _places(firsts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    for row in np.flatnonzero(firsts != np.arange(len(firsts))):
        yield int(row), int(firsts[row])


def _near_in_block(sketches: NDArray[np.uint64], block: int, nearest: NDArray[np.int64]) -> None:
    """Lower `nearest` where an earlier row has the same 16 bits in `block` and few bits are between them.

    Takes some hundred passes over the rows at most, also where all of them are alike.
    """
    keys = (sketches >> np.uint64(16 * block)) & np.uint64(0xFFFF)
    order = np.argsort(keys, kind="stable")
    order = order[sketches[order] != 0]
    for distance in range(1, min(_WIDEST, len(order))):
        earlier, later = order[:-distance], order[distance:]
        is_same = keys[earlier] == keys[later]
        if not is_same.any():
            return
        is_near = is_same & (np.bitwise_count(sketches[earlier] ^ sketches[later]) <= MOST_BITS)
        rows, firsts = later[is_near], earlier[is_near]
        # At one distance no row comes twice, so that none overwrites another.
        nearest[rows] = np.minimum(nearest[rows], firsts)
