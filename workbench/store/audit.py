"""Read and write the audit log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from workbench.chat.json_value import JsonValue
from workbench.records.owner import AuditEntry, Owner
from workbench.store.database import Database
from workbench.store.owner_scope import scope_of
from workbench.store.storable import problem_of
from workbench.store.tables.base import AuditRow


@dataclass(frozen=True, slots=True)
class AuditWriter:
    """Writes entries of one owner's audit log, in the transaction that makes the change."""

    owner: Owner
    now: Callable[[], datetime]
    """Returns the current time, with a time zone."""

    def note(self, db: Session, action: str, subject: str, *, who: str = "", **detail: JsonValue) -> None:
        """Write one entry.

        Args:
            db: The transaction that makes the change.
            action: What was done, such as `version.tag`.
            subject: What was changed, such as `contract:minimal`.
            who: Name of the person who did it. Empty stands for the owner.
            detail: Further values, as JSON.
        """
        row = AuditRow(
            owner=scope_of(self.owner),
            at=self.now().astimezone(UTC),
            who=who or self.owner.name,
            action=action,
            subject=subject,
            detail=detail,
        )
        db.add(row)


class AuditStore:
    """Reads one owner's audit log."""

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database = database
        self._scope = scope_of(owner)

    def entries(
        self, *, subject: str | None = None, action: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[AuditEntry]:
        """Return entries, newest first.

        Args:
            subject: Only entries about this subject. None returns all.
            action: Only entries with this action. With a final dot, such as `version.`, all actions that
                start with it. None returns all.
        """
        query = select(AuditRow).where(col(AuditRow.owner) == self._scope)
        if subject is not None:
            if problem_of(subject):
                return ()
            query = query.where(col(AuditRow.subject) == subject)
        if action is not None:
            if problem_of(action):
                return ()
            column = col(AuditRow.action)
            is_group = action.endswith(".")
            query = query.where(column.startswith(action, autoescape=True) if is_group else column == action)
        query = query.order_by(col(AuditRow.number).desc()).limit(limit).offset(offset)
        with self._database.reading() as db:
            return tuple(_value(row) for row in db.exec(query))


def _value(row: AuditRow) -> AuditEntry:
    return AuditEntry(
        number=row.number or 0,
        at=row.at,
        who=row.who,
        action=row.action,
        subject=row.subject,
        detail=row.detail,
    )
