"""What tells one conversation from another: a hash of what is said, and a sketch of its words.

Both leave the system text and the tools out: rows of one data set share them.
"""

import re
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np

from workbench.chat.message import Role
from workbench.hermes.spelling.tools import spelled_json
from workbench.trajectory.row import TrainingRow

FEWEST_WORDS: Final = 12
"""A shorter conversation is only like one of the same words: one more makes it another."""
_WORD: Final = re.compile(r"\w+")


class Likeness(NamedTuple):
    """What is kept of a row to find it again: 16 bytes."""

    exact: int
    """64 bits of a hash of all that is said, byte for byte; 0 where there is nothing."""
    sketch: int
    """64 bits that hardly change with a word; of a short conversation, a hash of its words. 0 for none.

    *Source:* Charikar, "Similarity estimation techniques from rounding algorithms" (2002), over words and
    pairs of neighbours.
    """


def likeness_of(row: TrainingRow, *, sketches: bool = True) -> Likeness:
    """The likeness of a row; with `sketches` False the sketch, which takes longest, is left out."""
    return likeness_of_said(said_in(row), sketches=sketches)


def likeness_of_said(text: str, *, sketches: bool = True) -> Likeness:
    """As `likeness_of`, of what `said_in` tells of a row."""
    if not text:
        return Likeness(0, 0)
    exact = _hash(text)
    if not sketches:
        return Likeness(exact, 0)
    words = _WORD.findall(text.casefold())
    return Likeness(exact, _hash(" ".join(words)) if len(words) < FEWEST_WORDS else _sketch(words))


def said_in(row: TrainingRow) -> str:
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
