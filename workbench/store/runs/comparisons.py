"""Store comparisons, their answers and votes."""

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import StoreError
from workbench.records.comparisons import (
    Column,
    Comparison,
    ComparisonAnswer,
    ListedComparison,
    StoredComparison,
    Vote,
    VoteKind,
    check_comparison,
    check_vote,
)
from workbench.store import rows
from workbench.store.audit import AuditWriter
from workbench.store.owner_scope import OwnerScope, OwnerView
from workbench.store.paths import message_row
from workbench.store.rows import new_id
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import ComparisonAnswerRow, ComparisonRow, ComparisonVoteRow, SessionRow
from workbench.store.titles import title_of


def column_document(column: Column) -> dict[str, Any]:
    """Return the JSON in which a column is stored."""
    return {"contract": column.contract, "setup": rows.setup_document(column.setup)}


def listed_value(row: ComparisonRow) -> ListedComparison:
    """Return the summary of a comparison for lists."""
    return ListedComparison(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        column_count=len(row.columns),
        turn_count=len(row.turns),
    )


def comparison_value(db: Session, row: ComparisonRow) -> StoredComparison:
    """Return a comparison with its answers and votes.

    Raises:
        StoreError: The row is damaged.
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
        return StoredComparison(
            listed=listed_value(row),
            comparison=_comparison(row),
            answers=tuple(_answer(answer_row) for answer_row in db.exec(answers)),
            votes=tuple(_vote(vote_row) for vote_row in db.exec(votes)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"comparison {row.id!r}: its row is damaged: {error}") from error


def _comparison(row: ComparisonRow) -> Comparison:
    return Comparison(
        session_id=row.session_id,
        turns=tuple(row.turns),
        columns=tuple(
            Column(contract=str(document["contract"]), setup=rows.setup_value(document["setup"]))
            for document in row.columns
        ),
        goes_on=row.goes_on,
    )


def _answer(row: ComparisonAnswerRow) -> ComparisonAnswer:
    return ComparisonAnswer(
        column=row.place, turn=row.turn, asked_id=row.asked_id, leaf_id=row.leaf_id, problem=row.problem
    )


def _vote(row: ComparisonVoteRow) -> Vote:
    return Vote(turn=row.turn, kind=VoteKind(row.kind), column=row.place)


class ComparisonStore(OwnerScope):
    """The comparisons of one owner's sessions. Each method is one transaction. Thread-safe."""

    def __init__(self, view: OwnerView) -> None:
        super().__init__(view)
        self._audit = AuditWriter(view.owner, view.now)

    def create_comparison(self, title: str, comparison: Comparison) -> StoredComparison:
        """Store a new comparison.

        Raises:
            BadInput: The comparison is invalid, or contains text that cannot be stored.
            StoreError: The session or a turn does not exist, or the comparison could not be written.
        """
        check_comparison(comparison)
        refuse_unstorable([title, comparison], "comparison")
        self._limits.check_text("title", title)
        self._limits.check_comparison(comparison)
        with self._database.writing() as db:
            self._require_room(db, "comparisons", self._select_own(), self._limits.runs)
            session = self._own_session(db, comparison.session_id)
            row = ComparisonRow(
                id=new_id(),
                session_id=session.id,
                title=title_of(title),
                turns=[message_row(db, session.id, turn).id for turn in comparison.turns],
                columns=[column_document(column) for column in comparison.columns],
                goes_on=comparison.goes_on,
                created_at=self._now(),
            )
            db.add(row)
            db.flush()
            return comparison_value(db, row)

    def find_comparison(self, comparison_id: str) -> StoredComparison | None:
        """Return the comparison with this id, or None if it does not exist."""
        with self._database.reading() as db:
            row = self._find(db, comparison_id)
            return None if row is None else comparison_value(db, row)

    def list_comparisons(self, *, limit: int = 50, offset: int = 0) -> Sequence[ListedComparison]:
        """Return comparisons, newest first."""
        page = (
            self._select_own()
            .order_by(col(ComparisonRow.created_at).desc(), col(ComparisonRow.id))
            .limit(limit)
            .offset(offset)
        )
        with self._database.reading() as db:
            return tuple(map(listed_value, db.exec(page)))

    def save_answer(self, comparison_id: str, answer: ComparisonAnswer) -> None:
        """Store a column's answer to a turn, in place of an earlier one.

        Raises:
            BadInput: The answer contains text that cannot be stored.
            StoreError: The comparison or a message does not exist, or the answer could not be written.
        """
        refuse_unstorable(answer, "answer")
        with self._database.writing() as db:
            comparison = self._own_comparison(db, comparison_id)
            for message_id in filter(None, (answer.asked_id, answer.leaf_id)):
                message_row(db, comparison.session_id, message_id)
            key = (comparison.id, answer.turn, answer.column)
            row = db.get(ComparisonAnswerRow, key)
            if row is None:
                row = ComparisonAnswerRow(
                    comparison_id=comparison.id,
                    turn=answer.turn,
                    place=answer.column,
                    problem="",
                    created_at=self._now(),
                )
                db.add(row)
            row.asked_id, row.leaf_id, row.problem = answer.asked_id, answer.leaf_id, answer.problem
            row.created_at = self._now()

    def save_vote(self, comparison_id: str, vote: Vote) -> None:
        """Store the vote on a turn, in place of an earlier one.

        Raises:
            BadInput: The turn or the column does not exist, or there are fewer than two answers.
            StoreError: The comparison does not exist, or the vote could not be written.
        """
        with self._database.writing() as db:
            comparison = self._own_comparison(db, comparison_id)
            check_vote(comparison_value(db, comparison), vote)
            row = db.get(ComparisonVoteRow, (comparison.id, vote.turn))
            if row is None:
                row = ComparisonVoteRow(
                    comparison_id=comparison.id, turn=vote.turn, kind="", updated_at=self._now()
                )
                db.add(row)
            row.kind, row.place, row.updated_at = vote.kind.value, vote.column, self._now()
            subject = f"comparison:{comparison.id}#{vote.turn}"
            self._audit.note(db, "vote.save", subject, kind=vote.kind.value, column=vote.column)

    def forget_vote(self, comparison_id: str, turn: int) -> None:
        """Delete the vote on a turn.

        Raises:
            StoreError: The comparison does not exist, or the vote could not be deleted.
        """
        with self._database.writing() as db:
            comparison = self._own_comparison(db, comparison_id)
            is_vote = (
                col(ComparisonVoteRow.comparison_id) == comparison.id,
                col(ComparisonVoteRow.turn) == turn,
            )
            if db.exec(delete(ComparisonVoteRow).where(*is_vote)).rowcount:
                self._audit.note(db, "vote.forget", f"comparison:{comparison.id}#{turn}")

    def _select_own(self) -> SelectOfScalar[ComparisonRow]:
        return (
            select(ComparisonRow)
            .join(SessionRow, col(SessionRow.id) == col(ComparisonRow.session_id))
            .where(self._is_own(), col(SessionRow.deleted_at).is_(None))
        )

    def _find(self, db: Session, comparison_id: str) -> ComparisonRow | None:
        if problem_of(comparison_id):
            return None
        return db.exec(self._select_own().where(col(ComparisonRow.id) == comparison_id)).first()

    def _own_comparison(self, db: Session, comparison_id: str) -> ComparisonRow:
        """Return the comparison's row and lock its session, so that other writers to the session wait."""
        row = self._find(db, comparison_id)
        if row is None:
            raise StoreError(f"there is no comparison {comparison_id!r}; its session may have been deleted")
        self._own_session(db, row.session_id)
        return row


def comparisons_of(db: Session, session_id: str) -> tuple[StoredComparison, ...]:
    """Return all comparisons of a session, oldest first.

    Raises:
        StoreError: A comparison is damaged.
    """
    query = (
        select(ComparisonRow)
        .where(col(ComparisonRow.session_id) == session_id)
        .order_by(col(ComparisonRow.created_at), col(ComparisonRow.id))
    )
    return tuple(comparison_value(db, row) for row in db.exec(query))
