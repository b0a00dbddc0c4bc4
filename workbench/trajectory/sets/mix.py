"""Plan a mix of several files of rows: how many rows of each, which ones, and in which order.

A weight says how often the rows of a file are taken, as `repeat` does in MosaicML's Streaming: with 1 each row once,
with 0.5 half of the rows, with 2.5 each row twice and half of them a third time. So no row is taken twice unless its
weight is above 1. `datasets.interleave_datasets`, and with it LLaMA-Factory's `interleave_probs`, weighs otherwise:
their numbers are the shares of the files in the result, whatever the sizes of the files. `share_weights` turns such
shares into weights, for the largest mix in which no row is taken twice.

Everything is decided row by row from the numbers of rows, so a file of any size needs no memory. Chance comes from
hashes of the seed, which are the same everywhere.

*Source:* D. Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S (selection sampling).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import blake2b
from math import floor
from typing import NamedTuple

from workbench.errors import BadInput


def parse_weights(text: str, count: int, option: str) -> tuple[Fraction, ...]:
    """Parse positive numbers, separated by commas, one for each of `count` files.

    Raises:
        BadInput: A number is missing, cannot be read, or is not positive.

    >>> parse_weights("1,0.25", 2, "--weights")
    (Fraction(1, 1), Fraction(1, 4))
    """
    try:
        weights = tuple(Fraction(piece.strip()) for piece in text.split(","))
    except (ValueError, ZeroDivisionError):
        weights = ()
    if not weights or min(weights) <= 0:
        raise BadInput(f"{option} {text}", "not a list of positive numbers", f"write {option} 1,0.5")
    if len(weights) != count:
        raise BadInput(
            f"{option} {text}", f"{len(weights)} for {count} files", "give one number for each file"
        )
    return weights


def share_weights(shares: Sequence[Fraction], rows: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the weights of the largest mix in which the files have these shares and no row is taken twice.

    >>> share_weights([Fraction(70), Fraction(30)], [1000, 300])
    (Fraction(7, 10), Fraction(1, 1))

    Args:
        shares: Positive numbers; only their ratios count.
        rows: Number of rows of each file, at least 1.
    """
    size = min(count / share for share, count in zip(shares, rows, strict=True))
    return tuple(size * share / count for share, count in zip(shares, rows, strict=True))


def taken_rows(rows: int, weight: Fraction) -> int:
    """Return how many rows are taken of a file: weight times rows, rounded half up.

    >>> [taken_rows(5, weight) for weight in (Fraction(1), Fraction(1, 2), Fraction(5, 2))]
    [5, 3, 13]
    """
    return floor(rows * weight + Fraction(1, 2))


class TakenRow(NamedTuple):
    """A row to take from a file."""

    turn: int
    """How often the row was taken before."""
    place: int
    """Index of the row in the file, from 0."""


def choose_rows(rows: int, taken: int, seed: str) -> Iterator[TakenRow]:
    """Yield the rows to take, pass by pass, in their order.

    Every pass but the last takes all rows. The last takes a random selection of what is missing: each row is taken
    with a probability of (still missing) / (rows left), which gives every selection the same probability.
    """
    for turn in range(taken // rows):
        yield from (TakenRow(turn, place) for place in range(rows))
    missing = taken % rows
    for place in range(rows):
        if _drawn(seed, place, rows - place) < missing:
            missing -= 1
            yield TakenRow(taken // rows, place)


def mixed_order(taken: Sequence[int], seed: str) -> Iterator[int]:
    """Yield the index of the file that gives the next row; every order has the same probability.

    The next row comes from a file with a probability of (its rows left) / (all rows left). Rows of one file stay in
    their order.
    """
    left = list(taken)
    for number, total in enumerate(range(sum(left), 0, -1)):
        place, index = _drawn(seed, number, total), 0
        while place >= left[index]:
            place -= left[index]
            index += 1
        left[index] -= 1
        yield index


def _drawn(seed: str, number: int, total: int) -> int:
    """Return a number from 0 to `total - 1`, the draw with this number."""
    return int.from_bytes(blake2b(f"{seed} {number}".encode(), digest_size=8).digest(), "big") * total >> 64
