"""Families of everyday tools: tools with requests, results and answers that people wrote."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from workbench.chat.json_value import JsonValue
from workbench.training.everyday.sentences import Sentence
from workbench.training.everyday.spoken import Slot
from workbench.training.everyday.tools import EverydayTool


class FamilySplit(StrEnum):
    """The splits of the families."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayResult:
    """A result of a call, with placeholders, and the answers that report it."""

    result: JsonValue = field(hash=False)
    is_error: bool
    answers: tuple[Sentence, ...]
    when: Mapping[str, JsonValue] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCallExample:
    """A message that needs no call, and the answer to it."""

    say: Sentence
    answer: Sentence


@dataclass(frozen=True, kw_only=True)
class Family:
    """A family of tools that do the same, and how people ask for it."""

    name: str
    file: str
    """Name of the file that it is written in."""
    split: FamilySplit
    domain: str
    """Families of the same domain are never offered together."""
    apart: frozenset[str]
    """Other domains whose families are never offered together with it: they could fulfil its near misses."""
    about: str
    """What the tools do, as a phrase that follows "I can" or "to"."""
    slots: Mapping[str, Slot] = field(hash=False)
    variants: tuple[tuple[EverydayTool, ...], ...]
    """Alternatives. Each has one or more tools, which are offered together."""
    requests: tuple[Sentence, ...]
    parallel: tuple[Sentence, ...]
    """Requests for two or more calls. The slots of the second have the number 2."""
    follow_ups: tuple[Sentence, ...]
    """Requests that change one or more values of the last call."""
    asks: Mapping[str, tuple[Sentence, ...]] = field(hash=False)
    """Questions for a missing value, by slot."""
    gives: Mapping[str, tuple[Sentence, ...]] = field(hash=False)
    """Replies to such a question, by slot."""
    results: tuple[EverydayResult, ...]
    near_misses: tuple[NoCallExample, ...]
    """Requests that look alike and that the tools cannot fulfil."""
    chats: tuple[NoCallExample, ...]
    """Messages about the topic that need no tool."""

    def may_join(self, other: "Family") -> bool:
        """Return whether the two families may be offered together."""
        return (
            self.domain != other.domain and self.domain not in other.apart and other.domain not in self.apart
        )

    @cached_property
    def taken(self) -> frozenset[str]:
        """Slots that a tool takes. Values of the others are made up for results."""
        return frozenset(slot for variant in self.variants for tool in variant for slot in tool.slots)
