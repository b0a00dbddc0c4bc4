"""The audit log."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Index, Text
from sqlmodel import Field

from workbench.store.stored_json import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime


class AuditRow(StoreTable, table=True):
    """One thing that was done; the database refuses to change a row or to take one out."""

    __tablename__: ClassVar[Any] = "audit"
    __table_args__: ClassVar[Any] = (Index("ix_audit_owner_subject", "owner", "subject"),)

    number: int | None = Field(default=None, primary_key=True)
    """None before it is written."""
    owner: str = Field(sa_type=Text)
    """Whose data it was done to; empty for the one person of an own machine."""
    at: datetime = Field(sa_type=UtcDateTime)
    """When."""
    who: str = Field(sa_type=Text)
    """Who did it."""
    action: str = Field(sa_type=Text)
    """What was done."""
    subject: str = Field(sa_type=Text)
    """To what."""
    detail: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """What else there is to say."""
