"""The base of all tables: metadata, the timestamp type and the check of rows. Also the table of the audit log."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, cast

from sqlalchemy import DateTime, Index, MetaData, Table, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import reconstructor, registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from workbench.store.damage import refuse_damaged
from workbench.store.storable import StoredJson

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables of the store. Every constraint has a name, so that migrations can refer to it."""


class UtcDateTime(TypeDecorator[datetime]):
    """A time with the time zone UTC, also in databases that do not store time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC. A time without a time zone raises ValueError, because it is ambiguous."""
        if value is not None and value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value and value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Return the function that reads a time, in UTC. SQLite may contain any value here: it can raise ValueError."""
        read: Callable[[Any], Any] | None = self.impl_instance.result_processor(dialect, coltype)

        def process(value: Any) -> datetime | None:
            try:
                at: datetime | None = read(value) if read else value
                return at and (at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC))
            except (ValueError, TypeError, OverflowError) as error:
                raise ValueError(f"{str(value)[:40]!r} is not a time; run `workbench db check`") from error

        return process


class StoreTable(SQLModel, registry=registry(metadata=METADATA)):
    """The base class of all tables. It has its own metadata and checks each row that is read."""

    # Pydantic does not validate rows of tables, so its validators are only built if something asks for them.
    model_config = {"defer_build": True}

    @reconstructor
    def check_loaded(self) -> None:
        """Reject a row with invalid values. SQLAlchemy calls this for each row that it loads.

        Raises:
            StoreError: A column has an invalid value. The message names the row and the column.
        """
        row = cast(Mapping[str, object], self.__dict__)
        refuse_damaged(cast(Table, cast(Any, type(self)).__table__), row)


class AuditRow(StoreTable, table=True):
    """One entry of the audit log. The database rejects changing or deleting a row."""

    __tablename__: ClassVar[Any] = "audit"
    __table_args__: ClassVar[Any] = (Index("ix_audit_owner_subject", "owner", "subject"),)

    number: int | None = Field(default=None, primary_key=True)
    """None before the row is written."""
    owner: str = Field(sa_type=Text)
    """Key of the owner whose data was changed. Empty without logins."""
    at: datetime = Field(sa_type=UtcDateTime)
    who: str = Field(sa_type=Text)
    action: str = Field(sa_type=Text)
    subject: str = Field(sa_type=Text)
    detail: dict[str, Any] = Field(sa_type=StoredJson(dict))
