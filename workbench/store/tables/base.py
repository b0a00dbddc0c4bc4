"""What all tables share: their metadata, the type of a moment."""

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import DateTime, MetaData
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables of the store; each constraint has a name, so that a migration can speak of it."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment that is aware and UTC on both sides, also where the database knows no time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The same moment in UTC; a naive one raises, for nobody knows which moment it is."""
        if value is not None and value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment as it was, UTC."""
        return value and (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC))


class StoreTable(SQLModel, registry=registry(metadata=METADATA)):
    """What all tables share: our own metadata, apart from SQLModel's global one."""
