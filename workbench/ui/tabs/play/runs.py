"""Turns asked for and in progress, each in a thread of its own, so that they survive a closed browser tab."""

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
"""A browser is told of what happened this often at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingTurn:
    """A turn that was asked for and waits for the model."""

    visitor: Visitor
    """The tab as it was then: what is sent goes to the session that was open, whatever is opened meanwhile."""
    text: str = ""
    """What the user says; blank where the session is continued."""
    resume: ResumePoint | None = None
    """From where to continue the session; None plays a turn of `text`."""


class Runs:
    """Which tab of which browser has a turn under way, what it asked for, and how to stop it.

    What was asked for is kept here and not in the tab's state, which every answer that opens a session replaces.
    """

    def __init__(self) -> None:
        self._stops: dict[str, Event] = {}
        self._asked: dict[str, PendingTurn] = {}
        self._persons: dict[str, Person] = {}
        self._lock = Lock()

    def begin(self, tab: str, asked: PendingTurn | None = None) -> bool:
        """Marks a turn of `tab`; False where it has one already."""
        with self._lock:
            if tab in self._stops:
                return False
            self._stops[tab] = Event()
            if asked is not None:
                self._asked[tab] = asked
            return True

    def take_pending(self, tab: str) -> PendingTurn | None:
        """What `begin` was given for `tab`; None where that was taken already."""
        with self._lock:
            return self._asked.pop(tab, None)

    def stop_of(self, tab: str) -> Event:
        """What stops the turn of `tab`; set already where it has none."""
        with self._lock:
            gone = Event()
            gone.set()
            return self._stops.get(tab, gone)

    def is_running(self, tab: str) -> bool:
        """True from `begin` to `end`."""
        return tab in self._stops

    def stop(self, tab: str) -> None:
        """Asks the turn of `tab` to stop; it ends by itself within a token."""
        self.stop_of(tab).set()

    def set_person(self, tab: str, person: Person) -> None:
        """Who answers the questions of the turn of `tab`."""
        with self._lock:
            self._persons[tab] = person

    def answer(self, tab: str, answer: Approval | Step) -> None:
        """Hands an answer to the turn of `tab`; one that nobody waits for is dropped."""
        with self._lock:
            person = self._persons.get(tab)
        if person is not None:
            person.answer(answer)

    def stop_all(self) -> None:
        """Asks every turn to stop."""
        with self._lock:
            for stop in self._stops.values():
                stop.set()

    def end(self, tab: str) -> None:
        """Forgets the turn of `tab`, and stops it should it still run."""
        with self._lock:
            stop = self._stops.pop(tab, None)
            self._asked.pop(tab, None)
            self._persons.pop(tab, None)
        if stop is not None:
            stop.set()


@dataclass(frozen=True, slots=True)
class _Over:
    error: BaseException | None


def run_in_thread(play: Callable[[Callable[[T], None]], Iterable[T]]) -> Iterator[list[T]]:
    """The things of `play`, made in a thread and handed over in batches.

    `play` is given a function that hands a thing over between those that it yields.
    Whoever stops listening does not stop the thread: it plays to its end, and keeps what it keeps.

    Raises:
        BaseException: What `play` raised, once all before it was handed over.
    """
    made: Queue[T | _Over] = Queue()
    Thread(target=_fill, args=(lambda: play(made.put), made), name="turn", daemon=True).start()
    while True:
        batch = [made.get()]
        batch += _drained(made)
        things = [thing for thing in batch if not isinstance(thing, _Over)]
        if things:
            yield things
        over = next((thing for thing in batch if isinstance(thing, _Over)), None)
        if over is not None:
            if over.error is not None:
                raise over.error
            return
        sleep(1 / BATCHES_PER_SECOND)


def _fill(play: Callable[[], Iterable[T]], made: "Queue[T | _Over]") -> None:
    try:
        for thing in play():
            made.put(thing)
    except BaseException as error:  # noqa: BLE001 - handed to the listener, who raises it
        made.put(_Over(error))
    else:
        made.put(_Over(None))


def _drained(made: "Queue[T]") -> list[T]:
    things: list[T] = []
    while True:
        try:
            things.append(made.get_nowait())
        except Empty:
            return things


def tab_of(request: gr.Request) -> str:
    """The browser tab that an event came from."""
    return request.session_hash or ""


@dataclass(frozen=True, slots=True)
class StopEvents:
    """Handlers that end the turn of a browser tab."""

    runs: Runs

    @needs(Permission.WORK)
    def on_stop(self, request: gr.Request) -> None:
        """Ask the turn to stop; what was written until then is kept."""
        self.runs.stop(tab_of(request))

    @needs(Permission.WORK)
    def on_leave(self, request: gr.Request) -> None:
        """The tab was closed."""
        self.runs.end(tab_of(request))
