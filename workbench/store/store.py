"""The store in a database: the port `workbench.app.ports.Store`."""

from collections.abc import Callable
from datetime import UTC, datetime

from workbench.app.ports import OwnedStore
from workbench.app.ports.label_log import LabelLog
from workbench.records.owner import Owner
from workbench.store.audit import SqlAudit
from workbench.store.comparisons import SqlComparisons
from workbench.store.corpus import SqlCorpus
from workbench.store.database import open_database
from workbench.store.facts import SqlFacts
from workbench.store.labels import SqlLabels
from workbench.store.notes import SqlNotes
from workbench.store.purge import purge
from workbench.store.runs import SqlRuns
from workbench.store.search import SqlSearch
from workbench.store.sessions import SqlSessions
from workbench.store.sharing import SqlSharing
from workbench.store.unfinished import keep_unfinished
from workbench.store.versions import SqlVersions


def utc_now() -> datetime:
    """The moment."""
    return datetime.now(UTC)


class SqlStore:
    """Keeps what people make in a database; safe to use from several threads.

    Opening it makes messages of what ended processes left unfinished, and purges what is over.

    Args:
        url: The database's, as SQLAlchemy takes it; made where it is not there yet, and migrated.
        now: Tells the moment, aware.
        label_log: Is given the labels of each session whose labelling is done; None for nobody.

    Raises:
        StoreError: The database cannot be opened or migrated.
    """

    def __init__(
        self, url: str, *, now: Callable[[], datetime] = utc_now, label_log: LabelLog | None = None
    ) -> None:
        self._database = open_database(url)
        self._now = now
        self._label_log = label_log
        try:
            keep_unfinished(self._database, now)
            self.purge()
        except BaseException:
            self._database.close()
            raise

    def of(self, owner: Owner) -> OwnedStore:
        """What that owner may read and write."""
        view = (self._database, owner, self._now)
        return OwnedStore(
            sessions=SqlSessions(*view),
            sharing=SqlSharing(*view),
            versions=SqlVersions(*view),
            labels=SqlLabels(*view, self._label_log),
            audit=SqlAudit(self._database, owner),
            search=SqlSearch(*view),
            facts=SqlFacts(*view),
            corpus=SqlCorpus(*view),
            runs=SqlRuns(*view),
            comparisons=SqlComparisons(*view),
        )

    @property
    def memories(self) -> SqlNotes:
        """What models keep in mind, each owner's apart."""
        return SqlNotes(self._database)

    def purge(self) -> int:
        """Removes for good what was deleted 30 days ago or before; gives the number of sessions.

        Raises:
            StoreError: It could not be read or written.
        """
        return purge(self._database, self._now().astimezone(UTC))

    def describe(self) -> str:
        """The database's URL without a password."""
        return self._database.describe()

    def close(self) -> None:
        """Closes the database; may be called again."""
        self._database.close()
