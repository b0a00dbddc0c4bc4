"""Downloads that the page has begun: one at a time, stopped by whoever began it."""

from threading import Event, Lock


class Pulls:
    """The download under way, if there is one."""

    def __init__(self) -> None:
        self._stop: Event | None = None
        self._tab = ""
        self._lock = Lock()

    def begin(self, tab: str) -> Event | None:
        """What stops the new download of a browser's tab; None where one is under way."""
        with self._lock:
            if self._stop is not None:
                return None
            self._stop, self._tab = Event(), tab
            return self._stop

    def stop(self, tab: str) -> None:
        """Asks the download to stop, where this tab began it."""
        with self._lock:
            if self._stop is not None and self._tab == tab:
                self._stop.set()

    def stop_all(self) -> None:
        """Asks it to stop, whoever began it."""
        with self._lock:
            if self._stop is not None:
                self._stop.set()

    def end(self) -> None:
        """There is none any more."""
        with self._lock:
            self._stop = None
