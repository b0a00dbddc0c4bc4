"""Running suite runs: each in its own thread, one at a time for each owner."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from workbench.app.improve.running import execute_any
from workbench.app.runs.running import is_interrupted
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Owner
from workbench.records.runs import RunState, StoredRun
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal
from workbench.settings import Secret
from workbench.suite.runner import CaseFinished, RunEnded, RunEvent, RunProgress
from workbench.ui.present.suites.run import RunBarView, show_progress

if TYPE_CHECKING:
    from workbench.app.servers.shared_runs import SharedRuns

MOST_WATCHERS: Final = 8
"""The most browser tabs that watch one run."""
CLOSING_S: Final = 5.0
"""How long a closing page waits for a run to save its results."""


class ActiveRun:
    """A run and its progress."""

    def __init__(self, stored: StoredRun) -> None:
        listed = stored.listed
        self.id: Final = stored.id
        """The run's id."""
        self.progress = RunProgress(
            total=listed.total,
            done=listed.done - listed.errors,
            passed=listed.passed,
            unchecked=listed.unchecked,
            errors=0,
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
        self._runs: dict[str | None, ActiveRun] = {}
        self._lock = Lock()
        self._shared: SharedRuns | None = None
        """The runs of other servers. None if this is the only server."""

    def share(self, shared: "SharedRuns") -> None:
        """Share the runs with the other servers that use the same database, from now on."""
        self._shared = shared
        shared.start(self._continue, self._stop, self._interrupt_all)

    def begin(self, services: Services, stored: StoredRun, token: Secret | None = None) -> bool:
        """Start a run of the services' owner; return False if they already have one in progress.

        Args:
            services: The services of the run's owner.
            token: The visitor's access token for hosted models, used for this run only.

        Raises:
            BadInput: Another process is running it, such as `workbench run` in a terminal.
            StoreError: The database could not be written.
        """
        with self._lock:
            if self.of(services.owner) is not None:
                return False
            shared = self._shared
            if shared and not shared.begin(services.owner, stored.id, is_resumable=token is None):
                return False
            try:
                self._start(services, stored, token)
            except WorkbenchError:
                if shared:
                    shared.end(stored.id)
                raise
        return True

    def _start(
        self, services: Services, stored: StoredRun, token: Secret | None = None, *, takes_over: bool = False
    ) -> None:
        run = ActiveRun(stored)
        is_handed_over = self._shared is not None and token is None
        events = execute_any(
            services,
            stored,
            is_cancelled=run.stop,
            token=token,
            is_handed_over=is_handed_over,
            takes_over=takes_over,
        )
        self._runs[services.owner.key] = run
        follow = partial(self._follow, run, events, is_handed_over=is_handed_over)
        Thread(target=follow, name="suite-run", daemon=True).start()

    def _continue(self, services: Services, stored: StoredRun) -> None:
        """Continue a run of a server that has ended."""
        with self._lock:
            self._start(services, stored, takes_over=True)

    def _stop(self, run_id: str) -> None:
        with self._lock:
            runs = [run for run in self._runs.values() if run.id == run_id]
        for run in runs:
            run.stop.set()

    def stop(self, owner: Owner, run_id: str | None = None) -> None:
        """Ask the owner's run in progress to stop, on whatever server it runs.

        Args:
            run_id: Only the run with this id. None stops any run.

        Raises:
            StoreError: The server that runs it could not be asked.
        """
        run = self.of(owner)
        if run is not None and run_id in (None, run.id):
            run.stop.set()
        elif run is None and self._shared is not None:
            self._shared.stop(owner, run_id)

    def is_busy(self, owner: Owner, run_id: str | None = None) -> bool:
        """Whether the owner has a run in progress, on any server.

        Args:
            run_id: Only the run with this id. None stands for any run.

        Raises:
            StoreError: The runs of other servers cannot be read.
        """
        run = self.of(owner)
        found = run.id if run else self._shared.find(owner) if self._shared else None
        return found is not None and run_id in (None, found)

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
        """Whether a run is in progress, here or in another process, such as `workbench run` in a terminal."""
        return self.is_busy(owner, stored.id) or stored.listed.state is RunState.RUNNING

    def bar_of(self, owner: Owner) -> RunBarView | None:
        """Return the progress of the owner's run in progress, or None, which hides the bar of an ended run."""
        run = self.of(owner)
        return show_progress(run.progress, is_running=True) if run else None

    def stop_all(self) -> None:
        """Ask every run to stop, and wait a moment until the results are saved."""
        for run in self._interrupt_all():
            run.over.wait(CLOSING_S)

    def _interrupt_all(self) -> Sequence[ActiveRun]:
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.stop.set(FinishReason.INTERRUPTED)
        return runs

    def _follow(self, run: ActiveRun, events: Iterator[RunEvent], *, is_handed_over: bool) -> None:
        try:
            for event in events:
                if isinstance(event, CaseFinished | RunEnded):
                    run.progress = event.progress
        except WorkbenchError as error:
            run.error = error
        finally:
            if self._shared is not None and not (is_handed_over and is_interrupted(run.stop)):
                self._shared.end(run.id)
            run.over.set()
