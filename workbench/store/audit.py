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
    """Writes down what one owner does, in the transaction that does it."""

    owner: Owner
    now: Callable[[], datetime]
    """Tells the moment, aware."""

    def note(self, db: Session, action: str, subject: str, *, who: str = "", **detail: JsonValue) -> None:
        """One entry.

        Args:
            db: The transaction that does what is told.
            action: What is done.
            subject: To what.
            who: Who does it, where it is not the owner.
            detail: What else there is to say; JSON.
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
        """The newest first.

        Args:
            subject: Only what was done to it; None takes all.
            action: Only this action, or all whose name begins with it where it ends in a dot.
        """
        found = select(AuditRow).where(col(AuditRow.owner) == self._scope)
        if subject is not None:
            if problem_of(subject):
                return ()
            found = found.where(col(AuditRow.subject) == subject)
        if action is not None:
            if problem_of(action):
                return ()
            named = col(AuditRow.action)
            is_group = action.endswith(".")
            found = found.where(named.startswith(action, autoescape=True) if is_group else named == action)
        found = found.order_by(col(AuditRow.number).desc()).limit(limit).offset(offset)
        with self._database.reading() as db:
            return tuple(_value(row) for row in db.exec(found))


def _value(row: AuditRow) -> AuditEntry:
    return AuditEntry(
        number=row.number or 0,
        at=row.at,
        who=row.who,
        action=row.action,
        subject=row.subject,
        detail=row.detail,
    )
