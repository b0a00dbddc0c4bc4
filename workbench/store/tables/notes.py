"""What models keep in mind for an owner."""

from typing import Any, ClassVar

from sqlalchemy import Text
from sqlmodel import Field

from workbench.store.tables.base import StoreTable


class NoteRow(StoreTable, table=True):
    """One note of the tool `memory`."""

    __tablename__: ClassVar[Any] = "note"

    scope: str = Field(primary_key=True, sa_type=Text)
    """Whose it is, as `workbench.store.scope` writes it."""
    position: int = Field(primary_key=True)
    """From 0, the oldest first."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""
