"""Comparisons as values: what is compared, the answers, and the votes."""

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
    """One way to answer."""

    contract: str
    """The contract as it was asked for, such as `minimal` or `minimal@3`; empty for the session's own text."""
    setup: RunConfig


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
class ComparisonAnswer:
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
    turn_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredComparison:
    """A comparison of the store."""

    listed: ListedComparison
    comparison: Comparison
    answers: tuple[ComparisonAnswer, ...] = ()
    """What came up to now, by turn, then by column."""
    votes: tuple[Vote, ...] = ()
    """By turn; one a turn at most."""

    @property
    def id(self) -> str:
        """Of the comparison."""
        return self.listed.id

    def answer(self, turn: int, column: int) -> ComparisonAnswer | None:
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


def _is_whole(answer: ComparisonAnswer | None) -> bool:
    return answer is not None and not answer.problem


def check_comparison(comparison: Comparison) -> None:
    """Refuses what cannot be compared.

    Raises:
        BadInput: There are too few or too many columns, or no turn.
    """
    check_count(len(comparison.columns))
    if not comparison.turns:
        raise BadInput("comparison", "there is no turn to answer", "write a question, or choose a turn")


def check_count(count: int) -> None:
    """Refuses too few and too many columns.

    Raises:
        BadInput: There are.
    """
    if not MIN_COLUMNS <= count <= MAX_COLUMNS:
        raise BadInput(
            "comparison", f"{count} columns", f"compare from {MIN_COLUMNS} to {MAX_COLUMNS} of them"
        )


def check_vote(stored: StoredComparison, vote: Vote) -> None:
    """Refuses a vote that its comparison does not allow.

    Raises:
        BadInput: The turn or the column is not there, or fewer than two answers are.
    """
    where = f"vote on turn {vote.turn + 1}"
    columns = range(len(stored.comparison.columns))
    if vote.turn not in range(len(stored.comparison.turns)):
        raise BadInput(where, f"the comparison has {len(stored.comparison.turns)} turns")
    if (vote.kind is VoteKind.BEST) != (vote.column is not None):
        raise BadInput(where, "it names no column that is better", "name one, or vote `tie` or `bad`")
    there = [one for one in columns if (answer := stored.answer(vote.turn, one)) and answer.leaf_id]
    if len(there) < MIN_COLUMNS:
        raise BadInput(where, f"{len(there)} of {len(columns)} columns answered", "vote once two are there")
    if vote.column is not None and vote.column not in there:
        raise BadInput(where, f"column {vote.column + 1} has no answer", "vote for one that answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedAnswer:
    """An answer, as it stands in the session's tree."""

    asked_id: str
    """The user's message that it answers."""
    leaf_id: str
    """Its last message."""
    contract_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One answer is better than another to the same turn."""

    chosen: VotedAnswer
    rejected: VotedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """All that was voted in one session."""

    pairs: tuple[Preference, ...] = ()
    """The better answer against each other one, the oldest comparison first."""
    bad: tuple[VotedAnswer, ...] = ()
    """Answers of turns of which none was good."""


NO_PREFERENCES: Final = Preferences()
"""Nobody voted."""


def preferences_of(stored: tuple[StoredComparison, ...]) -> Preferences:
    """The votes of a session's comparisons; a tie prefers nothing."""
    return Preferences(
        pairs=tuple(pair for one in stored for pair in _pairs(one)),
        bad=tuple(side for one in stored for side in _bad(one)),
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
    """The answers that came, by column."""
    for column, asked in enumerate(stored.comparison.columns):
        side = _side(stored.answer(turn, column), asked.setup.contract_name)
        if side is not None:
            yield column, side


def _side(answer: ComparisonAnswer | None, contract_name: str) -> VotedAnswer | None:
    if answer is None or answer.asked_id is None or answer.leaf_id is None:
        return None
    return VotedAnswer(asked_id=answer.asked_id, leaf_id=answer.leaf_id, contract_name=contract_name)
