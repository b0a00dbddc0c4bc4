"""Runs in progress: each in a thread of its own, one at a time for each owner."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final

from workbench.app.runs.running import execute_run
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Owner
from workbench.records.runs import StoredRun
from workbench.settings import Secret
from workbench.suite.runner import CaseFinished, RunEnded, RunProgress

MOST_WATCHERS: Final = 8
"""Browser tabs that watch one run."""
FAREWELL_S: Final = 5.0
"""How long the end of the page waits for a run to keep what it has."""


class ActiveRun:
    """One run, and how far it is."""

    def __init__(self, kept: StoredRun) -> None:
        listed = kept.listed
        self.id: Final = kept.id
        """Of the run."""
        self.progress = RunProgress(
            total=listed.total, done=listed.done - listed.errors, passed=listed.passed, errors=0
        )
        """How far it is; what could not be scored before is played again."""
        self.error: WorkbenchError | None = None
        """What ended it before its end; None for nothing."""
        self.stop: Final = Event()
        """Set: it ends within a token, and keeps what is done."""
        self.over: Final = Event()
        """Set once nothing more comes."""
        self._watchers: list[Event] = []
        self._lock = Lock()

    @contextmanager
    def watched(self) -> Generator[Event]:
        """One more browser tab watches; what it gives is set once the tab is to watch no longer.

        Watching takes a place among the events that run at once, so the tabs that watch a run are `MOST_WATCHERS`
        at most: the one that has watched longest gives way.
        """
        gone = Event()
        with self._lock:
            self._watchers.append(gone)
            for oldest in self._watchers[:-MOST_WATCHERS]:
                oldest.set()
        try:
            yield gone
        finally:
            with self._lock:
                self._watchers.remove(gone)


class ActiveRuns:
    """The runs of all owners; a browser that leaves, or is opened anew, changes nothing about them."""

    def __init__(self) -> None:
        self._runs: dict[str | None, ActiveRun] = {}
        self._lock = Lock()

    def begin(self, services: Services, kept: StoredRun, token: Secret | None = None) -> bool:
        """Plays a run of the services' owner; False where they have one under way.

        Args:
            services: The edges, of whoever wants it.
            token: A visitor's own, for hosted models; it lives as long as the run.
        """
        with self._lock:
            former = self._runs.get(services.owner.key)
            if former is not None and not former.over.is_set():
                return False
            one = self._runs[services.owner.key] = ActiveRun(kept)
        Thread(target=self._play, args=(services, kept, one, token), name="suite-run", daemon=True).start()
        return True

    def of(self, owner: Owner) -> ActiveRun | None:
        """The owner's; None where nothing is played."""
        one = self.last(owner)
        return None if one is None or one.over.is_set() else one

    def last(self, owner: Owner) -> ActiveRun | None:
        """The owner's last, under way or over: a short one is over before anybody looks. None where there was none."""
        return self._runs.get(owner.key)

    def stop_all(self) -> None:
        """Asks every run to stop, and waits a moment until what is done is kept."""
        with self._lock:
            runs = list(self._runs.values())
        for one in runs:
            one.stop.set()
        for one in runs:
            one.over.wait(FAREWELL_S)

    def _play(self, services: Services, kept: StoredRun, one: ActiveRun, token: Secret | None) -> None:
        try:
            for event in execute_run(services, kept, is_cancelled=one.stop.is_set, token=token):
                if isinstance(event, CaseFinished | RunEnded):
                    one.progress = event.progress
        except WorkbenchError as error:
            one.error = error
        finally:
            one.over.set()
