"""Restrict queries to one owner: the only place where the owner appears in a query."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import ColumnElement, true
from sqlmodel import Session, col, func, select

from workbench.errors import StoreError
from workbench.records.owner import Owner, Permission
from workbench.records.sessions import StoredSession
from workbench.store import rows
from workbench.store.database import Database
from workbench.store.deleting import is_shown
from workbench.store.storable import problem_of
from workbench.store.tables import MessageRow, SessionRow, SessionTagRow

SHARED: Final = ""
"""The shared library's owner, which is the one person of an own machine: a key cannot hold NULL."""


def scope_of(owner: Owner) -> str:
    """The owner as a column that cannot be NULL has it."""
    return SHARED if owner.key is None else owner.key


class OwnerScope:
    """One owner's view of a database.

    Args:
        database: Where the data is.
    """

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        self._database = database
        self._owner = owner
        self._clock = now

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)

    def _is_own(self) -> ColumnElement[bool]:
        """True of the sessions that are the owner's."""
        column = col(SessionRow.owner)
        return column.is_(None) if self._owner.key is None else column == self._owner.key

    def _is_seen(self) -> ColumnElement[bool]:
        """True of the sessions that the owner may read."""
        return true() if self._owner.may(Permission.READ_ALL) else self._is_own()

    def _find_seen(self, db: Session, session_id: str) -> SessionRow | None:
        return _find(db, session_id, self._is_seen())

    def _seen(self, db: Session, session_id: str) -> SessionRow:
        """A session to read.

        Raises:
            StoreError: There is none, for this owner.
        """
        row = self._find_seen(db, session_id)
        if row is None:
            raise no_session(session_id)
        return row

    def _own(self, db: Session, session_id: str) -> SessionRow:
        """A session to write to: others that write to it wait until this transaction ends.

        Raises:
            StoreError: There is none, for this owner, or it is only for reading.
        """
        row = _find(db, session_id, self._is_own(), is_writing=True)
        if row is None:
            raise self._not_own(db, session_id)
        return row

    def _not_own(self, db: Session, session_id: str) -> StoreError:
        if self._find_seen(db, session_id):
            return StoreError(f"session {session_id!r} is someone else's; copy it to go on with it")
        return no_session(session_id)

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


def no_session(session_id: str) -> StoreError:
    """What is said where there is no such session, or only another's."""
    return StoreError(f"there is no session {session_id!r}; begin a new one")


def _find(
    db: Session, session_id: str, is_allowed: ColumnElement[bool], *, is_writing: bool = False
) -> SessionRow | None:
    # Ids come from the address bar: what no text column takes is no id.
    if problem_of(session_id):
        return None
    found = select(SessionRow).where(
        col(SessionRow.id) == session_id, col(SessionRow.deleted_at).is_(None), is_allowed
    )
    return db.exec(found.with_for_update() if is_writing else found).first()
