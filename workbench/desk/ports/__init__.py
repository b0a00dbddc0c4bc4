"""The ports that edges implement for each other."""

from workbench.desk.ports.edges import Calendar, Catalog, Library, Models, ModelStatus
from workbench.desk.ports.store import OwnedStore, Sessions, Store

__all__ = [
    "Calendar",
    "Catalog",
    "Library",
    "ModelStatus",
    "Models",
    "OwnedStore",
    "Sessions",
    "Store",
]
