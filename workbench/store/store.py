"""The store of one owner, or of all: every kind of stored data in one database."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.records.owner import Owner
from workbench.store.audit import AuditStore
from workbench.store.comparisons import ComparisonStore
from workbench.store.corpus import CorpusStore
from workbench.store.database import open_database
from workbench.store.deleting import purge
from workbench.store.facts import FactStore
from workbench.store.label_writer import LabelLog
from workbench.store.labels import LabelStore
from workbench.store.memories import MemoryStore
from workbench.store.runs import RunStore
from workbench.store.search import SearchStore
from workbench.store.sessions import SessionStore
from workbench.store.sharing import SharingStore
from workbench.store.unfinished import recover_unfinished
from workbench.store.versions import VersionStore


def utc_now() -> datetime:
    """The moment."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedStore:
    """All that one owner may read and write: no query can forget whose it is."""

    sessions: SessionStore
    """Conversations, as trees of messages."""
    sharing: SharingStore
    """Conversations shown to others, and theirs."""
    versions: VersionStore
    """What was saved of contracts, tools, presets and suites."""
    labels: LabelStore
    """Verdicts and corrections, and who is to give them."""
    audit: AuditStore
    search: SearchStore
    """Conversations, found by the words in them."""
    facts: FactStore
    """What the reader noted of the models' messages."""
    corpus: CorpusStore
    """Conversations as training rows, and rows as conversations."""
    runs: RunStore
    """Runs of suites, and what came of them."""
    comparisons: ComparisonStore
    """Turns answered side by side, and votes on them."""


class Store:
    """Keeps what people make in a database; safe to use from several threads.

    Opening it makes messages of what ended processes left unfinished, and purges what is over.

    Args:
        url: The database's, as SQLAlchemy takes it; made where it is not there yet, and migrated.
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
            recover_unfinished(self._database, now)
            self.purge()
        except BaseException:
            self._database.close()
            raise

    def of(self, owner: Owner) -> OwnedStore:
        """What that owner may read and write."""
        view = (self._database, owner, self._now)
        return OwnedStore(
            sessions=SessionStore(*view),
            sharing=SharingStore(*view),
            versions=VersionStore(*view),
            labels=LabelStore(*view, self._label_log),
            audit=AuditStore(self._database, owner),
            search=SearchStore(*view),
            facts=FactStore(*view),
            corpus=CorpusStore(*view),
            runs=RunStore(*view),
            comparisons=ComparisonStore(*view),
        )

    @property
    def memories(self) -> MemoryStore:
        """What models keep in mind, each owner's apart."""
        return MemoryStore(self._database)

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
