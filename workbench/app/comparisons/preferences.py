"""What the votes on a session's turns say of its messages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from workbench.app.comparisons.comparison import Answer, KeptComparison, VoteKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """An answer, as it stands in the session's tree."""

    asked_id: str
    """The user's message that it answers."""
    leaf_id: str
    """Its last message."""
    contract_name: str
    """Of the contract that it was given by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One answer is better than another to the same turn."""

    chosen: Side
    """The better one."""
    rejected: Side
    """The other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """All that was voted in one session."""

    pairs: tuple[Preference, ...] = ()
    """The better answer against each other one, the oldest comparison first."""
    bad: tuple[Side, ...] = ()
    """Answers of turns of which none was good."""


NO_PREFERENCES: Final = Preferences()
"""Nobody voted."""


def preferences_of(kept: tuple[KeptComparison, ...]) -> Preferences:
    """The votes of a session's comparisons; a tie prefers nothing."""
    return Preferences(
        pairs=tuple(pair for one in kept for pair in _pairs(one)),
        bad=tuple(side for one in kept for side in _bad(one)),
    )


def _pairs(kept: KeptComparison) -> Iterator[Preference]:
    for vote in kept.votes:
        sides = dict(_sides(kept, vote.turn))
        chosen = sides.get(vote.column) if vote.column is not None else None
        if chosen is not None:
            yield from (
                Preference(chosen=chosen, rejected=side)
                for column, side in sides.items()
                if column != vote.column
            )


def _bad(kept: KeptComparison) -> Iterator[Side]:
    for vote in kept.votes:
        if vote.kind is VoteKind.BAD:
            yield from (side for _, side in _sides(kept, vote.turn))


def _sides(kept: KeptComparison, turn: int) -> Iterator[tuple[int, Side]]:
    """The answers that came, by column."""
    for column, asked in enumerate(kept.comparison.columns):
        side = _side(kept.answer(turn, column), asked.setup.contract_name)
        if side is not None:
            yield column, side


def _side(answer: Answer | None, contract_name: str) -> Side | None:
    if answer is None or answer.asked_id is None or answer.leaf_id is None:
        return None
    return Side(asked_id=answer.asked_id, leaf_id=answer.leaf_id, contract_name=contract_name)
