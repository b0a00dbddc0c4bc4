"""Work that runs in its own thread until it ends or is stopped, with any number of watchers.

Idea: a turn or a comparison belongs to the server, not to the browser tab or the connection that started it. It runs in
a thread and writes its events into a log. Watchers read the log, each at its own pace; a watcher that comes late first
gets the events so far. Nobody has to watch.

The memory of a log is bounded. It keeps the last `TAIL` to 2 × `TAIL` events as they are. Older ones are condensed into
a few that lead a new watcher to the same state. For example, the pieces of a completed message are dropped, since the
store has the message. A watcher that has fallen behind the tail starts again from the condensed events.
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from threading import Condition, Event, Lock, Thread
from typing import Any, Final, Generic, Protocol, TypeVar

from workbench.errors import BadInput
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal

T = TypeVar("T")
S = TypeVar("S")

TAIL: Final = 512
"""The number of newest events that are never condensed."""
BATCHES_PER_SECOND: Final = 15
"""The most batches that a watcher gets."""
LOOK_EVERY_S: Final = 0.5
"""How often a waiting watcher checks whether it should stop watching."""
MOST_WATCHERS: Final = 8
"""The most watchers of one task. A further one replaces the oldest, since each occupies a thread of the server."""
MOST_ENDED: Final = 16
"""How many ended tasks can still be watched, for watchers that come just after the end."""
CLOSING_S: Final = 5.0
"""How long a closing server waits for its tasks to save what they have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent(Generic[T]):
    """An event and when it happened."""

    event: T
    at_s: float
    """Time on the clock that only goes forward."""
    count: int = 1
    """How many events were joined into this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBatch(Generic[T]):
    """The events that a watcher gets at once, in order."""

    logged: Sequence[LoggedEvent[T]]
    is_restart: bool
    """True if these are the events from the start of the work: for a new watcher, or for one that fell behind."""

    @property
    def events(self) -> Sequence[T]:
        """The events without their times."""
        return [logged.event for logged in self.logged]


Condense = Callable[[Sequence[LoggedEvent[T]]], Sequence[LoggedEvent[T]]]
"""Returns fewer events that lead a new watcher to the same state."""


class EventLog(Generic[T]):
    """The events of work in progress. Thread-safe.

    Args:
        condense: Applied to events that leave the tail, together with those that were condensed before.
        now_s: Returns the time of a clock that only goes forward.
    """

    def __init__(self, condense: Condense[T], now_s: Callable[[], float]) -> None:
        self._condense = condense
        self._now_s = now_s
        self._condensed: Sequence[LoggedEvent[T]] = ()
        self._tail: list[LoggedEvent[T]] = []
        self._tail_start = 0
        """How many events came before the tail."""
        self._is_over = False
        self._error: BaseException | None = None
        self._changed = Condition()

    def add(self, event: T) -> None:
        """Append an event."""
        self.extend([LoggedEvent(event=event, at_s=self._now_s())])

    def extend(self, logged: Sequence[LoggedEvent[T]], *, is_restart: bool = False) -> None:
        """Append events.

        Args:
            is_restart: Whether these are all events from the start of the work. They replace those before.
        """
        with self._changed:
            if is_restart:
                # One more than there were, so that every watcher counts as fallen behind.
                self._tail_start += len(self._tail) + 1
                self._condensed, self._tail = (), []
            self._tail += logged
            while len(self._tail) >= 2 * TAIL:
                self._condensed = self._condense([*self._condensed, *self._tail[:TAIL]])
                del self._tail[:TAIL]
                self._tail_start += TAIL
            self._changed.notify_all()

    def end(self, error: BaseException | None = None) -> None:
        """End the log; `error` is what ended the work early, or None."""
        with self._changed:
            self._is_over, self._error = True, error
            self._changed.notify_all()

    def follow(self, gone: Event | None = None) -> Iterator[EventBatch[T]]:
        """Yield the events so far, then new ones as they come, at most `BATCHES_PER_SECOND`, until the work ends.

        Args:
            gone: Set by the caller to stop watching. None watches to the end.

        Raises:
            BaseException: What ended the work early, after all events before it.
        """
        gone = gone or Event()
        position: int | None = None
        while not gone.is_set():
            with self._changed:
                if position is not None and position == self._tail_start + len(self._tail):
                    if self._is_over:
                        break
                    self._changed.wait(LOOK_EVERY_S)
                batch, position = self._since(position)
            if batch.logged:
                yield batch
                if not self._is_over:
                    gone.wait(1 / BATCHES_PER_SECOND)
        if self._error is not None and not gone.is_set():
            raise self._error

    def _since(self, position: int | None) -> tuple[EventBatch[T], int]:
        is_restart = position is None or position < self._tail_start
        logged = (
            [*self._condensed, *self._tail]
            if is_restart
            else self._tail[(position or 0) - self._tail_start :]
        )
        return EventBatch(logged=logged, is_restart=is_restart), self._tail_start + len(self._tail)


class RunningTask(Generic[T]):
    """Work in its own thread.

    Args:
        owner_key: Who may watch and stop it.
        subject: What it works on, such as a session. A subject has one task at a time.
        condense: See `EventLog`.
        now_s: Returns the time of a clock that only goes forward.
        id: Id of the task. None creates one.
        stop: Stops the task. None creates a signal.
    """

    def __init__(
        self,
        owner_key: str | None,
        subject: str,
        condense: Condense[T],
        *,
        now_s: Callable[[], float],
        id: str | None = None,
        stop: StopSignal | None = None,
    ) -> None:
        self.id: Final = id or secrets.token_hex(8)
        self.owner_key: Final = owner_key
        self.subject: Final = subject
        self.log: Final = EventLog(condense, now_s)
        self.stop: Final = stop or StopSignal()
        """Set to stop the work; it ends within one token and saves what it has."""
        self.over: Final = Event()
        """Set once the work has ended."""
        self.error: BaseException | None = None
        """What ended the work early, or None."""
        self._watchers: list[Event] = []
        self._unwatched_since_s: float | None = time.monotonic()
        self._lock = Lock()

    @property
    def unwatched_s(self) -> float:
        """For how many seconds nobody has watched; 0 if somebody does."""
        since_s = self._unwatched_since_s
        return 0.0 if since_s is None else time.monotonic() - since_s

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches."""
        return self._unwatched_since_s is None

    def mark_watched(self) -> None:
        """Count the task as watched until now, because another server shows it."""
        with self._lock:
            if self._unwatched_since_s is not None:
                self._unwatched_since_s = time.monotonic()

    @contextmanager
    def watched(self, gone: Event | None = None) -> Generator[Iterator[EventBatch[T]]]:
        """Watch the task while the context lasts; gives the batches of `EventLog.follow`.

        Args:
            gone: Set by the caller, or for the oldest of too many watchers, to stop watching.
        """
        gone = gone or Event()
        with self._lock:
            self._watchers.append(gone)
            self._unwatched_since_s = None
            for oldest in self._watchers[:-MOST_WATCHERS]:
                oldest.set()
        try:
            yield self.log.follow(gone)
        finally:
            with self._lock:
                self._watchers.remove(gone)
                if not self._watchers:
                    self._unwatched_since_s = time.monotonic()

    def events(self) -> Iterator[T]:
        """Yield all events until the work ends.

        Raises:
            BaseException: What ended the work early.
        """
        with self.watched() as batches:
            for batch in batches:
                yield from batch.events


_Task = TypeVar("_Task", bound=RunningTask[Any])


class TaskDirectory(Protocol[_Task]):
    """The running tasks of all servers that share a database. See `workbench.app.servers`."""

    def claim(self, task: _Task) -> bool:
        """Enter a task of this server. Return False if its subject has a running task on another server."""
        ...

    def release(self, task: _Task) -> None:
        """Remove a task of this server, which has ended. Never raises."""
        ...

    def find(self, owner_key: str | None, subject: str) -> _Task | None:
        """Return the task that another server runs for a subject of the owner, or None."""
        ...


class RunningTasks(Generic[_Task]):
    """The running tasks of all owners, at most one for each subject of an owner. Thread-safe.

    Args:
        busy: What is running, and what to do, for the error if a subject already has a task.
    """

    def __init__(self, *busy: str) -> None:
        self._busy = busy
        self.directory: TaskDirectory[_Task] | None = None
        """The tasks of other servers. None if this is the only server."""
        self._tasks: OrderedDict[tuple[str | None, str], _Task] = OrderedDict()
        """The last task of each subject. Ended ones stay for a while."""
        self._lock = Lock()

    def start(
        self, at_work: AbstractContextManager[S], task: _Task, work: Callable[[S], Iterable[Any]]
    ) -> _Task:
        """Start a task. It counts towards its owner's limits until it ends, whether anybody watches it or not.

        Args:
            at_work: Counts the task until it ends; see `workbench.app.services.Services.at_work`.
            work: Yields the events. It gets what `at_work` gives.

        Returns:
            The task.

        Raises:
            BadInput: The subject already has a running task, or the owner has too many.
            StoreError: It cannot be found out whether another server runs a task of the subject.
        """
        key = (task.owner_key, task.subject)
        with ExitStack() as counted, self._lock:
            previous = self._tasks.get(key)
            if previous is not None and not previous.over.is_set():
                raise BadInput(*self._busy)
            services = counted.enter_context(at_work)
            if self.directory is not None and not self.directory.claim(task):
                raise BadInput(*self._busy)
            self._tasks[key] = task
            self._tasks.move_to_end(key)
            self._forget_ended()
            thread = Thread(
                target=self._run, args=(task, services, work, counted.pop_all()), name="task", daemon=True
            )
            thread.start()
        return task

    def find(self, owner_key: str | None, subject: str) -> _Task | None:
        """Return the subject's task, running or just ended; None if there is none, or the owner is another."""
        task = self._tasks.get((owner_key, subject))
        if self.directory is not None and subject and (task is None or task.over.is_set()):
            return self.directory.find(owner_key, subject) or task
        return task

    def running(self, owner_key: str | None, subject: str | None) -> _Task | None:
        """Return the running task of a subject, or None."""
        task = self.find(owner_key, subject or "")
        return None if task is None or task.over.is_set() else task

    def all_running(self, owner_key: str | None) -> Sequence[_Task]:
        """Return the running tasks of an owner, the last started first."""
        with self._lock:
            tasks = list(reversed(self._tasks.values()))
        return [task for task in tasks if task.owner_key == owner_key and not task.over.is_set()]

    def stop_all(self) -> None:
        """Stop all tasks because the server ends, and wait a moment until they have saved what they have."""
        with self._lock:
            running = [task for task in self._tasks.values() if not task.over.is_set()]
        for task in running:
            task.stop.set(FinishReason.INTERRUPTED)
        until_s = time.monotonic() + CLOSING_S
        for task in running:
            task.over.wait(max(0.0, until_s - time.monotonic()))

    def _forget_ended(self) -> None:
        ended = [key for key, task in self._tasks.items() if task.over.is_set()]
        for key in ended[:-MOST_ENDED]:
            del self._tasks[key]

    def _run(
        self,
        task: _Task,
        services: S,
        work: Callable[[S], Iterable[Any]],
        counted: ExitStack,
    ) -> None:
        try:
            for event in work(services):
                task.log.add(event)
        except BaseException as error:  # noqa: BLE001 - passed to the watchers, which raise it
            task.error = error
        finally:
            # The task is over before its watchers see the end, so that they can start the next one at once.
            counted.close()
            if self.directory is not None:
                self.directory.release(task)
            task.over.set()
            task.log.end(task.error)
