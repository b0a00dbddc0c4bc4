"""Pending and running turns. Each runs in its own thread, so that it survives a closed browser tab."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Event, Lock, Thread
from time import sleep
from typing import Final, TypeVar

import gradio as gr

from workbench.app.regenerate import ResumePoint
from workbench.records.owner import Permission
from workbench.rollout.ports import Approval
from workbench.rollout.steps import Step
from workbench.ui.owners import needs
from workbench.ui.tabs.play.person import Person
from workbench.ui.visitor import Visitor

T = TypeVar("T")

BATCHES_PER_SECOND: Final = 15
"""The most updates per second that a browser gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingTurn:
    """A requested turn that waits for the model."""

    visitor: Visitor
    """The tab when the turn was requested: the message goes to the session that was open then."""
    text: str = ""
    """The user's message. Blank if the session is continued without one."""
    resume: ResumePoint | None = None
    """Where to continue the session, or None to run a turn with `text`."""


class Runs:
    """The turns of all browser tabs: what each tab requested, and how to stop it.

    The request is stored here because the tab's own state is replaced whenever a session is opened.
    """

    def __init__(self) -> None:
        self._stops: dict[str, Event] = {}
        self._pending: dict[str, PendingTurn] = {}
        self._persons: dict[str, Person] = {}
        self._lock = Lock()

    def begin(self, tab: str, pending: PendingTurn | None = None) -> bool:
        """Register a turn of `tab`; return False if the tab already has one."""
        with self._lock:
            if tab in self._stops:
                return False
            self._stops[tab] = Event()
            if pending is not None:
                self._pending[tab] = pending
            return True

    def take_pending(self, tab: str) -> PendingTurn | None:
        """Return the request passed to `begin` for `tab`, or None if it was taken already."""
        with self._lock:
            return self._pending.pop(tab, None)

    def stop_of(self, tab: str) -> Event:
        """Return the event that stops the turn of `tab`; an event that is already set if it has no turn."""
        with self._lock:
            stopped = Event()
            stopped.set()
            return self._stops.get(tab, stopped)

    def is_running(self, tab: str) -> bool:
        """Whether `tab` has a turn, from `begin` to `end`."""
        return tab in self._stops

    def stop(self, tab: str) -> None:
        """Ask the turn of `tab` to stop; it ends within one token."""
        self.stop_of(tab).set()

    def set_person(self, tab: str, person: Person) -> None:
        """Set who answers the questions of the turn of `tab`."""
        with self._lock:
            self._persons[tab] = person

    def answer(self, tab: str, answer: Approval | Step) -> None:
        """Pass an answer to the turn of `tab`; it is dropped if nobody waits for one."""
        with self._lock:
            person = self._persons.get(tab)
        if person is not None:
            person.answer(answer)

    def stop_all(self) -> None:
        """Ask every turn to stop."""
        with self._lock:
            for stop in self._stops.values():
                stop.set()

    def end(self, tab: str) -> None:
        """Remove the turn of `tab`, and stop it if it still runs."""
        with self._lock:
            stop = self._stops.pop(tab, None)
            self._pending.pop(tab, None)
            self._persons.pop(tab, None)
        if stop is not None:
            stop.set()


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None


def run_in_thread(work: Callable[[Callable[[T], None]], Iterable[T]]) -> Iterator[list[T]]:
    """Run `work` in a thread and yield its events in batches.

    `work` gets a function that adds an event between those that it yields itself. The thread runs to its end and
    saves its results even if the consumer stops reading.

    Raises:
        BaseException: Whatever `work` raised, after all events before it.
    """
    events: Queue[T | _End] = Queue()
    Thread(target=_fill, args=(lambda: work(events.put), events), name="turn", daemon=True).start()
    while True:
        batch = [events.get()]
        batch += _drained(events)
        received = [event for event in batch if not isinstance(event, _End)]
        if received:
            yield received
        end = next((event for event in batch if isinstance(event, _End)), None)
        if end is not None:
            if end.error is not None:
                raise end.error
            return
        sleep(1 / BATCHES_PER_SECOND)


def _fill(work: Callable[[], Iterable[T]], events: "Queue[T | _End]") -> None:
    try:
        for event in work():
            events.put(event)
    except BaseException as error:  # noqa: BLE001 - passed to the consumer, which raises it
        events.put(_End(error))
    else:
        events.put(_End(None))


def _drained(events: "Queue[T]") -> list[T]:
    received: list[T] = []
    while True:
        try:
            received.append(events.get_nowait())
        except Empty:
            return received


def tab_of(request: gr.Request) -> str:
    """Return the id of the browser tab that sent an event."""
    return request.session_hash or ""


@dataclass(frozen=True, slots=True)
class StopEvents:
    """Handlers that stop the turn of a browser tab."""

    runs: Runs

    @needs(Permission.WORK)
    def on_stop(self, request: gr.Request) -> None:
        """Ask the turn to stop; the text written so far is saved."""
        self.runs.stop(tab_of(request))

    @needs(Permission.WORK)
    def on_leave(self, request: gr.Request) -> None:
        """End the turn of a tab that was closed."""
        self.runs.end(tab_of(request))
