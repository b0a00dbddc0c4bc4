"""Find rows that occur twice: in a file, across files, and almost."""

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.row import TrainingRow

FEWEST_WORDS: Final = 12
"""A shorter conversation is only like one of the same words: one more makes it another."""
_WORD: Final = re.compile(r"\w+")


class RowFingerprint(NamedTuple):
    """What is kept of a row to find it again: 16 bytes."""

    exact: int
    """64 bits of a hash of all that is said, byte for byte; 0 where there is nothing."""
    sketch: int
    """64 bits that hardly change with a word; of a short conversation, a hash of its words. 0 for none.

    *Source:* Charikar, "Similarity estimation techniques from rounding algorithms" (2002), over words and
    pairs of neighbours.
    """


def fingerprint_row(row: TrainingRow, *, sketches: bool = True) -> RowFingerprint:
    """The likeness of a row; with `sketches` False the sketch, which takes longest, is left out."""
    return fingerprint_text(conversation_text(row), sketches=sketches)


def fingerprint_text(text: str, *, sketches: bool = True) -> RowFingerprint:
    """As `fingerprint_row`, of what `conversation_text` tells of a row."""
    if not text:
        return RowFingerprint(0, 0)
    exact = _hash(text)
    if not sketches:
        return RowFingerprint(exact, 0)
    words = _WORD.findall(text.casefold())
    return RowFingerprint(exact, _hash(" ".join(words)) if len(words) < FEWEST_WORDS else _sketch(words))


def conversation_text(row: TrainingRow) -> str:
    """Who says what, the system text left out."""
    parts: list[str] = []
    for entry in row.all_entries:
        if entry.role is not Role.SYSTEM:
            parts.append(entry.role or entry.speaker)
            parts.append(entry.text)
            parts.extend(f"{call.name} {spelled_json(call.arguments or {})}" for call in entry.calls)
    return "\n".join(parts)


def _sketch(words: list[str]) -> int:
    hashes = np.fromiter(map(_word_hash, words), dtype=np.uint64, count=len(words))
    pairs = np.concatenate((hashes, hashes[:-1] * np.uint64(31) + hashes[1:]))
    bits = np.unpackbits(pairs.view(np.uint8).reshape(-1, 8), axis=1)
    ones = bits.sum(axis=0, dtype=np.int64)
    packed = np.packbits(ones * 2 > len(pairs))
    return int.from_bytes(packed.tobytes(), "big") or 1


@lru_cache(maxsize=100_000)
def _word_hash(word: str) -> int:
    return _hash(word)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


MOST_BITS: Final = 3
"""Sketches that differ in no more bits belong to rows that are almost the same."""
_BLOCKS: Final = 4
"""With three differing bits, one of four blocks of 16 is equal: only rows that share one are compared."""
_WIDEST: Final = 64
"""So many rows that share a block are compared with each; more of them say nothing of likeness."""


class DuplicateRow(NamedTuple):
    """A row that stands somewhere else too."""

    code: str
    """`duplicate-row`, `near-duplicate-row` or `shared-row`."""
    row: int
    """Its place among all rows of all files, from 0."""
    first: int


class RowFingerprints:
    """The likeness of every row, 16 bytes each, in the order of the rows."""

    __slots__ = ("exact", "sketches")

    def __init__(self) -> None:
        self.exact = array("Q")
        self.sketches = array("Q")

    def append(self, one: RowFingerprint) -> None:
        """The next row's."""
        self.exact.append(one.exact)
        self.sketches.append(one.sketch)

    def extend(self, others: "RowFingerprints") -> None:
        """The next rows'."""
        self.exact.extend(others.exact)
        self.sketches.extend(others.sketches)

    def duplicates(self, files: Sequence[int]) -> Iterator[DuplicateRow]:
        """The rows that stand twice, in order of place.

        Args:
            files: For each file, the place of the row behind its last, ascending.
        """
        exact = np.frombuffer(self.exact, dtype=np.uint64) if self.exact else np.empty(0, np.uint64)
        firsts = _firsts(exact)
        file_of = np.searchsorted(np.asarray(files), np.arange(len(exact)), side="right")
        found = [
            DuplicateRow("duplicate-row" if file_of[row] == file_of[first] else "shared-row", row, first)
            for row, first in _places(firsts)
        ]
        told = {duplicate.row for duplicate in found}
        found.extend(
            DuplicateRow("near-duplicate-row", row, first)
            for row, first in _places(self._nearest())
            if row not in told and firsts[first] == first
        )
        yield from sorted(found, key=lambda duplicate: duplicate.row)

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
