"""What can be compared and voted."""

from workbench.app.comparisons.comparison import (
    MAX_COLUMNS,
    MIN_COLUMNS,
    Comparison,
    KeptComparison,
    Vote,
    VoteKind,
)
from workbench.errors import BadInput


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


def check_vote(kept: KeptComparison, vote: Vote) -> None:
    """Refuses a vote that its comparison does not allow.

    Raises:
        BadInput: The turn or the column is not there, or fewer than two answers are.
    """
    where = f"vote on turn {vote.turn + 1}"
    columns = range(len(kept.comparison.columns))
    if vote.turn not in range(len(kept.comparison.turns)):
        raise BadInput(where, f"the comparison has {len(kept.comparison.turns)} turns")
    if (vote.kind is VoteKind.BEST) != (vote.column is not None):
        raise BadInput(where, "it names no column that is better", "name one, or vote `tie` or `bad`")
    there = [one for one in columns if (answer := kept.answer(vote.turn, one)) and answer.leaf_id]
    if len(there) < MIN_COLUMNS:
        raise BadInput(where, f"{len(there)} of {len(columns)} columns answered", "vote once two are there")
    if vote.column is not None and vote.column not in there:
        raise BadInput(where, f"column {vote.column + 1} has no answer", "vote for one that answered")
