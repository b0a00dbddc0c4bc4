"""Store and count what the reader noted about messages: fixes, findings and dropped blocks."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from typing import cast as typed

from sqlalchemy import SQLColumnExpression, Text, case, cast
from sqlalchemy import select as select_many
from sqlmodel import col, func, select

from workbench.chat.finding import Edit, Severity, Span
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.hermes.parse import names_without_facts, parse
from workbench.hermes.reading import Reading
from workbench.records.facts import (
    DailyModelStats,
    DataTotals,
    FactCount,
    FactGroup,
    FactKind,
    MessageFact,
    facts_of,
)
from workbench.store.damage import damage_of
from workbench.store.deleting import is_shown
from workbench.store.owner_scope import OwnerScope
from workbench.store.storable import problem_of
from workbench.store.tables import FactRow, GenerationRow, ImportRow, MessageRow, RunSessionRow, SessionRow
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools


def read_completion(text: str, setup: Mapping[str, Any], finish_reason: str) -> Reading:
    """Read a completion with the tools of its session.

    Args:
        text: The completion, byte for byte.
        setup: The session's setup as stored. If its tools cannot be read, tool names are not checked.
        finish_reason: Why the completion ended.
    """
    return parse(text, tools=_tools_of(setup), finish_reason=finish_reason)


def facts_and_names(
    text: str, setup: Mapping[str, Any], finish_reason: str
) -> tuple[Sequence[MessageFact], Sequence[str]]:
    """Return the facts of a completion, and the names of the tools that it calls.

    Args:
        text: The completion, byte for byte.
        setup: The setup of its session, as for `read_completion`.
        finish_reason: Why the completion ended.
    """
    # Most imported texts have no facts, and this is known in a third of the time of a reading.
    names = names_without_facts(text, _tools_of(setup))
    if names is not None:
        return (), names
    reading = read_completion(text, setup, finish_reason)
    return tuple(facts_of(reading)), [call.name for call in reading.calls]


def _tools_of(setup: Mapping[str, Any]) -> OfferedTools | None:
    tools_text: object = setup.get("tools_text")
    disabled: object = setup.get("disabled_tools")
    names = tuple(map(str, typed(list[object], disabled))) if isinstance(disabled, list) else ()
    return _tools(tools_text, names) if isinstance(tools_text, str) else None


@lru_cache(maxsize=64)
def _tools(text: str, disabled: tuple[str, ...]) -> OfferedTools | None:
    try:
        tools = parse_tools(text)
    except BadInput:
        return None
    return tools.only(frozenset(tools.names) - frozenset(disabled))


def fact_row(fact: MessageFact, *, session_id: str, message_id: str) -> FactRow:
    """Convert a fact to a row."""
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
    """Convert a row to a fact.

    Raises:
        StoreError: The row is damaged.
    """
    has_span = row.span_start is not None and row.span_end is not None
    with damage_of(f"fact {row.id} of message {row.message_id!r}"):
        return MessageFact(
            kind=FactKind(row.kind),
            code=row.code,
            severity=Severity(row.severity) if row.severity else None,
            is_guess=row.is_guess,
            span=Span(row.span_start or 0, row.span_end or 0) if has_span else None,
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
    """Reads the facts of one owner's sessions. They are written together with the messages."""

    def of_session(self, session_id: str) -> Sequence[tuple[str, MessageFact]]:
        """Return the facts of a session in order, each with its message's id. Empty for an unknown session.

        Raises:
            StoreError: The facts could not be read.
        """
        if problem_of(session_id):
            return ()
        is_of_session = (col(FactRow.session_id) == session_id, col(SessionRow.deleted_at).is_(None))
        query = (
            select(FactRow)
            .join(SessionRow, col(SessionRow.id) == col(FactRow.session_id))
            .where(*is_of_session, self._is_readable())
            .order_by(col(FactRow.id))
        )
        with self._database.reading() as db:
            return tuple((row.message_id, fact_value(row)) for row in db.exec(query))

    def count(
        self, group: FactGroup, *, since: datetime | None = None, until: datetime | None = None
    ) -> Sequence[FactCount]:
        """Count facts by group and kind, most frequent first. Deleted sessions are not counted.

        Args:
            since: Only messages from this time on. None sets no limit.
            until: Only messages before this time. None sets no limit.

        Raises:
            StoreError: The facts could not be read.
        """
        at = col(MessageRow.created_at)
        with self._database.reading() as db:
            by = _GROUPS.get(group, _day_of(at, db.get_bind().dialect.name))
            fact_count, messages = func.count(), func.count(col(FactRow.message_id).distinct())
            query = (
                select(func.coalesce(by, ""), FactRow.kind, fact_count, messages)
                .join(MessageRow, col(MessageRow.id) == col(FactRow.message_id))
                .join(SessionRow, col(SessionRow.id) == col(FactRow.session_id))
                .outerjoin(GenerationRow, col(GenerationRow.id) == col(MessageRow.generation_id))
                .where(col(SessionRow.deleted_at).is_(None), self._is_own())
                .group_by(by, col(FactRow.kind))
                .order_by(fact_count.desc(), by, col(FactRow.kind))
            )
            if since is not None:
                query = query.where(at >= since)
            if until is not None:
                query = query.where(at < until)
            return tuple(
                FactCount(group=name, kind=FactKind(kind), count=count, message_count=message_count)
                for name, kind, count, message_count in db.exec(query)
            )

    def totals(self) -> DataTotals:
        """Count the owner's sessions and messages.

        Raises:
            StoreError: They could not be read.
        """
        own = (col(SessionRow.deleted_at).is_(None), self._is_own())
        is_rollout = select(RunSessionRow.session_id).where(
            col(RunSessionRow.session_id) == col(SessionRow.id)
        )
        is_import = select(ImportRow.session_id).where(col(ImportRow.session_id) == col(SessionRow.id))
        sessions = select(func.count()).select_from(SessionRow).where(*own)
        messages = (
            select(MessageRow.name, func.count())
            .join(SessionRow, col(SessionRow.id) == col(MessageRow.session_id))
            .where(*own, col(MessageRow.copy_of).is_(None), is_shown())
            .group_by(col(MessageRow.name))
            .order_by(func.count().desc(), col(MessageRow.name))
        )
        with self._database.reading() as db:
            total = db.exec(sessions).one()
            rollouts = db.exec(sessions.where(is_rollout.exists())).one()
            imported = db.exec(sessions.where(is_import.exists(), ~is_rollout.exists())).one()
            tools = db.exec(messages.where(col(MessageRow.role) == Role.TOOL.value)).all()
            completions = db.exec(messages.where(col(MessageRow.role) == Role.ASSISTANT.value)).all()
        return DataTotals(
            conversations=total - rollouts - imported,
            rollouts=rollouts,
            imported=imported,
            completions=sum(number for _, number in completions),
            tool_calls={name or "": number for name, number in tools},
        )

    def days(self, contract_versions: Collection[str]) -> Sequence[DailyModelStats]:
        """Return daily statistics of the completions that were generated with these contract versions.

        Args:
            contract_versions: Hashes of the contracts' texts.

        Raises:
            StoreError: The completions could not be read.
        """
        version, model = col(GenerationRow.contract_version), col(GenerationRow.engine_name)
        with self._database.reading() as db:
            day = _day_of(col(MessageRow.created_at), db.get_bind().dialect.name)
            fixed, dropped = _generations(FactKind.FIX), _generations(FactKind.DROP)
            query = (
                # SQLModel's `select` has types for at most four columns.
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
                for day, version, model, completions, fixed, dropped in db.connection().execute(query)
            )  # fmt: skip


def _generations(kind: FactKind | None = None) -> SQLColumnExpression[int]:
    """Count generations: all of them, or those that have a fact of this kind."""
    generation_id = col(GenerationRow.id)
    if kind is None:
        return func.count(generation_id.distinct())
    return func.count(case((col(FactRow.kind) == kind.value, generation_id), else_=None).distinct())


def _day_of(moment: SQLColumnExpression[datetime], dialect: str) -> SQLColumnExpression[str]:
    """Return an expression for the day of a time, in UTC, as `2026-11-24`."""
    if dialect == "postgresql":
        return func.to_char(func.timezone("UTC", moment), "YYYY-MM-DD")
    # SQLite stores a time as text that starts with the day.
    return func.substr(cast(moment, Text), 1, 10)
