"""Versions, their texts, their tags, and the state of their files.

`owner` is empty for the shared library, and for everything without logins, because a key cannot contain NULL.
"""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ForeignKeyConstraint, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.tables.base import StoreTable, UtcDateTime


class VersionTextRow(StoreTable, table=True):
    """A text. It is stored once for each owner, even if several versions and sessions use it."""

    __tablename__: ClassVar[Any] = "version_text"

    owner: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(primary_key=True, sa_type=Text)
    """A `VersionKind`."""
    hash: str = Field(primary_key=True, sa_type=Text)
    """SHA-256 (hex) of the text in UTF-8."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class VersionLineRow(StoreTable, table=True):
    """A name that has versions. Writers lock this row to change the history of the name."""

    __tablename__: ClassVar[Any] = "version_line"

    owner: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(primary_key=True, sa_type=Text)
    """A `VersionKind`."""
    name: str = Field(primary_key=True, sa_type=Text)
    file_hash: str | None = Field(default=None, sa_type=Text)
    """Hash of the text that the file had when it was last read or written. None if it never was."""
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """None if the name is not deleted. A deleted name ends with `:` and a random part, so that the name is free."""


class VersionRow(StoreTable, table=True):
    """A version. Only its name changes, when it is renamed or deleted."""

    __tablename__: ClassVar[Any] = "version"
    __table_args__: ClassVar[Any] = (
        UniqueConstraint("owner", "kind", "name", "number"),
        ForeignKeyConstraint(
            ["owner", "kind", "name"], ["version_line.owner", "version_line.kind", "version_line.name"]
        ),
        ForeignKeyConstraint(
            ["owner", "kind", "text_hash"], ["version_text.owner", "version_text.kind", "version_text.hash"]
        ),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """SHA-256 (hex) of owner, kind, first name, parent and text."""
    owner: str = Field(sa_type=Text)
    kind: str = Field(sa_type=Text)
    """A `VersionKind`."""
    name: str = Field(sa_type=Text)
    number: int
    """From 1."""
    text_hash: str = Field(sa_type=Text)
    parent_id: str | None = Field(default=None, sa_type=Text, foreign_key="version.id")
    """The version that it was made from, of the owner or of the shared library. None for a first version."""
    message: str = Field(sa_type=Text)
    author: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UtcDateTime)


class VersionTagRow(StoreTable, table=True):
    """A tag that points at a version. The audit log has its previous targets."""

    __tablename__: ClassVar[Any] = "version_tag"

    owner: str = Field(primary_key=True, sa_type=Text)
    """The owner of the tag. The version may belong to the shared library."""
    kind: str = Field(primary_key=True, sa_type=Text)
    """A `VersionKind`."""
    name: str = Field(primary_key=True, sa_type=Text)
    tag: str = Field(primary_key=True, sa_type=Text)
    """Such as `production`."""
    version_id: str = Field(sa_type=Text, foreign_key="version.id", index=True)
