"""Comparisons: what is compared, the answers, and the votes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from workbench.errors import BadInput
from workbench.records.run_config import RunConfig

MIN_COLUMNS: Final = 2
MAX_COLUMNS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A setup whose answers are compared."""

    contract: str
    """The contract as chosen, such as `minimal` or `minimal@3`; empty for the session's own text."""
    setup: RunConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of several setups on the same turns."""

    session_id: str
    """The session whose branches hold the answers."""
    turns: tuple[str, ...]
    """Ids of the user messages to answer, in the order of the conversation."""
    columns: tuple[Column, ...]
    """`MIN_COLUMNS` to `MAX_COLUMNS` columns; the others are compared with the first."""
    goes_on: bool = False
    """True: each turn follows the column's own answers. False: each turn follows the session's answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAnswer:
    """A column's answer to a turn."""

    column: int
    """Index of the column, from 0."""
    turn: int
    """Index among the compared turns, from 0."""
    asked_id: str | None = None
    """User message that it follows, which may be a copy of the turn's; None if the turn was not reached."""
    leaf_id: str | None = None
    """Last message of the answer; None if there is none."""
    problem: str = ""
    """Why the answer is incomplete; empty if it is complete."""


class VoteKind(StrEnum):
    """Judgement about the answers to a turn."""

    BEST = "best"
    """One answer is better than all others."""
    TIE = "tie"
    """The answers are equally good."""
    BAD = "bad"
    """No answer is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A vote on the answers to a turn."""

    turn: int
    """Index among the compared turns, from 0."""
    kind: VoteKind
    column: int | None = None
    """Index of the best column, from 0; None unless `kind` is `best`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedComparison:
    """A comparison in a list."""

    id: str
    """Random and hard to guess; part of the page's URL."""
    title: str
    """The first words of the first compared message."""
    created_at: datetime
    """When it was started, UTC."""
    column_count: int
    turn_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredComparison:
    """A stored comparison."""

    listed: ListedComparison
    comparison: Comparison
    answers: tuple[ComparisonAnswer, ...] = ()
    """Answers so far, by turn, then by column."""
    votes: tuple[Vote, ...] = ()
    """In the order of the turns, at most one per turn."""

    @property
    def id(self) -> str:
        """Id of the comparison."""
        return self.listed.id

    def answer(self, turn: int, column: int) -> ComparisonAnswer | None:
        """Return a column's answer to a turn, or None if there is none yet."""
        return next(
            (answer for answer in self.answers if (answer.turn, answer.column) == (turn, column)), None
        )

    def vote(self, turn: int) -> Vote | None:
        """Return the vote on a turn, or None if nobody has voted."""
        return next((vote for vote in self.votes if vote.turn == turn), None)

    @property
    def missing(self) -> tuple[tuple[int, int], ...]:
        """Turn and column of each answer that is missing or incomplete, column by column."""
        return tuple(
            (turn, column)
            for column in range(len(self.comparison.columns))
            for turn in range(len(self.comparison.turns))
            if not _is_complete(self.answer(turn, column))
        )


def _is_complete(answer: ComparisonAnswer | None) -> bool:
    return answer is not None and not answer.problem


def check_comparison(comparison: Comparison) -> None:
    """Raise if a comparison cannot be run.

    Raises:
        BadInput: There are too few or too many columns, or there is no turn.
    """
    check_count(len(comparison.columns))
    if not comparison.turns:
        raise BadInput("comparison", "there is no turn to answer", "write a message, or select a turn")


def check_count(count: int) -> None:
    """Raise if there are too few or too many columns.

    Raises:
        BadInput: The number is not from `MIN_COLUMNS` to `MAX_COLUMNS`.
    """
    if not MIN_COLUMNS <= count <= MAX_COLUMNS:
        raise BadInput(
            "comparison",
            f"{count} {'column' if count == 1 else 'columns'}",
            f"compare {MIN_COLUMNS} to {MAX_COLUMNS} columns",
        )


def check_vote(stored: StoredComparison, vote: Vote) -> None:
    """Raise if a comparison does not allow a vote.

    Raises:
        BadInput: The turn or column does not exist, or there are fewer than two answers.
    """
    where = f"vote on turn {vote.turn + 1}"
    columns = range(len(stored.comparison.columns))
    if vote.turn not in range(len(stored.comparison.turns)):
        count = len(stored.comparison.turns)
        raise BadInput(where, f"the comparison has only {count} {'turn' if count == 1 else 'turns'}")
    if vote.kind is VoteKind.BEST and vote.column is None:
        raise BadInput(where, "the vote `best` needs a column", "name one, or vote `tie` or `bad`")
    if vote.kind is not VoteKind.BEST and vote.column is not None:
        raise BadInput(where, f"the vote `{vote.kind}` has no column", "remove the column, or vote `best`")
    answered = [
        column for column in columns if (answer := stored.answer(vote.turn, column)) and answer.leaf_id
    ]
    if len(answered) < MIN_COLUMNS:
        has = "has" if len(answered) == 1 else "have"
        raise BadInput(
            where,
            f"{len(answered)} of {len(columns)} columns {has} an answer",
            "vote when two have one",
        )
    if vote.column is not None and vote.column not in answered:
        raise BadInput(where, f"column {vote.column + 1} has no answer", "vote for a column with an answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedAnswer:
    """An answer in the session's tree."""

    asked_id: str
    """The user message that it answers."""
    leaf_id: str
    """Last message of the answer."""
    contract_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Two answers to the same turn, of which the first is better."""

    chosen: VotedAnswer
    rejected: VotedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """All votes in a session."""

    pairs: tuple[Preference, ...] = ()
    """The best answer with each of the others, the oldest comparison first."""
    bad: tuple[VotedAnswer, ...] = ()
    """Answers to turns for which no answer was good."""


NO_PREFERENCES: Final = Preferences()


def preferences_of(comparisons: tuple[StoredComparison, ...]) -> Preferences:
    """Collect the votes of a session's comparisons. A tie prefers none."""
    return Preferences(
        pairs=tuple(pair for comparison in comparisons for pair in _pairs(comparison)),
        bad=tuple(side for comparison in comparisons for side in _bad(comparison)),
    )


def _pairs(stored: StoredComparison) -> Iterator[Preference]:
    for vote in stored.votes:
        sides = dict(_sides(stored, vote.turn))
        chosen = sides.get(vote.column) if vote.column is not None else None
        if chosen is not None:
            yield from (
                Preference(chosen=chosen, rejected=side)
                for column, side in sides.items()
                if column != vote.column
            )


def _bad(stored: StoredComparison) -> Iterator[VotedAnswer]:
    for vote in stored.votes:
        if vote.kind is VoteKind.BAD:
            yield from (side for _, side in _sides(stored, vote.turn))


def _sides(stored: StoredComparison, turn: int) -> Iterator[tuple[int, VotedAnswer]]:
    """Yield the answers to a turn by column."""
    for column, compared in enumerate(stored.comparison.columns):
        side = _side(stored.answer(turn, column), compared.setup.contract_name)
        if side is not None:
            yield column, side


def _side(answer: ComparisonAnswer | None, contract_name: str) -> VotedAnswer | None:
    if answer is None or answer.asked_id is None or answer.leaf_id is None:
        return None
    return VotedAnswer(asked_id=answer.asked_id, leaf_id=answer.leaf_id, contract_name=contract_name)
