"""What belongs to training and what to the test: words, names and grammars are in one of the two, never in both."""

from collections.abc import Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Final, TypeVar

Item = TypeVar("Item")
TEST_EVERY: Final = 5
"""One of so many belongs to the test."""
RESERVED: Final = frozenset(
    {"flumbuster", "zorbix", "flumb", "uster", "zorb", "bix", "metric", "imperial", "add", "mul"}
)
"""Words of the shipped suite `nonsense`: they occur in neither split, so that the suite stays unseen."""


class Split(StrEnum):
    """Which of the two."""

    TRAIN = "train"
    TEST = "test"


def share_of(items: Sequence[Item], split: Split) -> tuple[Item, ...]:
    """The items of a written list that belong to `split`: by their place in it.

    >>> share_of("abcdef", Split.TEST)
    ('e',)
    """
    is_test = split is Split.TEST
    return tuple(
        item for place, item in enumerate(items) if (place % TEST_EVERY == TEST_EVERY - 1) is is_test
    )


def belongs(word: str, split: Split) -> bool:
    """Whether a made up word belongs to `split`: by its hash."""
    if word.lower() in RESERVED:
        return False
    digest = blake2b(word.lower().encode(), digest_size=4).digest()
    return (int.from_bytes(digest, "big") % TEST_EVERY == 0) is (split is Split.TEST)
