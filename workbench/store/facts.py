"""Facts of one owner's messages."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import SQLColumnExpression, Text, case, cast
from sqlalchemy import select as select_many
from sqlmodel import col, func, select

from workbench.records.facts import DailyModelStats, FactCount, FactGroup, FactKind, MessageFact
from workbench.store.fact_rows import fact_value
from workbench.store.owned import OwnerScope
from workbench.store.storable import problem_of
from workbench.store.tables import FactRow, GenerationRow, MessageRow, SessionRow

_GROUPS: Final[Mapping[FactGroup, SQLColumnExpression[Any]]] = {
    FactGroup.CODE: col(FactRow.code),
    FactGroup.MODEL: col(GenerationRow.engine_name),
    FactGroup.CONTRACT: col(GenerationRow.contract_version),
}


class FactStore(OwnerScope):
    """Reads the facts of one owner's sessions; they are written with the messages."""

    def of_session(self, session_id: str) -> Sequence[tuple[str, MessageFact]]:
        """Each fact of the session's messages with the message's id, in order; none of an unknown session.

        Raises:
            StoreError: They could not be read.
        """
        if problem_of(session_id):
            return ()
        its_own = (col(FactRow.session_id) == session_id, col(SessionRow.deleted_at).is_(None))
        found = (
            select(FactRow)
            .join(SessionRow, col(SessionRow.id) == col(FactRow.session_id))
            .where(*its_own, self._is_seen())
            .order_by(col(FactRow.id))
        )
        with self._database.reading() as db:
            return tuple((row.message_id, fact_value(row)) for row in db.exec(found))

    def count(
        self, group: FactGroup, *, since: datetime | None = None, until: datetime | None = None
    ) -> Sequence[FactCount]:
        """How often what was noted, the most frequent first, those of deleted sessions left out.

        Raises:
            StoreError: They could not be read.
        """
        at = col(MessageRow.created_at)
        with self._database.reading() as db:
            by = _GROUPS.get(group, _day_of(at, db.get_bind().dialect.name))
            many, messages = func.count(), func.count(col(FactRow.message_id).distinct())
            counted = (
                select(func.coalesce(by, ""), FactRow.kind, many, messages)
                .join(MessageRow, col(MessageRow.id) == col(FactRow.message_id))
                .join(SessionRow, col(SessionRow.id) == col(FactRow.session_id))
                .outerjoin(GenerationRow, col(GenerationRow.id) == col(MessageRow.generation_id))
                .where(col(SessionRow.deleted_at).is_(None), self._is_own())
                .group_by(by, col(FactRow.kind))
                .order_by(many.desc(), by, col(FactRow.kind))
            )
            if since is not None:
                counted = counted.where(at >= since)
            if until is not None:
                counted = counted.where(at < until)
            return tuple(
                FactCount(group=name, kind=FactKind(kind), count=count, message_count=message_count)
                for name, kind, count, message_count in db.exec(counted)
            )

    def days(self, contract_versions: Collection[str]) -> Sequence[DailyModelStats]:
        """What models wrote under these versions of contracts, day by day.

        Raises:
            StoreError: They could not be read.
        """
        version, model = col(GenerationRow.contract_version), col(GenerationRow.engine_name)
        with self._database.reading() as db:
            day = _day_of(col(MessageRow.created_at), db.get_bind().dialect.name)
            fixed, dropped = _generations(FactKind.FIX), _generations(FactKind.DROP)
            counted = (
                # SQLModel's own select knows the types of four columns at most.
                select_many(day, version, model, _generations(), fixed, dropped)
                .join(MessageRow, col(MessageRow.generation_id) == col(GenerationRow.id))
                .join(SessionRow, col(SessionRow.id) == col(MessageRow.session_id))
                .outerjoin(FactRow, col(FactRow.message_id) == col(MessageRow.id))
                .where(version.in_(contract_versions), col(MessageRow.copy_of).is_(None))
                .where(col(SessionRow.deleted_at).is_(None), self._is_own())
                .group_by(day, version, model)
                .order_by(day, version, model)
            )
            return tuple(
                DailyModelStats(
                    day=day, contract_version=version or "", model=model,
                    completions=completions, fixed=fixed, dropped=dropped,
                )
                for day, version, model, completions, fixed, dropped in db.connection().execute(counted)
            )  # fmt: skip


def _generations(kind: FactKind | None = None) -> SQLColumnExpression[int]:
    """How many generations, or how many that have a fact of that kind."""
    its = col(GenerationRow.id)
    wanted = its if kind is None else case((col(FactRow.kind) == kind.value, its), else_=None)
    return func.count(wanted.distinct())


def _day_of(moment: SQLColumnExpression[datetime], dialect: str) -> SQLColumnExpression[str]:
    """The day in UTC, ISO 8601."""
    if dialect == "postgresql":
        return func.to_char(func.timezone("UTC", moment), "YYYY-MM-DD")
    # SQLite keeps a moment as text that begins with its day.
    return func.substr(cast(moment, Text), 1, 10)
