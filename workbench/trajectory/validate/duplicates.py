"""Find duplicate rows: in a file, across files, and rows that are almost the same.

A row is reduced to 16 bytes, so that millions of rows fit in memory and processes can exchange results:

- `exact`, a 64-bit hash of the conversation. Equal hashes mean equal conversations.
- `sketch`, a SimHash: 64 bits of which few change when a few words change. Two rows are near duplicates if
  their sketches differ in at most `MOST_BITS` bits.

SimHash: hash every word and every pair of neighbours to 64 bits. Bit i of the sketch is 1 if bit i is 1 in more
than half of these hashes. One changed word changes at most three hashes, so most of the 64 votes stay as they
are. Pairs are included because words alone ignore order: "send it from Ann to Bob" and "send it from Bob to
Ann" have the same words.

Comparing every two rows would be quadratic. By the pigeonhole principle, if at most three of 64 bits differ,
at least one of four blocks of 16 bits is equal. So the rows are sorted by each block in turn, and only rows
that share a block are compared, up to `_WIDEST` neighbours in that order. The limit is a trade-off: in a
synthetic set where a thousand rows share a template, comparing all of them would again be quadratic, and the
nearest neighbours already find the duplicates.

Short conversations (fewer than `FEWEST_WORDS` words) have too few votes for a stable sketch. For example, in
"What is 2 + 2?" and "What is 2 + 3?" one word makes another question. Their sketch is the hash of all words,
so they match only if the words are the same, ignoring case and punctuation.

*Source:* M. Charikar, "Similarity estimation techniques from rounding algorithms" (2002); the search by blocks
is from G. Manku et al., "Detecting near-duplicates for web crawling" (2007).
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.chat.message import Role
from workbench.hermes.spelling.tools import template_json
from workbench.trajectory.row import TrainingRow

FEWEST_WORDS: Final = 12
"""Shorter conversations match only conversations with the same words."""
_WORD: Final = re.compile(r"\w+")


class RowFingerprint(NamedTuple):
    """Two hashes of a conversation, by which duplicates are found; see the module's description."""

    exact: int
    """64-bit hash of the conversation, byte for byte; 0 if the conversation is empty."""
    sketch: int
    """SimHash of 64 bits; for a short conversation, the hash of its words. 0 if it was not computed."""


def fingerprint_row(row: TrainingRow, *, sketches: bool = True) -> RowFingerprint:
    """Compute the fingerprint of a row. Without `sketches`, skip the sketch, which takes most of the time."""
    return fingerprint_text(conversation_text(row), sketches=sketches)


def fingerprint_text(text: str, *, sketches: bool = True) -> RowFingerprint:
    """Compute a fingerprint from the text that `conversation_text` returns."""
    if not text:
        return RowFingerprint(0, 0)
    exact = _hash(text)
    if not sketches:
        return RowFingerprint(exact, 0)
    words = _words(text)
    return RowFingerprint(
        exact, _hash_bytes(b" ".join(words)) if len(words) < FEWEST_WORDS else _sketch(words)
    )


def _words(text: str) -> list[bytes]:
    """Return the words of a text in lower case, as UTF-8."""
    if text.isascii():
        # The same words as those of the expression, in a third of the time.
        return text.encode().translate(_ASCII_WORDS).split()
    return [word.encode("utf-8", "surrogatepass") for word in _WORD.findall(text.casefold())]


_ASCII_WORDS: Final = bytes(
    ord(char.lower()) if char.isalnum() or char == "_" else ord(" ") for char in map(chr, range(128))
) + bytes(128)
"""Translates each character of a word to lower case, and every other to a space."""


def conversation_text(row: TrainingRow) -> str:
    """Return the roles, texts and calls of a row as one text, without the system text."""
    parts: list[str] = []
    for entry in row.all_entries:
        if entry.role is not Role.SYSTEM:
            parts.append(entry.role or entry.speaker)
            parts.append(entry.text)
            parts.extend(f"{call.name} {template_json(call.arguments or {})}" for call in entry.calls)
    return "\n".join(parts)


def _sketch(words: list[bytes]) -> int:
    hashes = np.fromiter(map(_word_hashes.__getitem__, words), dtype=np.uint64, count=len(words))
    pairs = np.concatenate((hashes, hashes[:-1] * np.uint64(31) + hashes[1:]))
    counts = np.unpackbits(pairs.view(np.uint8)).reshape(-1, 64).sum(axis=0, dtype=np.uint32)
    packed = np.packbits(counts * 2 > len(pairs))
    return int.from_bytes(packed.tobytes(), "big") or 1


class _WordHashes(dict[bytes, int]):
    """The hashes of words. Looking a word up takes half the time of a cached function."""

    def __missing__(self, word: bytes) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        found = self[word] = _hash_bytes(word)
        return found


_MOST_WORDS: Final = 100_000
_word_hashes: Final = _WordHashes()


def _hash(text: str) -> int:
    return _hash_bytes(text.encode("utf-8", "surrogatepass"))


def _hash_bytes(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


MOST_BITS: Final = 3
"""Near duplicates differ in at most this many bits of their sketches."""
_BLOCKS: Final = 4
"""Blocks of 16 bits in a sketch. If at most three bits differ, at least one of four blocks is equal."""
_WIDEST: Final = 64
"""A row is compared with at most this many neighbours that share a block."""


class DuplicateRow(NamedTuple):
    """A row that repeats an earlier one."""

    code: str
    """`duplicate-row`, `near-duplicate-row` or `shared-row`."""
    row: int
    """Index among all rows of all files, from 0."""
    first: int
    """Index of the earlier row."""


class RowFingerprints:
    """The fingerprints of all rows, 16 bytes each, in the order of the rows."""

    __slots__ = ("exact", "sketches")

    def __init__(self) -> None:
        self.exact = array("Q")
        self.sketches = array("Q")

    def append(self, fingerprint: RowFingerprint) -> None:
        """Add the fingerprint of the next row."""
        self.exact.append(fingerprint.exact)
        self.sketches.append(fingerprint.sketch)

    def extend(self, others: "RowFingerprints") -> None:
        """Add the fingerprints of the rows that follow."""
        self.exact.extend(others.exact)
        self.sketches.extend(others.sketches)

    def duplicates(self, files: Sequence[int]) -> Iterator[DuplicateRow]:
        """Yield the duplicates, in order of the rows.

        A row is reported once, with the first row like it: exact duplicates before near duplicates.

        Args:
            files: For each file, the number of rows up to its end, ascending.
        """
        exact = np.frombuffer(self.exact, dtype=np.uint64) if self.exact else np.empty(0, np.uint64)
        firsts = _firsts(exact)
        file_of = np.searchsorted(np.asarray(files), np.arange(len(exact)), side="right")
        found = [
            DuplicateRow("duplicate-row" if file_of[row] == file_of[first] else "shared-row", row, first)
            for row, first in _places(firsts)
        ]
        exact_rows = {duplicate.row for duplicate in found}
        found.extend(
            DuplicateRow("near-duplicate-row", row, first)
            for row, first in _places(self._nearest())
            if row not in exact_rows and firsts[first] == first
        )
        yield from sorted(found, key=lambda duplicate: duplicate.row)

    def _nearest(self) -> NDArray[np.int64]:
        """Return for each row the index of the first near duplicate, or its own index."""
        nearest = np.arange(len(self.sketches))
        if self.sketches:
            sketches = np.frombuffer(self.sketches, dtype=np.uint64)
            for block in range(_BLOCKS):
                _near_in_block(sketches, block, nearest)
        return nearest


def _firsts(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return for each index the first index with the same value. The value 0 equals nothing, not even itself."""
    places = np.arange(len(values))
    if not len(values):
        return places
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.where(values == 0, places, first[inverse])


def _places(firsts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    for row in np.flatnonzero(firsts != np.arange(len(firsts))):
        yield int(row), int(firsts[row])


def _near_in_block(sketches: NDArray[np.uint64], block: int, nearest: NDArray[np.int64]) -> None:
    """Lower `nearest` where an earlier row has the same 16 bits in `block` and differs in few bits.

    After a stable sort by the block, rows with the same block are adjacent. One pass compares each row with the
    one `distance` places before it, so at most `_WIDEST` passes are needed, even if all rows are alike.
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
        # At one distance each row occurs at most once, so no assignment overwrites another.
        nearest[rows] = np.minimum(nearest[rows], firsts)
