"""Select the sessions for an export, and store imported rows as sessions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement
from sqlalchemy.orm import aliased
from sqlmodel import col, func, select

from workbench.errors import BadInput, StoreError
from workbench.records.corpus.material import (
    DamagedSession,
    NewImport,
    SessionFilter,
    SessionMaterial,
)
from workbench.records.label_words import QueueState
from workbench.records.session_tree import SearchFilter
from workbench.store.corpus.import_writer import DigestedImport, refuse_unstorable_import, write_imports
from workbench.store.corpus.label_rows import MODEL_SLOT, slot_of
from workbench.store.corpus.materials import read_materials
from workbench.store.deleting import is_of_shown_project
from workbench.store.owner_scope import OwnerScope, OwnerView, is_rollout
from workbench.store.rows import new_id
from workbench.store.sessions.search import conditions_of
from workbench.store.storable import problem_of
from workbench.store.tables import (
    ImportRow,
    LabelProjectRow,
    LabelRow,
    LabelTaskRow,
    SessionRow,
)


def names_unstorable_text(chosen: SessionFilter) -> bool:
    """Whether the filter contains a text that cannot be stored, so that no session can match."""
    texts = (chosen.tag, chosen.verdict, chosen.project, chosen.contract, chosen.model)
    return any(problem_of(text) for text in texts if text is not None)


def session_conditions(chosen: SessionFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on `SessionRow` that the filter stands for. All must be true."""
    yield from conditions_of(
        SearchFilter(
            tag=chosen.tag,
            contract=chosen.contract,
            model=chosen.model,
            source=chosen.source,
            since=chosen.since,
            until=chosen.until,
        )
    )
    if chosen.session_ids is not None:
        yield col(SessionRow.id).in_(
            [session_id for session_id in chosen.session_ids if not problem_of(session_id)]
        )
    if chosen.verdict is not None:
        yield _has_label(chosen.project, col(LabelRow.verdict) == chosen.verdict)
    yield from _rated(chosen)
    if chosen.state is not None:
        yield _is_in_state(chosen.state, chosen.project)
    if not chosen.includes_discarded and chosen.state is not QueueState.DISCARDED:
        yield sa.not_(is_discarded(chosen.project))


def is_discarded(project: str | None = None) -> ColumnElement[bool]:
    """True for sessions that an annotator discarded."""
    return _has_task(project, col(LabelTaskRow.state) == QueueState.DISCARDED.value)


def _rated(chosen: SessionFilter) -> Iterator[ColumnElement[bool]]:
    rating = col(LabelRow.rating)
    if chosen.min_rating is None and chosen.max_rating is None:
        return
    yield _has_label(chosen.project, rating.is_not(None))
    if chosen.min_rating is not None:
        yield sa.not_(_has_label(chosen.project, rating < chosen.min_rating))
    if chosen.max_rating is not None:
        yield sa.not_(_has_label(chosen.project, rating > chosen.max_rating))


def _has_label(project: str | None, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """True for sessions with a label that meets the condition and counts.

    If a message or call has a deciding label in the project, its other labels do not count.
    """
    deciding = aliased(LabelRow)
    slot = slot_of("", is_deciding=True)
    is_decided = (
        sa.select(sa.literal(1))
        .select_from(deciding)
        .where(
            col(deciding.project_id) == col(LabelRow.project_id),
            col(deciding.message_id) == col(LabelRow.message_id),
            col(deciding.call_index) == col(LabelRow.call_index),
            col(deciding.slot) == slot,
        )
        .correlate(LabelRow)
        .exists()
    )
    by_person = sa.not_(col(LabelRow.slot).startswith(MODEL_SLOT))
    counts = sa.or_(col(LabelRow.slot) == slot, sa.and_(by_person, sa.not_(is_decided)))
    found = sa.select(sa.literal(1)).select_from(LabelRow)
    found = found.where(col(LabelRow.session_id) == col(SessionRow.id), condition, counts)
    return _of_project(found, project, LabelRow).correlate(SessionRow).exists()


def _is_in_state(state: QueueState, project: str | None) -> ColumnElement[bool]:
    has_state = _has_task(project, col(LabelTaskRow.state) == state.value)
    if state is not QueueState.PENDING:
        return has_state
    # A session without a task is pending too.
    return sa.or_(has_state, sa.not_(_has_task(project, sa.true())))


def _has_task(project: str | None, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    found = sa.select(sa.literal(1)).select_from(LabelTaskRow)
    found = found.where(col(LabelTaskRow.session_id) == col(SessionRow.id), condition)
    return _of_project(found, project, LabelTaskRow).correlate(SessionRow).exists()


def _of_project(
    found: sa.Select[Any], project: str | None, table: type[LabelRow] | type[LabelTaskRow]
) -> sa.Select[Any]:
    found = found.where(is_of_shown_project(col(table.project_id)))
    if project is None:
        return found
    joined = found.join(LabelProjectRow, col(LabelProjectRow.id) == col(table.project_id))
    return joined.where(col(LabelProjectRow.name) == project)


class CorpusStore(OwnerScope):
    """Stores imported rows as sessions, and reads one owner's sessions as material for training rows. Thread-safe.

    Args:
        queue: Adds a session to the labelling queue.
    """

    def __init__(self, view: OwnerView, queue: Callable[[str], object]) -> None:
        super().__init__(view)
        self._queue = queue

    def now(self) -> datetime:
        """Return the current time in UTC, by the clock of the store."""
        return self._now()

    def find_imports(self, digests: Sequence[str]) -> Mapping[str, str]:
        """Return the id of the session that was imported from a row, by the row's digest.

        Deleted sessions do not count. If there are several for a digest, the oldest is returned.
        """
        found = (
            select(ImportRow.digest, ImportRow.session_id)
            .join(SessionRow, col(SessionRow.id) == col(ImportRow.session_id))
            .where(col(ImportRow.scope) == self._scope, col(ImportRow.digest).in_(digests))
            .where(self._is_own(), col(SessionRow.deleted_at).is_(None))
            .order_by(col(SessionRow.created_at).desc())
        )
        with self._database.reading() as db:
            return dict(db.exec(found).all())

    def add_import(self, new: NewImport, *, digest: str) -> str:
        """Store a row as a session and return the session's id. On an error, nothing is stored.

        Raises:
            BadInput: The row contains text that cannot be stored.
            StoreError: The row has no messages, or the session could not be written.
        """
        (result,) = self.add_imports([DigestedImport(new, digest)])
        if isinstance(result, BadInput):
            raise result
        return result

    def add_imports(self, new: Sequence[DigestedImport]) -> Sequence[str | BadInput]:
        """Store rows as sessions in one transaction. Return each session's id, or why the row cannot be stored.

        Raises:
            StoreError: A row has no messages, or the sessions could not be written. Then nothing is stored.
        """
        left = self._sessions_left()
        results: list[str | BadInput] = []
        storable: list[DigestedImport] = []
        for digested in new:
            if not digested.new.messages:
                raise StoreError("a row without messages cannot be imported as a session")
            try:
                refuse_unstorable_import(digested.new)
                self._check_import(digested.new)
                if left is not None and len(storable) >= left:
                    self._limits.check_stored("sessions", self._limits.sessions or 0, self._limits.sessions)
            except BadInput as error:
                results.append(error)
            else:
                results.append(new_id())
                storable.append(digested)
        ids = [result for result in results if isinstance(result, str)]
        if storable:
            with self._database.writing() as db:
                write_imports(db, storable, ids, self._owner, self._now())
        queued = [
            session_id for digested, session_id in zip(storable, ids, strict=True) if digested.new.is_queued
        ]
        for session_id in queued:
            self._queue(session_id)
        return results

    def _check_import(self, new: NewImport) -> None:
        limits, messages = self._limits, (*new.messages, *new.rejected)
        limits.check_setup(new.setup)
        limits.check_stored("messages of a session", len(messages) - 1, limits.messages)
        for message in messages:
            limits.check_text("message", message.text)
        limits.check_texts("tags", new.tags)

    def _sessions_left(self) -> int | None:
        """Return how many more sessions the owner may have. None: any number."""
        if self._limits.sessions is None:
            return None
        with self._database.reading() as db:
            return self._limits.sessions - len(db.exec(self._listed_ids()).all())

    def choose(self, chosen: SessionFilter, *, after: str | None = None, limit: int = 200) -> Sequence[str]:
        """Return the ids of matching sessions that have messages, oldest first.

        Args:
            after: The last id of the previous page. None starts with the first session.
        """
        if names_unstorable_text(chosen) or (after is not None and problem_of(after)):
            return ()
        position = sa.tuple_(col(SessionRow.created_at), col(SessionRow.id))
        page = select(SessionRow.id).where(*self._conditions(chosen))
        if after is not None:
            last = select(SessionRow.created_at, SessionRow.id).where(col(SessionRow.id) == after)
            page = page.where(position > last.scalar_subquery())
        page = page.order_by(col(SessionRow.created_at), col(SessionRow.id)).limit(limit)
        with self._database.reading() as db:
            return db.exec(page).all()

    def count(self, chosen: SessionFilter) -> int:
        """Return the number of matching sessions."""
        if names_unstorable_text(chosen):
            return 0
        with self._database.reading() as db:
            return db.exec(
                select(func.count()).select_from(SessionRow).where(*self._conditions(chosen))
            ).one()

    def material(self, session_id: str) -> SessionMaterial | DamagedSession | None:
        """Return everything that is stored about a session. None if this owner has no such session."""
        ((_, material),) = self.materials((session_id,))
        return material

    def materials(
        self, session_ids: Sequence[str]
    ) -> Iterator[tuple[str, SessionMaterial | DamagedSession | None]]:
        """Yield each id with what `material` returns for it, in order. All are read with a few statements."""
        try:
            found = self._read_materials(session_ids)
        except (ValueError, TypeError, StoreError) as error:
            if len(session_ids) == 1:
                yield session_ids[0], DamagedSession(session_id=session_ids[0], problem=str(error))
                return
            # Find out which of them is damaged.
            for session_id in session_ids:
                yield from self.materials((session_id,))
            return
        for session_id in session_ids:
            yield session_id, found.get(session_id)

    def _read_materials(self, session_ids: Sequence[str]) -> Mapping[str, SessionMaterial]:
        asked = [session_id for session_id in session_ids if not problem_of(session_id)]
        is_own = (col(SessionRow.id).in_(asked), self._is_own(), col(SessionRow.deleted_at).is_(None))
        with self._database.reading() as db:
            own = db.exec(select(SessionRow.id).where(*is_own)).all()
            return read_materials(db, own)

    def _conditions(self, chosen: SessionFilter) -> tuple[ColumnElement[bool], ...]:
        is_usable = (col(SessionRow.deleted_at).is_(None), col(SessionRow.leaf_id).is_not(None))
        # The rollouts of suites measure a model. They become training data only on request.
        is_requested = chosen.session_ids is not None or chosen.state is not None
        is_allowed = () if is_requested else (~is_rollout(),)
        return (self._is_own(), *is_usable, *is_allowed, *session_conditions(chosen))
