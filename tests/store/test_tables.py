"""The column types of the tables."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from workbench.store.tables import METADATA, UtcDateTime


def test_a_time_without_a_time_zone_is_rejected() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), sqlite.dialect())


def test_a_stored_time_has_a_time_zone() -> None:
    read = UtcDateTime().result_processor(sqlite.dialect(), None)
    assert read(datetime(2026, 1, 1)) == datetime(2026, 1, 1, tzinfo=UTC)


def test_postgresql_uses_time_zones_and_double_precision() -> None:
    definitions = "\n".join(
        str(CreateTable(table).compile(dialect=postgresql.dialect())) for table in METADATA.sorted_tables
    )
    assert "created_at TIMESTAMP WITH TIME ZONE NOT NULL" in definitions
    assert "seconds FLOAT NOT NULL" in definitions
