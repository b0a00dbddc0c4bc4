"""Writing a row that another writer may write at the same moment."""

from typing import Any, Final

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from workbench.store.tables.base import StoreTable

_INSERTS: Final = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def insert_if_absent(db: Session, table: type[StoreTable], **values: Any) -> None:
    """A row, unless one with the same key is there: then that one stays as it is.

    Args:
        db: A writing transaction.
        table: The row's class.
        values: Its columns.
    """
    insert = _INSERTS[db.get_bind().dialect.name]
    db.connection().execute(insert(table).values(**values).on_conflict_do_nothing())
