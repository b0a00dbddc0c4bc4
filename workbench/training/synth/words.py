"""What a split's conversations are made of: its share of the written words, and made up ones."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from workbench.training.synth import vocabulary
from workbench.training.synth.dice import Dice
from workbench.training.synth.split import Item, Split, belongs, share_of

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
class Words:
    """The words of one split."""

    split: Split
    """Which."""

    def of(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """The split's share of a written list."""
        return share_of(items, self.split)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Towns."""
        return self.of(vocabulary.PLACES)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """First names."""
        return self.of(vocabulary.PEOPLE)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What one can buy, lend or lose."""
        return self.of(vocabulary.THINGS)

    @cached_property
    def choices(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Enums: each word as a tool wants it, and as a person may say it."""
        return share_of(vocabulary.CHOICES, self.split)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """What one can read about."""
        return self.of(vocabulary.TOPICS)

    def made_up(self, dice: Dice) -> str:
        """A word that does not exist, of one to three syllables."""
        while True:
            count = dice.weighted(((1, 2.0), (2, 5.0), (3, 2.0)))
            word = "".join(dice.pick(_ONSETS) + dice.pick(_CORES) for _ in range(count)) + dice.pick(_CODAS)
            if 4 <= len(word) <= 12 and belongs(word, self.split):
                return word

    def person(self, dice: Dice) -> str:
        """A first name, often with a family name."""
        first = dice.pick(self.people)
        return f"{first} {dice.pick(self.of(vocabulary.FAMILIES))}" if dice.chance(0.4) else first

    def sentence(self, dice: Dice) -> str:
        """A short sentence, such as one writes to a colleague."""
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
    """`a` before a vowel becomes `an`.

    >>> with_articles("Send a event.")
    'Send an event.'
    """
    return re.sub(r"\ba (?=[aeiou])", "an ", text)
