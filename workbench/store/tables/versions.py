"""Versions, their texts, their tags, and the state of their files.

`owner` is empty for the shared library, which is the own machine's: a key cannot hold NULL.
"""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ForeignKeyConstraint, Text, UniqueConstraint
from sqlmodel import Field

from workbench.store.tables.base import StoreTable, UtcDateTime


class VersionTextRow(StoreTable, table=True):
    """A text, once for each owner, however many versions and sessions have it."""

    __tablename__: ClassVar[Any] = "version_text"

    owner: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(primary_key=True, sa_type=Text)
    """A `VersionKind`."""
    hash: str = Field(primary_key=True, sa_type=Text)
    """SHA-256 (hex) of the text in UTF-8."""
    text: str = Field(sa_type=Text)
    """Byte for byte."""


class VersionLineRow(StoreTable, table=True):
    """A name that has versions; who writes to its history holds this row."""

    __tablename__: ClassVar[Any] = "version_line"

    owner: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(primary_key=True, sa_type=Text)
    """A `VersionKind`."""
    name: str = Field(primary_key=True, sa_type=Text)
    file_hash: str | None = Field(default=None, sa_type=Text)
    """Of the text that its file was last seen with, or written with; None where it never was."""


class VersionRow(StoreTable, table=True):
    """A version; a row is never changed."""

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
    """SHA-256 (hex) of owner, kind, name, parent and text."""
    owner: str = Field(sa_type=Text)
    kind: str = Field(sa_type=Text)
    """A `VersionKind`."""
    name: str = Field(sa_type=Text)
    number: int
    """From 1."""
    text_hash: str = Field(sa_type=Text)
    parent_id: str | None = Field(default=None, sa_type=Text, foreign_key="version.id")
    """What it was made from, the owner's own or the shared library's."""
    message: str = Field(sa_type=Text)
    author: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UtcDateTime)


class VersionTagRow(StoreTable, table=True):
    """A name that points at a version; where it pointed before is in the audit log."""

    __tablename__: ClassVar[Any] = "version_tag"

    owner: str = Field(primary_key=True, sa_type=Text)
    """Whose tag it is; the version may be the shared library's."""
    kind: str = Field(primary_key=True, sa_type=Text)
    """A `VersionKind`."""
    name: str = Field(primary_key=True, sa_type=Text)
    tag: str = Field(primary_key=True, sa_type=Text)
    """Such as `production`."""
    version_id: str = Field(sa_type=Text, foreign_key="version.id", index=True)
