"""Chance that can be repeated."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """Draws that depend on nothing but the words they are begun with."""

    def __init__(self, *words: object) -> None:
        self._random = Random("/".join(map(str, words)))

    def chance(self, share: float) -> bool:
        """True in `share` of all draws."""
        return self._random.random() < share

    def pick(self, items: Sequence[Item]) -> Item:
        """One of them."""
        return items[int(self._random.random() * len(items))]

    def weighted(self, shares: Sequence[tuple[Item, float]]) -> Item:
        """One of them, each as often as its share of the sum says."""
        place = self._random.random() * sum(share for _, share in shares)
        for item, share in shares:
            place -= share
            if place < 0:
                return item
        return shares[-1][0]

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` different ones in any order; all of them where there are fewer."""
        return self._random.sample(list(items), min(count, len(items)))

    def between(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return least + int(self._random.random() * (most - least + 1))
