"""What one owner may see and write of the sessions: the one place where the owner stands in a query."""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, true
from sqlmodel import Session, col, select

from workbench.desk.owner import Owner
from workbench.errors import StoreError
from workbench.store.database import Database
from workbench.store.storable import problem_of
from workbench.store.tables import SessionRow


class Owned:
    """One owner's view of a database.

    Args:
        database: Where the data is.
        owner: Whose it is.
        now: Tells the moment, aware.
    """

    def __init__(self, database: Database, owner: Owner, now: Callable[[], datetime]) -> None:
        self._database = database
        self._owner = owner
        self._clock = now

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)

    def _is_own(self) -> ColumnElement[bool]:
        column = col(SessionRow.owner)
        return column.is_(None) if self._owner.key is None else column == self._owner.key

    def _is_seen(self) -> ColumnElement[bool]:
        return true() if self._owner.is_admin else self._is_own()

    def _find_seen(self, db: Session, session_id: str) -> SessionRow | None:
        found = select(SessionRow).where(col(SessionRow.id) == session_id, self._is_seen())
        return None if problem_of(session_id) else db.exec(found).first()

    def _seen(self, db: Session, session_id: str) -> SessionRow:
        return _find(db, session_id, self._is_seen(), is_writing=False)

    def _own(self, db: Session, session_id: str) -> SessionRow:
        return _find(db, session_id, self._is_own(), is_writing=True)


def _find(db: Session, session_id: str, is_allowed: ColumnElement[bool], *, is_writing: bool) -> SessionRow:
    found = select(SessionRow).where(col(SessionRow.id) == session_id, is_allowed)
    row = (
        None if problem_of(session_id) else db.exec(found.with_for_update() if is_writing else found).first()
    )
    if row is None:
        raise StoreError(f"there is no session {session_id!r}; begin a new one")
    return row
