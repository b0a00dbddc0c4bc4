"""What each browser tab is busy with: the turn that it started, what it watches, and work that ends with the tab."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Lock

import gradio as gr

from workbench.app.running_turn import RunningTurn
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal

NO_TAB = StopSignal()
"""The signal of a tab without work, which counts as stopped."""
NO_TAB.set()


class TabWork:
    """The work of all browser tabs. Thread-safe.

    Turns and comparisons are not here: they belong to the server (`workbench.app.tasks`). Here is only what a tab
    watches of them, and work whose result nobody but the tab gets, such as logprobs and calls of the API.
    """

    def __init__(self) -> None:
        self._stops: dict[str, StopSignal] = {}
        self._watches: dict[tuple[str, str], Event] = {}
        self._sent: dict[tuple[str, str], RunningTurn] = {}
        self._lock = Lock()
        self.starting = Lock()
        """Held while a turn starts, so that pressing a key twice starts one."""

    def begin(self, tab: str) -> bool:
        """Register work of `tab`; return False if the tab already has some."""
        with self._lock:
            if tab in self._stops:
                return False
            self._stops[tab] = StopSignal()
            return True

    def stop_of(self, tab: str) -> StopSignal:
        """Return what stops the work of `tab`; it is already set if the tab has none."""
        return self._stops.get(tab, NO_TAB)

    def is_running(self, tab: str) -> bool:
        """Whether `tab` has work, from `begin` to `end`."""
        return tab in self._stops

    def stop(self, tab: str) -> None:
        """Ask the work of `tab` to stop."""
        self.stop_of(tab).set()

    def stop_all(self) -> None:
        """Ask all work to stop, because the server ends."""
        with self._lock:
            for stop in self._stops.values():
                stop.set(FinishReason.INTERRUPTED)

    def end(self, tab: str) -> None:
        """Remove the work of `tab`, and stop it if it still runs."""
        with self._lock:
            stop = self._stops.pop(tab, None)
        if stop is not None:
            stop.set()

    def leave(self, tab: str) -> None:
        """End everything that a closed tab was busy with. The turns that it watched go on."""
        self.end(tab)
        with self._lock:
            for key in [key for key in self._sent if key[0] == tab]:
                del self._sent[key]
            watches = [gone for (watching, _), gone in self._watches.items() if watching == tab]
        for gone in watches:
            gone.set()

    @contextmanager
    def watching(self, tab: str, what: str = "turn") -> Generator[Event]:
        """Let a tab watch something while the context lasts; gives an event that is set once it should stop watching.

        A tab watches one turn and one comparison at a time: the last one.
        """
        key, gone = (tab, what), Event()
        with self._lock:
            previous, self._watches[key] = self._watches.get(key), gone
        if previous is not None:
            previous.set()
        try:
            yield gone
        finally:
            with self._lock:
                if self._watches.get(key) is gone:
                    del self._watches[key]

    def is_watching(self, tab: str, gone: Event, what: str = "turn") -> bool:
        """Whether `gone` is what `tab` watches now, and not something that it watched before."""
        return self._watches.get((tab, what)) is gone

    def stop_watching(self, tab: str, what: str) -> None:
        """Let a tab stop watching, because it shows something else."""
        with self._lock:
            gone = self._watches.get((tab, what))
        if gone is not None:
            gone.set()

    def has_sent(self, tab: str, text: str) -> bool:
        """Whether the running turn that `tab` started has this text: a second press of the button changes nothing."""
        turn = self.sent_by(tab)
        return turn is not None and not turn.over.is_set() and turn.request.text == text

    def sent(self, tab: str, turn: RunningTurn, what: str = "turn") -> None:
        """Record the turn that `tab` has started, by what it is."""
        with self._lock:
            self._sent[tab, what] = turn

    def sent_by(self, tab: str, what: str = "turn") -> RunningTurn | None:
        """Return the last turn of this kind that `tab` has started, or None."""
        return self._sent.get((tab, what))


def tab_of(request: gr.Request) -> str:
    """Return the id of the browser tab that sent an event."""
    return request.session_hash or ""
