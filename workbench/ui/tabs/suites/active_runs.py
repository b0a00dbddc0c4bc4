"""Running suite runs: each in its own thread, one at a time for each owner."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event, Lock, Thread
from typing import Final

from workbench.app.runs.running import execute_run
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Owner
from workbench.records.runs import RunState, StoredRun
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal
from workbench.settings import Secret
from workbench.suite.runner import CaseFinished, RunEnded, RunProgress
from workbench.ui.present.suites.run import RunBarView, show_progress

MOST_WATCHERS: Final = 8
"""The most browser tabs that watch one run."""
STALE_S: Final = 30.0
"""A run in another process counts as ended if it stores no result for this long after the time limit of a case."""
CLOSING_S: Final = 5.0
"""How long a closing page waits for a run to save its results."""


class ActiveRun:
    """A run and its progress."""

    def __init__(self, stored: StoredRun) -> None:
        listed = stored.listed
        self.id: Final = stored.id
        """The run's id."""
        self.progress = RunProgress(
            total=listed.total, done=listed.done - listed.errors, passed=listed.passed, errors=0
        )
        """The progress. Cases that ended with an error before are run again."""
        self.error: WorkbenchError | None = None
        """The error that ended the run early, or None."""
        self.stop: Final = StopSignal()
        """Set to stop the run: it ends within one token and saves its results."""
        self.over: Final = Event()
        """Set once the run has ended."""
        self._watchers: list[Event] = []
        self._lock = Lock()

    @contextmanager
    def watched(self) -> Generator[Event]:
        """Watch the run in a browser tab; gives an event that is set once the tab should stop watching.

        Each watching tab occupies one of the events that can run at the same time. So at most `MOST_WATCHERS` tabs
        watch a run, and a further one replaces the oldest.
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
    """The runs of all owners. They do not depend on an open browser tab."""

    def __init__(self) -> None:
        self._started_at = datetime.now(UTC)
        self._runs: dict[str | None, ActiveRun] = {}
        self._lock = Lock()

    def begin(self, services: Services, stored: StoredRun, token: Secret | None = None) -> bool:
        """Start a run of the services' owner; return False if they already have one in progress.

        Args:
            services: The services of the run's owner.
            token: The visitor's access token for hosted models, used for this run only.
        """
        with self._lock:
            previous = self._runs.get(services.owner.key)
            if previous is not None and not previous.over.is_set():
                return False
            run = self._runs[services.owner.key] = ActiveRun(stored)
        Thread(target=self._play, args=(services, stored, run, token), name="suite-run", daemon=True).start()
        return True

    def of(self, owner: Owner) -> ActiveRun | None:
        """Return the owner's run in progress, or None."""
        run = self.last(owner)
        return None if run is None or run.over.is_set() else run

    def last(self, owner: Owner) -> ActiveRun | None:
        """Return the owner's last run, whether running or ended, or None if there was none.

        A short run may have ended before anybody asks for it.
        """
        return self._runs.get(owner.key)

    def is_under_way(self, owner: Owner, stored: StoredRun) -> bool:
        """Whether a run is in progress, here or in another process, such as `workbench run` in a terminal.

        A run in another process stores results since this server was started. A run that a previous server left
        unfinished does not.
        """
        active = self.of(owner)
        if active is not None and active.id == stored.id:
            return True
        listed = stored.listed
        is_ours = active is None and (last := self.last(owner)) is not None and last.id == stored.id
        idle_s = (datetime.now(UTC) - listed.updated_at).total_seconds()
        return (
            listed.state is RunState.RUNNING
            and not is_ours
            and listed.updated_at > self._started_at
            and idle_s < stored.plan.timeout_s + STALE_S
        )

    def bar_of(self, owner: Owner) -> RunBarView | None:
        """Return the progress of the owner's run in progress, or None, which hides the bar of an ended run."""
        run = self.of(owner)
        return show_progress(run.progress, is_running=True) if run else None

    def stop_all(self) -> None:
        """Ask every run to stop, and wait a moment until the results are saved."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.stop.set(FinishReason.INTERRUPTED)
        for run in runs:
            run.over.wait(CLOSING_S)

    def _play(self, services: Services, stored: StoredRun, run: ActiveRun, token: Secret | None) -> None:
        try:
            for event in execute_run(services, stored, is_cancelled=run.stop, token=token):
                if isinstance(event, CaseFinished | RunEnded):
                    run.progress = event.progress
        except WorkbenchError as error:
            run.error = error
        finally:
            run.over.set()
