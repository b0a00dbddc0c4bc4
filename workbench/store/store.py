"""The entry point of the store: open the database, and get one owner's part of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from workbench.label.store.assignments import LabelAssignmentStore
from workbench.label.store.labelling import LabellingStore
from workbench.label.store.labels import LabelStore
from workbench.label.store.projects import LabelProjectStore, purge_projects
from workbench.label.store.queue_store import LabelQueueStore
from workbench.label.store.samples import LabelSampleStore
from workbench.label.store.writer import LabelLog
from workbench.records.label_words import QueueState
from workbench.records.limits import LAPTOP, UserLimits
from workbench.records.owner import Owner
from workbench.store.audit import AuditStore
from workbench.store.corpus.corpus import CorpusStore
from workbench.store.database import open_database
from workbench.store.deleting import purge
from workbench.store.memories import MemoryStore
from workbench.store.owner_scope import OwnerView
from workbench.store.runs.comparisons import ComparisonStore
from workbench.store.runs.runs import RunStore, purge_runs
from workbench.store.servers.live_work import LiveWork
from workbench.store.servers.servers import ServerStore
from workbench.store.sessions.facts import FactStore
from workbench.store.sessions.recordings import RecordingStore
from workbench.store.sessions.search import SearchStore
from workbench.store.sessions.sessions import SessionStore
from workbench.store.sessions.sharing import SharingStore
from workbench.store.sessions.unfinished import recover_unfinished
from workbench.store.versions.presets import PresetStore, purge_presets
from workbench.store.versions.version_names import VersionNameStore, purge_names
from workbench.store.versions.versions import VersionStore


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedStore:
    """All data that one owner may read and write. Each part adds the owner to its queries."""

    sessions: SessionStore
    sharing: SharingStore
    versions: VersionStore
    """Versions of contracts, tools, presets and suites."""
    version_names: VersionNameStore
    """Renames, deletes and restores the names of versions."""
    labels: LabelStore
    label_projects: LabelProjectStore
    label_assignments: LabelAssignmentStore
    label_queues: LabelQueueStore
    """The queues of labelling projects, and how far their annotators agree."""
    label_samples: LabelSampleStore
    """Samples, lots and gold rows of labelling projects."""
    labelling: LabellingStore
    """Sessions as an annotator sees them."""
    audit: AuditStore
    search: SearchStore
    facts: FactStore
    """Fixes, findings and dropped blocks in the models' messages."""
    corpus: CorpusStore
    """Sessions as material for training rows, and rows imported as sessions."""
    runs: RunStore
    """Runs of suites and their results."""
    comparisons: ComparisonStore
    presets: PresetStore
    """Named setups."""
    recordings: RecordingStore
    """Sessions that are recorded from the requests of clients."""


class Store:
    """A database with all stored data. Thread-safe.

    Opening it migrates the database, turns unfinished texts of ended processes into messages, and purges
    sessions that were deleted long ago.

    Args:
        url: The database's URL in SQLAlchemy's form. A missing SQLite file is created.
        now: Returns the current time, with a time zone.
        label_log: Gets the labels of each session whose labelling is done. None writes no log.

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

    def of(self, owner: Owner, limits: UserLimits = LAPTOP) -> OwnedStore:
        """Return the data that this owner may read and write.

        Args:
            limits: A write that exceeds one raises `BadInput` and stores nothing.
        """
        view = OwnerView(self._database, owner, self._now, limits)
        labels = LabelStore(view, self._label_log)
        return OwnedStore(
            sessions=SessionStore(view),
            sharing=SharingStore(view),
            versions=VersionStore(view),
            version_names=VersionNameStore(view),
            labels=labels,
            label_projects=LabelProjectStore(view),
            label_assignments=LabelAssignmentStore(view),
            label_queues=LabelQueueStore(view),
            label_samples=LabelSampleStore(view),
            labelling=LabellingStore(view),
            audit=AuditStore(self._database, owner),
            search=SearchStore(view),
            facts=FactStore(view),
            corpus=CorpusStore(view, partial(labels.move, state=QueueState.PENDING)),
            runs=RunStore(view),
            comparisons=ComparisonStore(view),
            presets=PresetStore(view),
            recordings=RecordingStore(view),
        )

    @property
    def memories(self) -> MemoryStore:
        """The notes of the tool `memory`."""
        return MemoryStore(self._database)

    @property
    def servers(self) -> ServerStore | None:
        """The servers that share the database. None if only one can use it, as with SQLite."""
        return ServerStore(self._database, self._now) if self._database.is_shared else None

    @property
    def live_work(self) -> LiveWork:
        """What the servers that share the database have in progress."""
        return LiveWork(self._database)

    def purge(self) -> int:
        """Delete permanently what was deleted at least 30 days ago: sessions, presets, runs, labelling projects and
        names of versions.

        Returns:
            The number of deleted sessions.

        Raises:
            StoreError: Something could not be read or deleted.
        """
        now = self._now().astimezone(UTC)
        purge_presets(self._database, now)
        purge_projects(self._database, now)
        purge_runs(self._database, now)
        count = purge(self._database, now)
        purge_names(self._database, now)
        return count

    def describe(self) -> str:
        """Return the database's URL without its password."""
        return self._database.describe()

    def close(self) -> None:
        """Close the database. Calling it again has no effect."""
        self._database.close()
