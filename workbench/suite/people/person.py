"""The person of a case, who talks to the model over several turns."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.toolspec.patterns import is_found, pattern_problem

MOST_TURNS: Final = 10
"""Maximum number of messages of a person, unless the case says otherwise."""


class _PersonModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Manner(StrEnum):
    """How a person talks."""

    PLAIN = "plain"
    TERSE = "terse"
    """Says no more than the value of a fact."""
    CHATTY = "chatty"
    """Says more than was asked, but no more facts."""
    WRONG_AT_FIRST = "wrong_at_first"
    """First gives the wrong value of each fact that has one, and corrects it with the next message."""
    CHANGES_MIND = "changes_mind"
    """Says `change` after the first answer."""


class Fact(_PersonModel):
    """Something that the person says only when asked."""

    value: str = Field(min_length=1)
    asked: str = ""
    """Pattern of a message that asks for it. Empty uses the words of the fact's name."""
    wrong: str = ""
    """What a person says first who is wrong at first. Empty if the person knows it."""


class PersonRule(_PersonModel):
    """What a scripted person answers to a message of the model."""

    when: str
    """Pattern that matches a part of the message."""
    say: str | list[str] = ""
    """The answer. From a list, one answer each time the rule matches; the last one repeats."""
    ends: bool = False
    """True ends the conversation after this answer."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The answers in order."""
        return (self.say,) if isinstance(self.say, str) else tuple(self.say) or ("",)

    @model_validator(mode="after")
    def _says_something(self) -> "PersonRule":
        if not self.ends and not all(self.texts):
            raise ValueError("a rule that does not end the conversation must say something")
        return self


class Person(_PersonModel):
    """The key `user` of a case. With rules, the person is scripted; without, a model acts as them."""

    goal: str = Field(min_length=1)
    first: str = ""
    """The first message. Empty uses the goal for a scripted person; a simulated person writes their own."""
    facts: dict[str, Fact] = Field(default_factory=dict[str, Fact])
    manner: Manner = Manner.PLAIN
    change: str = ""
    """What a person says who changes their mind."""
    never: list[str] = Field(default_factory=list[str])
    """Patterns of what the person must never say."""
    rules: list[PersonRule] = Field(default_factory=list[PersonRule])
    script: list[str] = Field(default_factory=list[str])
    """All messages in order, whatever the model says. With `first` or `facts`, a model can act as them instead."""
    otherwise: str = "I don't know. Please do what I asked."
    """The answer of a scripted person if no rule matches and no fact is asked for."""
    max_turns: int = Field(default=MOST_TURNS, ge=1, le=100)
    """Maximum number of the person's messages."""

    @field_validator("facts", mode="before")
    @classmethod
    def _from_values(cls, facts: object) -> object:
        """Accept `order id: W1001` for `order id: {value: W1001}`."""
        if not isinstance(facts, Mapping):
            return facts
        given = cast(Mapping[str, object], facts)
        return {
            name: {"value": str(fact)} if isinstance(fact, str | int | float) else fact
            for name, fact in given.items()
        }

    @model_validator(mode="after")
    def _usable(self) -> "Person":
        patterns = [rule.when for rule in self.rules] + [fact.asked for fact in self.facts.values()]
        for pattern in (*patterns, *self.never):
            if problem := pattern_problem(pattern):
                raise ValueError(f"the pattern {pattern[:40]!r}: {problem}")
        if self.script and (self.rules or not all(self.script)):
            raise ValueError("a script has all messages: give no rules and no empty message")
        if self.rules and not any(rule.ends for rule in self.rules):
            raise ValueError("the person never ends the conversation: give a rule with ends: true")
        if self.manner is Manner.CHANGES_MIND and not self.change:
            raise ValueError("a person who changes their mind needs change: what they say then")
        if self.manner is Manner.WRONG_AT_FIRST and not any(fact.wrong for fact in self.facts.values()):
            raise ValueError("a person who is wrong at first needs a fact with wrong: what they say first")
        return self

    @property
    def is_scripted(self) -> bool:
        """Whether rules or a script say what the person answers."""
        return bool(self.rules or self.script)

    @property
    def is_fixed(self) -> bool:
        """Whether nothing but the script is known of the person, so that no model can act as them."""
        return bool(self.script) and not (self.first or self.facts)

    @property
    def first_message(self) -> str:
        """The first message of a scripted person."""
        return next(iter(self.script), self.first or self.goal)

    def asked_facts(self, message: str) -> tuple[str, ...]:
        """Return the names of the facts that a message of the model asks for."""
        return tuple(name for name, fact in self.facts.items() if is_found(_asked(name, fact), message))


def contains_words(text: str, value: str) -> bool:
    """Return whether a text contains a value as whole words, in upper or lower case.

    >>> contains_words("My order is w1001.", "W1001"), contains_words("It is W10015.", "W1001")
    (True, False)
    """
    return re.search(rf"(?<!\w){re.escape(value.strip())}(?!\w)", text, re.IGNORECASE) is not None


def _asked(name: str, fact: Fact) -> str:
    """Return the pattern of a question for a fact: its own, or the words of its name with anything in between."""
    return fact.asked or "(?is)" + r"\W+".join(re.escape(word) for word in re.findall(r"\w+", name))
