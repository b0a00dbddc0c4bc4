"""Repeatable random draws, and each split's share of the word lists."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import Final, TypeVar

from workbench.training.synth import vocabulary

Choice = TypeVar("Choice")


class Dice:
    """A random generator that depends only on the words that it is created with."""

    def __init__(self, *words: object) -> None:
        self._random = Random("/".join(map(str, words)))

    def chance(self, share: float) -> bool:
        """Return True with the probability `share`."""
        return self._random.random() < share

    def pick(self, items: Sequence[Choice]) -> Choice:
        """Return a random item."""
        return items[int(self._random.random() * len(items))]

    def weighted(self, shares: Sequence[tuple[Choice, float]]) -> Choice:
        """Return a random item, weighted by the shares."""
        place = self._random.random() * sum(share for _, share in shares)
        for item, share in shares:
            place -= share
            if place < 0:
                return item
        return shares[-1][0]

    def some(self, items: Sequence[Choice], count: int) -> list[Choice]:
        """Return `count` different items in random order, or all if there are fewer."""
        return self._random.sample(list(items), min(count, len(items)))

    def between(self, least: int, most: int) -> int:
        """Return a random whole number, both ends included."""
        return least + int(self._random.random() * (most - least + 1))


Item = TypeVar("Item")
TEST_EVERY: Final = 5
"""One of this many words belongs to the test split."""
RESERVED: Final = frozenset(
    {"flumbuster", "zorbix", "flumb", "uster", "zorb", "bix", "metric", "imperial", "add", "mul"}
)
"""Words of the shipped suite `nonsense`. They occur in neither split, so that models have never seen the suite."""


class WordSplit(StrEnum):
    """The two splits of words, tools and grammars."""

    TRAIN = "train"
    TEST = "test"


def share_of(items: Sequence[Item], split: WordSplit) -> tuple[Item, ...]:
    """Return the items of a list that belong to `split`, which depends on their position.

    >>> share_of("abcdef", WordSplit.TEST)
    ('e',)
    """
    is_test = split is WordSplit.TEST
    return tuple(
        item for place, item in enumerate(items) if (place % TEST_EVERY == TEST_EVERY - 1) is is_test
    )


def belongs(word: str, split: WordSplit) -> bool:
    """Return whether an invented word belongs to `split`, which depends on its hash."""
    if word.lower() in RESERVED:
        return False
    digest = blake2b(word.lower().encode(), digest_size=4).digest()
    return (int.from_bytes(digest, "big") % TEST_EVERY == 0) is (split is WordSplit.TEST)


_ONSETS: Final = tuple(
    "b,bl,br,c,ch,cl,cr,d,dr,f,fl,fr,g,gl,gr,h,j,k,kl,kr,l,m,n,p,pl,pr,qu,r,s,sk,sl,sm,sn,sp,st,str,t,th,tr,v,w,z,zw".split(
        ","
    )
)
_CORES: Final = tuple("a,e,i,o,u,oo,ee,ai,ou,y".split(","))
_CODAS: Final = tuple(
    ",,,b,ck,d,ff,g,l,ll,m,mp,n,nd,nk,p,r,rb,rn,s,sh,st,t,x,zz,ble,bus,ster,bit,nix,dle".split(",")
)


@dataclass(frozen=True)
class WordList:
    """The words of a split."""

    split: WordSplit

    def of(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Return the items of a list that belong to this split."""
        return share_of(items, self.split)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Names of towns."""
        return self.of(vocabulary.PLACES)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """First names."""
        return self.of(vocabulary.PEOPLE)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """Things that people buy, lend or lose."""
        return self.of(vocabulary.THINGS)

    @cached_property
    def choices(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Enums: each value as in the schema, and as a person may say it."""
        return share_of(vocabulary.CHOICES, self.split)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Topics that people read about."""
        return self.of(vocabulary.TOPICS)

    def made_up(self, dice: Dice) -> str:
        """Invent a word of one to three syllables."""
        while True:
            count = dice.weighted(((1, 2.0), (2, 5.0), (3, 2.0)))
            word = "".join(dice.pick(_ONSETS) + dice.pick(_CORES) for _ in range(count)) + dice.pick(_CODAS)
            if 4 <= len(word) <= 12 and belongs(word, self.split):
                return word

    def person(self, dice: Dice) -> str:
        """Draw a first name, often with a family name."""
        first = dice.pick(self.people)
        return f"{first} {dice.pick(self.of(vocabulary.FAMILIES))}" if dice.chance(0.4) else first

    def sentence(self, dice: Dice) -> str:
        """Draw a short sentence, such as a note to a colleague."""
        thing = f"{dice.pick(self.of(vocabulary.QUALITIES))} {dice.pick(self.things)}"
        state, day = dice.pick(self.of(vocabulary.STATES)), dice.pick(vocabulary.DAYS)
        forms = self.of(
            (
                f"The {thing} is {state}.",
                f"I will be {dice.between(5, 55)} minutes late",
                f"Please bring the {thing} on {day}",
                f"{dice.pick(self.people)} has the {thing}, it is {state}",
                f"Don't forget the {thing}!",
                f"Can we talk about {dice.pick(self.topics)} on {day}?",
                f"we need {dice.between(2, 40)} more {dice.pick(self.things)}",
                f"{day} works for me, see you at {dice.between(1, 12)}",
                f"It's {state}: the {thing}",
                f"Meet {dice.pick(self.people)} in {dice.pick(self.places)}",
                f"{dice.pick(self.topics)} and {dice.pick(self.topics)}",
                f"{thing} for {dice.pick(self.people)}",
            )
        )
        return dice.pick(forms)


def with_articles(text: str) -> str:
    """Replace `a` before a vowel by `an`.

    >>> with_articles("Send a event.")
    'Send an event.'
    """
    return re.sub(r"\ba (?=[aeiou])", "an ", text)
