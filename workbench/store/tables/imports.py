"""Rows that sessions were made of."""

from typing import Any, ClassVar

from sqlalchemy import Index, Text
from sqlmodel import Field

from workbench.store.stored_json import StoredJson
from workbench.store.tables.base import StoreTable


class ImportRow(StoreTable, table=True):
    """The row of a data set that a session was made of; it goes with the session."""

    __tablename__: ClassVar[Any] = "imported_row"
    __table_args__: ClassVar[Any] = (Index(None, "scope", "digest"),)

    session_id: str = Field(primary_key=True, sa_type=Text, foreign_key="session.id", ondelete="CASCADE")
    """The session."""
    scope: str = Field(sa_type=Text)
    """Whose it is, as `workbench.store.scope` writes it."""
    digest: str = Field(sa_type=Text)
    """SHA-256 (hex) of the row's canonical JSON."""
    format: str = Field(sa_type=Text)
    """Name of the format that read it."""
    file: str = Field(sa_type=Text)
    """Name of the file that it stood in."""
    number: int
    """Its place there, from 1."""
    row_text: str = Field(sa_type=Text)
    """The row as JSON; NUL and half surrogate pairs are escaped in it."""
    message_ids: list[str] = Field(sa_type=StoredJson(list))
    """A message of the session for each of the row's."""
    rejected_ids: list[str] = Field(sa_type=StoredJson(list))
    """The same for the answer that was not chosen."""
