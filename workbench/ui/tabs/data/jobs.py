"""Long work of the Data tab: one job a browser's tab, stopped by whoever began it."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Lock


class Jobs:
    """The jobs under way."""

    def __init__(self) -> None:
        self._stops: dict[str, Event] = {}
        self._lock = Lock()

    @contextmanager
    def job(self, tab: str) -> Generator[Event | None]:
        """What stops the job that is done within; None where the tab has one under way."""
        with self._lock:
            is_free = tab not in self._stops
            stop = self._stops.setdefault(tab, Event())
        try:
            yield stop if is_free else None
        finally:
            if is_free:
                with self._lock:
                    self._stops.pop(tab, None)

    def stop(self, tab: str) -> None:
        """Asks the tab's job to stop."""
        with self._lock:
            stop = self._stops.get(tab)
        if stop is not None:
            stop.set()
