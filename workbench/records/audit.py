"""Who did what: entries of the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from workbench.chat.json_value import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that was done. Entries are never changed and never taken out."""

    number: int
    """Goes up, over all owners."""
    at: datetime
    """When, UTC."""
    who: str
    """Who did it; empty for the one person of an own machine."""
    action: str
    """What was done, such as `version.tag`."""
    subject: str
    """To what, such as `contract:minimal`, or a message's id."""
    detail: Mapping[str, JsonValue] = field(hash=False)
    """What else there is to say, such as what stood there before."""
