"""Comparisons as values: what is compared, what came of it, how people voted."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.app.setup import Setup

MIN_COLUMNS: Final = 2
MAX_COLUMNS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One way to answer."""

    contract: str
    """The contract as it was asked for, such as `minimal` or `minimal@3`; empty for the session's own text."""
    setup: Setup
    """What its answers are played with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is compared."""

    session_id: str
    """The session in which the answers stand as branches."""
    turns: tuple[str, ...]
    """Ids of the user's messages that are answered, in the order of the conversation."""
    columns: tuple[Column, ...]
    """From `MIN_COLUMNS` to `MAX_COLUMNS`; the first is what the others are held against."""
    goes_on: bool = False
    """True: a column answers each turn behind its own answers. False: behind the session's, as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a column made of a turn."""

    column: int
    """Its place, from 0."""
    turn: int
    """The turn's place among those that are compared, from 0."""
    asked_id: str | None = None
    """The user's message below which it stands: the turn's own or a copy; None where none was reached."""
    leaf_id: str | None = None
    """Its last message; None where nothing came."""
    problem: str = ""
    """Why it is not whole; empty where it is."""


class VoteKind(StrEnum):
    """What is held of the answers to a turn."""

    BEST = "best"
    """One is better than all others."""
    TIE = "tie"
    """They are as good as each other."""
    BAD = "bad"
    """None is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What somebody holds of the answers to a turn."""

    turn: int
    """The turn's place among those that are compared, from 0."""
    kind: VoteKind
    """What is held."""
    column: int | None = None
    """The better one's place, from 0; None but for `best`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedComparison:
    """A comparison as a list shows it."""

    id: str
    """Unguessable; stands in the address bar."""
    title: str
    """The first words of what was asked."""
    created_at: datetime
    """When it was begun, UTC."""
    column_count: int
    """Columns."""
    turn_count: int
    """Turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptComparison:
    """A comparison of the store."""

    listed: ListedComparison
    """As a list shows it."""
    comparison: Comparison
    """What is compared."""
    answers: tuple[Answer, ...] = ()
    """What came up to now, by turn, then by column."""
    votes: tuple[Vote, ...] = ()
    """By turn; one a turn at most."""

    @property
    def id(self) -> str:
        """Of the comparison."""
        return self.listed.id

    def answer(self, turn: int, column: int) -> Answer | None:
        """What a column made of a turn; None where it has not yet."""
        return next((one for one in self.answers if (one.turn, one.column) == (turn, column)), None)

    def vote(self, turn: int) -> Vote | None:
        """What is held of a turn; None where nobody voted."""
        return next((one for one in self.votes if one.turn == turn), None)

    @property
    def missing(self) -> tuple[tuple[int, int], ...]:
        """Turn and column of each answer that did not come, or not whole; columns in a row."""
        return tuple(
            (turn, column)
            for column in range(len(self.comparison.columns))
            for turn in range(len(self.comparison.turns))
            if not _is_whole(self.answer(turn, column))
        )


def _is_whole(answer: Answer | None) -> bool:
    return answer is not None and not answer.problem
