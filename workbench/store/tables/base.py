"""What all tables share: metadata, the type of a timestamp, and the audit log."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, cast

from sqlalchemy import DateTime, Index, MetaData, Table, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import reconstructor, registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from workbench.errors import StoreError
from workbench.store.damage import DAMAGE_REMEDY, row_name, row_problems
from workbench.store.storable import StoredJson

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

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Reads a value of the database; SQLite may hold anything in its place."""
        read = super().result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            try:
                return read(value) if read else value
            except (ValueError, TypeError, OverflowError) as error:
                raise ValueError(f"{str(value)[:40]!r} is not a time; run `workbench db check`") from error

        return process


class StoreTable(SQLModel, registry=registry(metadata=METADATA)):
    """What all tables share: our own metadata, apart from SQLModel's global one, and a check of each row read."""

    @reconstructor
    def check_loaded(self) -> None:
        """Refuse a row whose columns hold what they cannot hold. SQLAlchemy calls it for each row it reads.

        Raises:
            StoreError: Names the row, the column and what to do.
        """
        row = cast(Mapping[str, object], self.__dict__)
        table = cast(Table, cast(Any, type(self)).__table__)
        for problem in row_problems(table, row):
            raise StoreError(f"{row_name(table, row)}, {problem}; {DAMAGE_REMEDY}")


class AuditRow(StoreTable, table=True):
    """One thing that was done; the database refuses to change a row or to take one out."""

    __tablename__: ClassVar[Any] = "audit"
    __table_args__: ClassVar[Any] = (Index("ix_audit_owner_subject", "owner", "subject"),)

    number: int | None = Field(default=None, primary_key=True)
    """None before it is written."""
    owner: str = Field(sa_type=Text)
    """Whose data it was done to; empty for the one person of an own machine."""
    at: datetime = Field(sa_type=UtcDateTime)
    who: str = Field(sa_type=Text)
    action: str = Field(sa_type=Text)
    subject: str = Field(sa_type=Text)
    detail: dict[str, Any] = Field(sa_type=StoredJson(dict))
