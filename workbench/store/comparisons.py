"""Comparisons in a database: the port `workbench.store.comparisons.SqlComparisons`."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlmodel import Session, col, delete, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import StoreError
from workbench.records.comparisons import (
    Answer,
    Comparison,
    KeptComparison,
    ListedComparison,
    Vote,
    check_comparison,
    check_vote,
)
from workbench.records.owner import Owner
from workbench.store import rows
from workbench.store.audit import AuditWriter
from workbench.store.comparison_rows import column_document, kept_value, listed_value
from workbench.store.database import Database
from workbench.store.owned import Owned
from workbench.store.paths import message_row
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import ComparisonAnswerRow, ComparisonRow, ComparisonVoteRow, SessionRow
from workbench.store.writing import new_id


class ComparisonStore(Owned):
    """The comparisons of one owner's sessions; one transaction a method, safe to use from several threads."""

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        super().__init__(database, owner, now)
        self._audit = AuditWriter(owner, now)

    def create_comparison(self, title: str, comparison: Comparison) -> KeptComparison:
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
            return kept_value(db, row)

    def find_comparison(self, comparison_id: str) -> KeptComparison | None:
        """The comparison of that id; None where there is none."""
        with self._database.reading() as db:
            row = self._find(db, comparison_id)
            return None if row is None else kept_value(db, row)

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

    def save_answer(self, comparison_id: str, answer: Answer) -> None:
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
            check_vote(kept_value(db, found), vote)
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


def comparisons_of(db: Session, session_id: str) -> tuple[KeptComparison, ...]:
    """All comparisons of a session, the oldest first.

    Raises:
        StoreError: One of them is damaged.
    """
    its = (
        select(ComparisonRow)
        .where(col(ComparisonRow.session_id) == session_id)
        .order_by(col(ComparisonRow.created_at), col(ComparisonRow.id))
    )
    return tuple(kept_value(db, row) for row in db.exec(its))
