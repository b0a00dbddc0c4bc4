"""The ports that edges implement for each other."""

from workbench.app.ports.audit import Audit
from workbench.app.ports.comparisons import Comparisons
from workbench.app.ports.corpus import Corpus
from workbench.app.ports.edges import Calendar, Catalog, Library, Models, ModelStatus
from workbench.app.ports.labels import Labels
from workbench.app.ports.runs import Runs
from workbench.app.ports.search import Facts, Search
from workbench.app.ports.store import OwnedStore, Sessions, Sharing, Store
from workbench.app.ports.versions import VersionFiles, Versions

__all__ = [
    "Audit",
    "Calendar",
    "Catalog",
    "Comparisons",
    "Corpus",
    "Facts",
    "Labels",
    "Library",
    "ModelStatus",
    "Models",
    "OwnedStore",
    "Runs",
    "Search",
    "Sessions",
    "Sharing",
    "Store",
    "VersionFiles",
    "Versions",
]
