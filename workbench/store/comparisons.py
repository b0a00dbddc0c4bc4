"""Comparisons in the database."""

from collections.abc import Callable, Sequence
from datetime import datetime
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
from workbench.records.owner import Owner
from workbench.store import rows
from workbench.store.audit import AuditWriter
from workbench.store.database import Database
from workbench.store.message_writer import new_id
from workbench.store.owner_scope import OwnerScope
from workbench.store.paths import message_row
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import ComparisonAnswerRow, ComparisonRow, ComparisonVoteRow, SessionRow


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


def comparison_value(db: Session, row: ComparisonRow) -> StoredComparison:
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
        return StoredComparison(
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


def _answer(row: ComparisonAnswerRow) -> ComparisonAnswer:
    return ComparisonAnswer(
        column=row.place, turn=row.turn, asked_id=row.asked_id, leaf_id=row.leaf_id, problem=row.problem
    )


def _vote(row: ComparisonVoteRow) -> Vote:
    return Vote(turn=row.turn, kind=VoteKind(row.kind), column=row.place)


class ComparisonStore(OwnerScope):
    """The comparisons of one owner's sessions; one transaction a method, safe to use from several threads."""

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        super().__init__(database, owner, now)
        self._audit = AuditWriter(owner, now)

    def create_comparison(self, title: str, comparison: Comparison) -> StoredComparison:
        """A new comparison.

        Raises:
            BadInput: It cannot be played, or holds text that cannot be stored.
            StoreError: There is no such session or turn, or it could not be written.
        """
        check_comparison(comparison)
        refuse_unstorable([title, comparison], "comparison")
        with self._database.writing() as db:
            session = self._own(db, comparison.session_id)
            row = ComparisonRow(
                id=new_id(),
                session_id=session.id,
                title=rows.title_of(title),
                turns=[message_row(db, session.id, turn).id for turn in comparison.turns],
                columns=[column_document(column) for column in comparison.columns],
                goes_on=comparison.goes_on,
                created_at=self._now(),
            )
            db.add(row)
            db.flush()
            return comparison_value(db, row)

    def find_comparison(self, comparison_id: str) -> StoredComparison | None:
        """The comparison of that id; None where there is none."""
        with self._database.reading() as db:
            row = self._find(db, comparison_id)
            return None if row is None else comparison_value(db, row)

    def list_comparisons(self, *, limit: int = 50, offset: int = 0) -> Sequence[ListedComparison]:
        """The comparisons, the newest first."""
        page = (
            self._mine()
            .order_by(col(ComparisonRow.created_at).desc(), col(ComparisonRow.id))
            .limit(limit)
            .offset(offset)
        )
        with self._database.reading() as db:
            return tuple(map(listed_value, db.exec(page)))

    def save_answer(self, comparison_id: str, answer: ComparisonAnswer) -> None:
        """What a column made of a turn.

        Raises:
            BadInput: It holds text that cannot be stored.
            StoreError: There is no such comparison or message, or it could not be written.
        """
        refuse_unstorable(answer, "answer")
        with self._database.writing() as db:
            found = self._there(db, comparison_id)
            for message_id in filter(None, (answer.asked_id, answer.leaf_id)):
                message_row(db, found.session_id, message_id)
            key = (found.id, answer.turn, answer.column)
            row = db.get(ComparisonAnswerRow, key)
            if row is None:
                row = ComparisonAnswerRow(
                    comparison_id=found.id,
                    turn=answer.turn,
                    place=answer.column,
                    problem="",
                    created_at=self._now(),
                )
                db.add(row)
            row.asked_id, row.leaf_id, row.problem = answer.asked_id, answer.leaf_id, answer.problem
            row.created_at = self._now()

    def save_vote(self, comparison_id: str, vote: Vote) -> None:
        """What is held of a turn.

        Raises:
            BadInput: There is no such turn or column, or fewer than two answers.
            StoreError: There is no such comparison, or it could not be written.
        """
        with self._database.writing() as db:
            found = self._there(db, comparison_id)
            check_vote(comparison_value(db, found), vote)
            row = db.get(ComparisonVoteRow, (found.id, vote.turn))
            if row is None:
                row = ComparisonVoteRow(
                    comparison_id=found.id, turn=vote.turn, kind="", updated_at=self._now()
                )
                db.add(row)
            row.kind, row.place, row.updated_at = vote.kind.value, vote.column, self._now()
            subject = f"comparison:{found.id}#{vote.turn}"
            self._audit.note(db, "vote.save", subject, kind=vote.kind.value, column=vote.column)

    def forget_vote(self, comparison_id: str, turn: int) -> None:
        """Nothing is held of the turn any more.

        Raises:
            StoreError: There is no such comparison, or it could not be written.
        """
        with self._database.writing() as db:
            found = self._there(db, comparison_id)
            its = (col(ComparisonVoteRow.comparison_id) == found.id, col(ComparisonVoteRow.turn) == turn)
            if db.exec(delete(ComparisonVoteRow).where(*its)).rowcount:
                self._audit.note(db, "vote.forget", f"comparison:{found.id}#{turn}")

    def _mine(self) -> SelectOfScalar[ComparisonRow]:
        return (
            select(ComparisonRow)
            .join(SessionRow, col(SessionRow.id) == col(ComparisonRow.session_id))
            .where(self._is_own(), col(SessionRow.deleted_at).is_(None))
        )

    def _find(self, db: Session, comparison_id: str) -> ComparisonRow | None:
        if problem_of(comparison_id):
            return None
        return db.exec(self._mine().where(col(ComparisonRow.id) == comparison_id)).first()

    def _there(self, db: Session, comparison_id: str) -> ComparisonRow:
        """The row, to write to what belongs to it: whoever else writes to its session waits."""
        row = self._find(db, comparison_id)
        if row is None:
            raise StoreError(f"there is no comparison {comparison_id!r}; its session may be deleted")
        self._own(db, row.session_id)
        return row


def comparisons_of(db: Session, session_id: str) -> tuple[StoredComparison, ...]:
    """All comparisons of a session, the oldest first.

    Raises:
        StoreError: One of them is damaged.
    """
    its = (
        select(ComparisonRow)
        .where(col(ComparisonRow.session_id) == session_id)
        .order_by(col(ComparisonRow.created_at), col(ComparisonRow.id))
    )
    return tuple(comparison_value(db, row) for row in db.exec(its))
