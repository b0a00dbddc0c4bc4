"""The table of presets."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Index, Text, text
from sqlmodel import Field

from workbench.store.storable import StoredJson
from workbench.store.tables.base import StoreTable, UtcDateTime

_IS_SHOWN = text("deleted_at IS NULL")


class PresetRow(StoreTable, table=True):
    """A preset. Two presets of an owner have the same name only if one of them is deleted."""

    __tablename__: ClassVar[Any] = "preset"
    __table_args__: ClassVar[Any] = (
        Index(
            "uq_preset_owner_name",
            "owner",
            "name",
            unique=True,
            sqlite_where=_IS_SHOWN,
            postgresql_where=_IS_SHOWN,
        ),
    )

    id: str = Field(primary_key=True, sa_type=Text)
    """Random and hard to guess."""
    owner: str = Field(sa_type=Text)
    """Key of the owner. Empty without logins."""
    name: str = Field(sa_type=Text)
    setup: dict[str, Any] = Field(sa_type=StoredJson(dict))
    """The setup as `rows.setup_document` returns it."""
    share_key: str | None = Field(default=None, sa_type=Text, unique=True)
    """Key in the link that shares it. None while it is not shared."""
    created_at: datetime = Field(sa_type=UtcDateTime)
    updated_at: datetime = Field(sa_type=UtcDateTime)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was deleted; it is purged 30 days later."""
