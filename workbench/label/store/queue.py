"""The labelling queue, filtered, ordered and paged in the database.

An item of the queue is a session that is to be labelled in a project.

Idea: a row of `label_task` is written only when somebody assigns the session or changes its state. The queue
is a join of sessions and tasks, and a session without a task reads as pending and unassigned. So a new
session is in the queue of the default project at once, without any write when the session is created.

Invariants:

- A project's tasks are keyed by session and assignee, so each annotator has their own state for a session.
- In the default project (`includes_unassigned`) the join is an outer join: every session of the owner is an
  item. In a named project it is an inner join: only assigned sessions are items.
- Rollouts of suites are left out unless they have a task, because a single run can create thousands of them.
- Each change of a task's state raises its revision. A writer names the revision that it has seen, so two
  annotators cannot overwrite each other's state without noticing.
- Every order ends with columns that make it total, and none of its columns changes when a session is edited or
  regenerated, except the number of findings and the disagreement. So a position is stable between two pages.

A page is read in two steps: first the ids in their order, which an index provides, then the details of these ids
only. The position of an item is the number of items before it, so that a link to any item finds its page.

Example: sessions A, B and C, overlap 2, and a task (A, ann, draft). The default project lists
(A, ann, draft), (B, "", pending) and (C, "", pending). After `assign([A, B], [ann, bob])`, a named project
lists (A, ann), (A, bob), (B, ann) and (B, bob).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    cast,
    func,
    join,
    literal,
    or_,
    outerjoin,
    select,
    true,
)
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col

from workbench.label.records.project import QueueFilter, QueueItem, QueueOrder, QueuePage, QueueSort
from workbench.label.store.filter import filter_conditions, names_unstorable_text
from workbench.records.label_words import QueueState
from workbench.store.owner_scope import is_rollout
from workbench.store.storable import problem_of
from workbench.store.tables import (
    ImportRow,
    LabelReviewRow,
    LabelRow,
    LabelTaskRow,
    SessionRow,
)
from workbench.store.tables.sessions import SHUFFLE_LIMIT

_TASK_STATE: Final[ColumnElement[str]] = func.coalesce(col(LabelTaskRow.state), QueueState.PENDING.value)
_ASSIGNEE: Final[ColumnElement[str]] = func.coalesce(col(LabelTaskRow.assignee), "")


class SortKey(NamedTuple):
    """One column of an order."""

    column: Any
    is_descending: bool = False


@dataclass(frozen=True, kw_only=True)
class Queue:
    """The query for one queue: a project, as one person sees it, with a filter and an order."""

    project_id: str
    """Empty if the project has never been written to."""
    allowed: ColumnElement[bool]
    """True for the sessions that the person may see."""
    visible: ColumnElement[bool]
    """True for the labels that the person may see."""
    chosen: QueueFilter
    sort: QueueSort
    includes_unassigned: bool
    """True for the default project: sessions without a task are items too."""
    is_review: bool = False
    """True lists each compared session once, instead of once for each annotator."""

    def page(self, db: Session, *, limit: int, offset: int = 0, around: str | None = None) -> QueuePage:
        """Return a page.

        Args:
            around: Id of a session. The page is then the one of this size that contains it, if it is in the queue.
        """
        if self._matches_nothing:
            return QueuePage(items=(), total=0)
        keys = None if around is None else self._keys_of(db, around)
        if keys is not None:
            return self._page_around(db, keys, limit)
        first = offset if around is None else 0
        query = self._select().order_by(*self._order()).limit(limit).offset(first)
        return QueuePage(items=self._items(db, query), total=self.count(db), first=first)

    def _page_around(self, db: Session, keys: tuple[Any, ...], limit: int) -> QueuePage:
        """Return the page of the item with these sort keys.

        An offset would read all items before the page a second time, after they were counted.
        """
        is_before = self._beyond(keys, is_before=True)
        position: int = db.connection().execute(self._counted().where(is_before)).scalar_one()
        skipped = position % limit
        earlier = self._select().where(is_before).order_by(*self._order(is_reversed=True)).limit(skipped)
        later = self._select().where(self._beyond(keys, includes_same=True)).order_by(*self._order())
        items = (*reversed(self._items(db, earlier)), *self._items(db, later.limit(limit - skipped)))
        return QueuePage(items=items, total=self.count(db), first=position - skipped)

    def count(self, db: Session) -> int:
        """Return the number of items."""
        return 0 if self._matches_nothing else db.connection().execute(self._counted()).scalar_one()

    def neighbour(self, db: Session, session_id: str, *, is_before: bool = False) -> str | None:
        """Return the id of the session after or before a session. None at the end of the queue."""
        keys = None if self._matches_nothing else self._keys_of(db, session_id)
        if keys is None:
            return None
        query = select(col(SessionRow.id)).select_from(self._source)
        query = query.where(
            self._where, self._beyond(keys, is_before=is_before), col(SessionRow.id) != session_id
        )
        order = self._order(is_reversed=is_before)
        return db.connection().execute(query.order_by(*order).limit(1)).scalar()

    def next_open(self, db: Session, after: str | None) -> str | None:
        """Return the id of the next session with something left to do, or None.

        Args:
            after: The search starts after this session and continues at the top. None starts at the top.
        """
        if self._matches_nothing:
            return None
        is_open = self._state.in_([QueueState.PENDING.value, QueueState.DRAFT.value])
        query = select(col(SessionRow.id)).select_from(self._source).where(self._where, is_open)
        keys = None if after is None else self._keys_of(db, after)
        if after is not None:
            query = query.where(col(SessionRow.id) != after)
        ordered = query.order_by(*self._order()).limit(1)
        if keys is not None:
            found = db.connection().execute(ordered.where(self._beyond(keys))).scalar()
            if found is not None:
                return found
        return db.connection().execute(ordered).scalar()

    def item(self, db: Session, session_id: str, assignee: str) -> QueueItem:
        """Return the item of an existing task, whatever the filter says."""
        query: Any = select(
            col(LabelTaskRow.session_id), _TASK_STATE, _ASSIGNEE, col(LabelTaskRow.revision)
        ).where(
            col(LabelTaskRow.project_id) == self.project_id,
            col(LabelTaskRow.session_id) == session_id,
            col(LabelTaskRow.assignee) == assignee,
        )
        return self._items(db, query)[0]

    def session_ids(self, db: Session, *, limit: int | None = None) -> Sequence[str]:
        """Return the ids of all sessions that match, in order."""
        if self._matches_nothing:
            return ()
        query = select(col(SessionRow.id)).select_from(self._source).where(self._where)
        return tuple(db.connection().execute(query.order_by(*self._order()).limit(limit)).scalars())

    def assignments(self, db: Session) -> Sequence[tuple[str, str, str]]:
        """Return session, assignee and state of all items that match, in order."""
        if self._matches_nothing:
            return ()
        query = (
            select(col(SessionRow.id), _ASSIGNEE, _TASK_STATE).select_from(self._source).where(self._where)
        )
        rows = db.connection().execute(query.order_by(*self._order())).all()
        return [(session_id, assignee, state) for session_id, assignee, state in rows]

    @property
    def _matches_nothing(self) -> bool:
        return names_unstorable_text(self.chosen)

    @cached_property
    def _source(self) -> FromClause:
        """The joined tables: sessions with their tasks, or with their review."""
        if self.is_review:
            return join(SessionRow, LabelReviewRow, self._has_review)
        is_task = and_(
            col(LabelTaskRow.session_id) == col(SessionRow.id),
            col(LabelTaskRow.project_id) == self.project_id,
        )
        source = (outerjoin if self.includes_unassigned else join)(SessionRow, LabelTaskRow, is_task)
        needs_review = self.sort.order is QueueOrder.AGREEMENT or self.chosen.is_disputed is not None
        return source.outerjoin(LabelReviewRow, self._has_review) if needs_review else source

    @property
    def _has_review(self) -> ColumnElement[bool]:
        return and_(
            col(LabelReviewRow.session_id) == col(SessionRow.id),
            col(LabelReviewRow.project_id) == self.project_id,
        )

    @property
    def _state(self) -> ColumnElement[Any]:
        if not self.is_review:
            return _TASK_STATE
        undecided = col(LabelReviewRow.undecided_count) > 0
        return case((undecided, QueueState.PENDING.value), else_=QueueState.DONE.value)

    @cached_property
    def _where(self) -> ColumnElement[bool]:
        assignee = None if self.is_review else _ASSIGNEE
        conditions = [
            self.allowed,
            col(SessionRow.leaf_id).is_not(None),
            *filter_conditions(self.chosen, self._state, assignee, self._labels(select(col(LabelRow.id)))),
        ]
        if not self.is_review and self.includes_unassigned:
            # There are many rollouts of suites. They are labelled only on request.
            conditions.append(or_(~is_rollout(), col(LabelTaskRow.state).is_not(None)))
        return and_(*conditions)

    def _labels(self, query: Select[Any]) -> Select[Any]:
        """Restrict a query on labels to those of the session in the project that the person may see."""
        return query.where(
            col(LabelRow.session_id) == col(SessionRow.id),
            col(LabelRow.project_id) == self.project_id,
            self.visible,
        )

    @cached_property
    def _keys(self) -> tuple[SortKey, ...]:
        created, session_id = col(SessionRow.created_at), col(SessionRow.id)
        # In a review, each session is listed once.
        last = () if self.is_review else (SortKey(_ASSIGNEE),)
        oldest = (SortKey(created), SortKey(session_id), *last)
        newest = (SortKey(created, is_descending=True), SortKey(session_id, is_descending=True), *last)
        if self.sort.order is None and self.includes_unassigned:
            return (SortKey(col(SessionRow.queue_place)), SortKey(session_id), *last)
        match self.sort.order or QueueOrder.OLDEST:
            case QueueOrder.OLDEST:
                return oldest
            case QueueOrder.NEWEST:
                return newest
            case QueueOrder.RANDOM:
                return (SortKey(_shuffled(self.sort.seed)), *oldest)
            case QueueOrder.FINDINGS:
                return (SortKey(col(SessionRow.finding_count), is_descending=True), *newest)
            case QueueOrder.CONFIDENCE:
                return (SortKey(col(SessionRow.confidence)), *oldest)
            case QueueOrder.AGREEMENT:
                disagreement = func.coalesce(col(LabelReviewRow.disagreement), -1.0)
                return (SortKey(disagreement, is_descending=True), *oldest)

    def _order(self, *, is_reversed: bool = False) -> list[ColumnElement[Any]]:
        return [
            key.column.desc() if key.is_descending is not is_reversed else key.column.asc()
            for key in self._keys
        ]

    def _select(self) -> Select[Any]:
        task = (_ASSIGNEE, func.coalesce(col(LabelTaskRow.revision), 0))
        columns: tuple[Any, ...] = (literal(""), literal(0)) if self.is_review else task
        query: Any = (
            select(col(SessionRow.id), self._state, *columns).select_from(self._source).where(self._where)
        )
        return query

    def _counted(self) -> Select[Any]:
        query: Any = select(func.count()).select_from(self._source).where(self._where)
        return query

    def _keys_of(self, db: Session, session_id: str) -> tuple[Any, ...] | None:
        """Return the values of the sort keys of a session's first item, or None if it is not in the queue.

        A session that no longer matches the filter, for example because it was just submitted, still has a
        position.
        """
        if problem_of(session_id):
            return None
        query: Any = select(*(key.column for key in self._keys)).select_from(self._source)
        query = query.where(self.allowed, col(SessionRow.id) == session_id).order_by(*self._order()).limit(1)
        found = db.connection().execute(query).first()
        return None if found is None else tuple(found)

    def _beyond(
        self, values: tuple[Any, ...], *, is_before: bool = False, includes_same: bool = False
    ) -> ColumnElement[bool]:
        """Return a condition that is true for the items after, or before, the item with these sort keys.

        With `includes_same`, it is true for that item, too.

        It is (a > x) or (a = x and b > y) or …, because a row comparison cannot mix directions. The first part
        alone, with "or equal", lets the database start at the right place of an index.
        """
        alternatives: list[ColumnElement[bool]] = []
        same: list[ColumnElement[bool]] = []
        for key, value in zip(self._keys, values, strict=True):
            is_less = key.is_descending is not is_before
            alternatives.append(and_(*same, key.column < value if is_less else key.column > value))
            same.append(key.column == value)
        if includes_same:
            alternatives.append(and_(*same))
        first = self._keys[0]
        is_less = first.is_descending is not is_before
        start = first.column <= values[0] if is_less else first.column >= values[0]
        return and_(start, or_(*alternatives))

    def _items(self, db: Session, query: Select[Any]) -> tuple[QueueItem, ...]:
        found: Sequence[Any] = db.connection().execute(query).all()
        label_count = self._labels(select(func.count()).select_from(LabelRow)).correlate(SessionRow)
        source = outerjoin(SessionRow, ImportRow, col(ImportRow.session_id) == col(SessionRow.id))
        undecided: ColumnElement[int] | Mapped[int] = literal(0)
        if self.is_review:
            # Annotators cannot review, so they do not see what is disputed.
            source = source.join(LabelReviewRow, self._has_review)
            undecided = col(LabelReviewRow.undecided_count)
        details = (
            select(
                col(SessionRow.id), col(SessionRow.title), col(SessionRow.updated_at), label_count.scalar_subquery(),
                col(ImportRow.row_id), col(ImportRow.number), col(ImportRow.format), col(ImportRow.file),
                undecided,
            )
            .select_from(source)
            .where(col(SessionRow.id).in_([row[0] for row in found]))
        )  # fmt: skip
        by_id = {row[0]: row for row in db.connection().execute(details)}
        return tuple(_item(by_id[row[0]], *row[1:]) for row in found)


def _item(details: Any, state: str, assignee: str, revision: int) -> QueueItem:
    session_id, title, updated_at, label_count, row_id, number, row_format, file, undecided = details
    return QueueItem(
        session_id=session_id,
        title=title,
        state=QueueState(state),
        assignee=assignee,
        revision=revision,
        label_count=label_count,
        updated_at=updated_at,
        row_id=row_id or "",
        row_number=number,
        format=row_format or "",
        file=file or "",
        disputed_count=undecided,
    )


def read_item(
    db: Session, project_id: str, session_id: str, assignee: str, visible: ColumnElement[bool]
) -> QueueItem:
    """Return the item of an existing task.

    Args:
        visible: True for the labels that the person may see.
    """
    queue = Queue(
        project_id=project_id,
        allowed=true(),
        visible=visible,
        chosen=QueueFilter(),
        sort=QueueSort(),
        includes_unassigned=False,
    )
    return queue.item(db, session_id, assignee)


def _shuffled(seed: int) -> ColumnElement[int]:
    """Return an expression that is different for each seed, and orders sessions at random.

    It is a permutation of the random numbers that the sessions have, since the modulus is a prime number.
    """
    chance = Random(seed)
    factor, shift = chance.randrange(1, SHUFFLE_LIMIT), chance.randrange(SHUFFLE_LIMIT)
    return (cast(col(SessionRow.shuffle), BigInteger) * factor + shift) % SHUFFLE_LIMIT
