"""Rows of comparisons as values, and back."""

from typing import Any

from sqlmodel import Session, col, select

from workbench.errors import StoreError
from workbench.records.comparisons import (
    Answer,
    Column,
    Comparison,
    KeptComparison,
    ListedComparison,
    Vote,
    VoteKind,
)
from workbench.store import rows
from workbench.store.tables import ComparisonAnswerRow, ComparisonRow, ComparisonVoteRow


def column_document(column: Column) -> dict[str, Any]:
    """The JSON of a column."""
    return {"contract": column.contract, "setup": rows.setup_document(column.setup)}


def listed_value(row: ComparisonRow) -> ListedComparison:
    """A comparison as a list shows it."""
    return ListedComparison(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        column_count=len(row.columns),
        turn_count=len(row.turns),
    )


def kept_value(db: Session, row: ComparisonRow) -> KeptComparison:
    """The comparison with all that came of it.

    Raises:
        StoreError: Its row is damaged.
    """
    answers = (
        select(ComparisonAnswerRow)
        .where(col(ComparisonAnswerRow.comparison_id) == row.id)
        .order_by(col(ComparisonAnswerRow.turn), col(ComparisonAnswerRow.place))
    )
    votes = (
        select(ComparisonVoteRow)
        .where(col(ComparisonVoteRow.comparison_id) == row.id)
        .order_by(col(ComparisonVoteRow.turn))
    )
    try:
        return KeptComparison(
            listed=listed_value(row),
            comparison=_comparison(row),
            answers=tuple(_answer(one) for one in db.exec(answers)),
            votes=tuple(_vote(one) for one in db.exec(votes)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"comparison {row.id!r}: its row is damaged: {error}") from error


def _comparison(row: ComparisonRow) -> Comparison:
    return Comparison(
        session_id=row.session_id,
        turns=tuple(row.turns),
        columns=tuple(
            Column(contract=str(one["contract"]), setup=rows.setup_value(one["setup"])) for one in row.columns
        ),
        goes_on=row.goes_on,
    )


def _answer(row: ComparisonAnswerRow) -> Answer:
    return Answer(
        column=row.place, turn=row.turn, asked_id=row.asked_id, leaf_id=row.leaf_id, problem=row.problem
    )


def _vote(row: ComparisonVoteRow) -> Vote:
    return Vote(turn=row.turn, kind=VoteKind(row.kind), column=row.place)
