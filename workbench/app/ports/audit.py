"""The port of the audit log."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.audit import AuditEntry


class Audit(Protocol):
    """The audit log of one owner. Every method may raise StoreError."""

    def entries(
        self, *, subject: str | None = None, action: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[AuditEntry]:
        """The newest first.

        Args:
            subject: Only what was done to it; None takes all.
            action: Only this action, or all whose name begins with it where it ends in a dot.
            limit: At most so many.
            offset: So many left out.
        """
        ...
