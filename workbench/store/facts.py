"""Facts about messages in the database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from typing import cast as typed

from sqlalchemy import SQLColumnExpression, Text, case, cast
from sqlalchemy import select as select_many
from sqlmodel import col, func, select

from workbench.chat.finding import Edit, Severity, Span
from workbench.errors import BadInput
from workbench.hermes.parse import parse
from workbench.hermes.reading import Reading
from workbench.records.facts import DailyModelStats, FactCount, FactGroup, FactKind, MessageFact
from workbench.store.damage import damage_of
from workbench.store.owner_scope import OwnerScope
from workbench.store.storable import problem_of
from workbench.store.tables import FactRow, GenerationRow, MessageRow, SessionRow
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


def read_completion(text: str, setup: Mapping[str, Any], finish_reason: str) -> Reading:
    """What the reader makes of a completion.

    Args:
        text: Byte for byte.
        setup: The session's, as its row has it; where its tools cannot be read, no name is checked.
        finish_reason: Why the completion ended.
    """
    tools_text: object = setup.get("tools_text")
    disabled: object = setup.get("disabled_tools")
    names = tuple(map(str, typed(list[object], disabled))) if isinstance(disabled, list) else ()
    tools = _tools(tools_text, names) if isinstance(tools_text, str) else None
    return parse(text, tools=tools, finish_reason=finish_reason)


@lru_cache(maxsize=64)
def _tools(text: str, disabled: tuple[str, ...]) -> OfferedTools | None:
    try:
        tools = parse_tools(text)
    except BadInput:
        return None
    return tools.only(frozenset(tools.names) - frozenset(disabled))


def fact_row(fact: MessageFact, *, session_id: str, message_id: str) -> FactRow:
    """The row of a fact."""
    return FactRow(
        session_id=session_id,
        message_id=message_id,
        kind=fact.kind.value,
        code=fact.code,
        severity=fact.severity.value if fact.severity else None,
        is_guess=fact.is_guess,
        span_start=fact.span.start if fact.span else None,
        span_end=fact.span.end if fact.span else None,
        note=fact.note,
        edits=[{"span": list(edit.span), "before": edit.before, "after": edit.after} for edit in fact.edits],
    )


def fact_value(row: FactRow) -> MessageFact:
    """The fact as the other floors know it.

    Raises:
        StoreError: Its row is damaged.
    """
    has_place = row.span_start is not None and row.span_end is not None
    with damage_of(f"fact {row.id} of message {row.message_id!r}"):
        return MessageFact(
            kind=FactKind(row.kind),
            code=row.code,
            severity=Severity(row.severity) if row.severity else None,
            is_guess=row.is_guess,
            span=Span(row.span_start or 0, row.span_end or 0) if has_place else None,
            note=row.note,
            edits=_edits(row.edits),
        )


def _edits(documents: Sequence[Mapping[str, Any]]) -> tuple[Edit, ...]:
    return tuple(
        Edit(span=Span(*document["span"]), before=document["before"], after=document["after"])
        for document in documents
    )


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
