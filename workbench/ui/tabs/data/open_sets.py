"""The open data sets of all browser tabs."""

from collections import OrderedDict
from threading import Lock
from typing import Final, NamedTuple

from workbench.errors import BadInput
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.records.owner import Owner

MOST_OPEN: Final = 12
"""Data sets that are open at once on the whole server; the one that was used longest ago is closed."""


class OpenSet(NamedTuple):
    """A data set of a browser tab."""

    opened: OpenedRows
    serial: float
    """A number that no other data set has."""


class OpenSets:
    """The open data sets, one of each browser tab. Another tab or person cannot reach them."""

    def __init__(self, most: int = MOST_OPEN) -> None:
        self._most = most
        self._sets: OrderedDict[tuple[str | None, str], OpenSet] = OrderedDict()
        self._lock = Lock()

    def put(self, owner: Owner, tab: str, item: OpenSet) -> None:
        """Keep a data set for a tab, and close the one that it had before."""
        with self._lock:
            closed = [self._sets.pop((owner.key, tab), None)]
            self._sets[owner.key, tab] = item
            while len(self._sets) > self._most:
                closed.append(self._sets.popitem(last=False)[1])
        for old in closed:
            if old is not None:
                old.opened.close()

    def has(self, owner: Owner, tab: str) -> bool:
        """Whether a tab has a data set."""
        with self._lock:
            return (owner.key, tab) in self._sets

    def get(self, owner: Owner, tab: str) -> OpenSet:
        """Return the data set of a tab.

        Raises:
            BadInput: The tab has none.
        """
        with self._lock:
            found = self._sets.get((owner.key, tab))
            if found is None:
                raise BadInput("data set", "it is not open any more", "open it again")
            self._sets.move_to_end((owner.key, tab))
            return found
