"""Restrict queries to one owner.

Idea: every store class derives from `OwnerScope`, which is created for one owner. Sessions are reached only
through its methods, which add the owner to the query. Rows that belong to a session (messages, labels,
comparisons, facts) need no owner of their own: they are reached through their session.

Invariants:

- Reading goes through `_readable_session` or `_is_readable`, which allow the owner's own sessions and, with the
  permission `read-all`, those of others. Writing goes through `_own_session` or `_is_own`, which allow only the
  owner's own sessions. There is no method that writes to another owner's session.
- `_own_session` locks the session's row, so two writers to one session run one after the other.
- A session of another owner and a session that does not exist give the same error, so nobody can find out
  which ids exist. Only to an owner who may read the session, the error says that it belongs to somebody else.
- Deleted sessions are invisible here.

Example: Ann opens `?session=ID` with the id of Bob's session. She gets "there is no session ID", exactly as
for a random id. An admin sees the session, but an attempt to append to it fails with "belongs to somebody else".
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, exists, true
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from workbench.errors import BadInput, ForeignSession, NoSession, StoreError
from workbench.records.limits import LAPTOP, UserLimits
from workbench.records.owner import Owner, Permission
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredSession
from workbench.store import rows
from workbench.store.database import Database
from workbench.store.deleting import is_shown
from workbench.store.storable import problem_of, refuse_unstorable
from workbench.store.tables import MessageRow, RunSessionRow, SessionRow, SessionTagRow

SHARED: Final = ""
"""The owner of the shared library, and the only owner without logins. A key column cannot contain NULL."""


def is_rollout() -> ColumnElement[bool]:
    """Return a condition that is true if the session of the outer query is a rollout of a suite run."""
    return exists().where(col(RunSessionRow.session_id) == col(SessionRow.id)).correlate(SessionRow)


def scope_of(owner: Owner) -> str:
    """Return the owner's key for a column that cannot be NULL."""
    return SHARED if owner.key is None else owner.key


@dataclass(frozen=True, slots=True)
class OwnerView:
    """A database as one owner may use it."""

    database: Database
    owner: Owner
    now: Callable[[], datetime]
    """Returns the current time, with a time zone."""
    limits: UserLimits = LAPTOP
    """What the owner may store. The write methods check it."""
    scope: str = field(init=False)
    """The owner's key for columns that cannot be NULL."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", scope_of(self.owner))


class OwnerScope:
    """One owner's view of a database."""

    def __init__(self, view: OwnerView) -> None:
        self._view = view
        self._database = view.database
        self._owner = view.owner
        self._limits = view.limits
        self._scope = view.scope

    def _now(self) -> datetime:
        return self._view.now().astimezone(UTC)

    def _accept(self, value: object, where: str) -> None:
        """Check that a value that somebody sends can be stored and is not too large.

        Raises:
            BadInput: It is not.
        """
        refuse_unstorable(value, where)
        self._limits.check_value(where, value)

    def _accept_setup(self, setup: RunConfig) -> None:
        """Check that a setup can be stored and exceeds no limit.

        Raises:
            BadInput: It cannot, or does.
        """
        refuse_unstorable(setup, "setup")
        self._limits.check_setup(setup)

    def _require_room(
        self, db: Session, label: str, stored: SelectOfScalar[Any], limit: int | None, *, new: int = 1
    ) -> None:
        """Check that a limit allows new rows in addition to those that a query selects.

        Raises:
            BadInput: The limit is reached.
        """
        if limit is not None and _is_full(db, stored, limit, new):
            self._limits.check_stored(label, limit, limit)

    def _require_room_for_deleted(
        self, db: Session, label: str, stored: SelectOfScalar[Any], limit: int | None
    ) -> None:
        """Check the same for rows that are hidden until they are purged."""
        if limit is not None and _is_full(db, stored, limit, 1):
            problem = f"there are {limit:,}, which is the maximum"
            raise BadInput(label, problem, "wait until the oldest are purged")

    def _require_room_for_session(self, db: Session) -> None:
        self._require_room(db, "sessions", self._listed_ids(), self._limits.sessions)

    def _require_room_for_messages(self, db: Session, session_id: str, *, new: int = 1) -> None:
        stored = select(MessageRow.id).where(col(MessageRow.session_id) == session_id, is_shown())
        self._require_room(db, "messages of a session", stored, self._limits.messages, new=new)

    def _listed_ids(self) -> SelectOfScalar[str]:
        """Select the owner's sessions that are listed: they have messages, and are not rollouts of suites."""
        is_listed = (
            col(SessionRow.leaf_id).is_not(None),
            ~is_rollout(),
            col(SessionRow.deleted_at).is_(None),
        )
        return select(SessionRow.id).where(self._is_own(), *is_listed)

    def _is_own(self) -> ColumnElement[bool]:
        """Return a condition that is true for the owner's sessions."""
        column = col(SessionRow.owner)
        return column.is_(None) if self._owner.key is None else column == self._owner.key

    def _is_readable(self) -> ColumnElement[bool]:
        """Return a condition that is true for the sessions that the owner may read."""
        return true() if self._owner.may(Permission.READ_ALL) else self._is_own()

    def _find_readable(self, db: Session, session_id: str) -> SessionRow | None:
        return _find(db, session_id, self._is_readable())

    def _readable_session(self, db: Session, session_id: str) -> SessionRow:
        """Return a session that the owner may read.

        Raises:
            StoreError: There is no such session, or the owner may not read it.
        """
        row = self._find_readable(db, session_id)
        if row is None:
            raise NoSession(session_id)
        return row

    def _own_session(self, db: Session, session_id: str) -> SessionRow:
        """Return one of the owner's sessions and lock it: other writers wait until this transaction ends.

        Raises:
            StoreError: There is no such session, or it belongs to another owner.
        """
        row = _find(db, session_id, self._is_own(), is_writing=True)
        if row is None:
            raise self._not_own_error(db, session_id)
        return row

    def _not_own_error(self, db: Session, session_id: str) -> StoreError:
        row = self._find_readable(db, session_id)
        return NoSession(session_id) if row is None else ForeignSession(session_id, row.title)

    def _value(self, db: Session, row: SessionRow) -> StoredSession:
        count = db.exec(
            select(func.count())
            .select_from(MessageRow)
            .where(col(MessageRow.session_id) == row.id, is_shown())
        ).one()
        tags = db.exec(
            select(SessionTagRow.tag)
            .where(col(SessionTagRow.session_id) == row.id)
            .order_by(col(SessionTagRow.position))
        ).all()
        return rows.session_value(row, self._owner, message_count=count, tags=tags)


def _is_full(db: Session, stored: SelectOfScalar[Any], limit: int, new: int) -> bool:
    return new > limit or db.exec(stored.offset(limit - new).limit(1)).first() is not None


def _find(
    db: Session, session_id: str, is_allowed: ColumnElement[bool], *, is_writing: bool = False
) -> SessionRow | None:
    # Ids come from the address bar. A text that cannot be stored is not the id of any session.
    if problem_of(session_id):
        return None
    query = select(SessionRow).where(
        col(SessionRow.id) == session_id, col(SessionRow.deleted_at).is_(None), is_allowed
    )
    return db.exec(query.with_for_update() if is_writing else query).first()
