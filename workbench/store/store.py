"""The store in a database: the port `workbench.desk.ports.Store`."""

from collections.abc import Callable
from datetime import UTC, datetime

from workbench.desk.owner import Owner
from workbench.desk.ports import OwnedStore
from workbench.store.database import open_database
from workbench.store.sessions import SqlSessions


def utc_now() -> datetime:
    """The moment."""
    return datetime.now(UTC)


class SqlStore:
    """Keeps what people make in a database; safe to use from several threads.

    Args:
        url: The database's, as SQLAlchemy takes it; made where it is not there yet, and migrated.
        now: Tells the moment, aware.

    Raises:
        StoreError: The database cannot be opened or migrated.
    """

    def __init__(self, url: str, *, now: Callable[[], datetime] = utc_now) -> None:
        self._database = open_database(url)
        self._now = now

    def of(self, owner: Owner) -> OwnedStore:
        """What that owner may read and write."""
        return OwnedStore(sessions=SqlSessions(self._database, owner, self._now))

    def describe(self) -> str:
        """The database's URL without a password."""
        return self._database.describe()

    def close(self) -> None:
        """Closes the database; may be called again."""
        self._database.close()
