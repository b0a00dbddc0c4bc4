"""The ports that edges implement for each other."""

from workbench.desk.ports.audit import Audit
from workbench.desk.ports.comparisons import Comparisons
from workbench.desk.ports.corpus import Corpus
from workbench.desk.ports.edges import Calendar, Catalog, Library, Models, ModelStatus
from workbench.desk.ports.labels import Labels
from workbench.desk.ports.runs import Runs
from workbench.desk.ports.search import Facts, Search
from workbench.desk.ports.store import OwnedStore, Sessions, Sharing, Store
from workbench.desk.ports.versions import VersionFiles, Versions

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
