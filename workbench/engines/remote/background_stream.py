"""Read a stream in a thread of its own, so that a silent stream can be cancelled."""

from collections.abc import Callable, Iterable, Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")

POLL_S: Final = 0.02
"""How often it is looked whether a person has stopped it."""
MOST_WAITING: Final = 256
"""Things that are read ahead of the listener; a server that is faster waits."""


class _Failed:
    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Ended:
    """The stream came to its own end."""


class BackgroundStream(Generic[T]):
    """A stream that is read aside; to be closed by whoever stops listening."""

    def __init__(self, read: Callable[[], Iterable[T]], hang_up: Callable[[], None]) -> None:
        """Begins to read.

        Args:
            read: Opens the stream and gives its things; runs in the thread.
            hang_up: Wakes `read` where it waits; called once, from the listener's thread.
        """
        self._made: Queue[T | _Failed | _Ended] = Queue(MOST_WAITING)
        self._is_over = Event()
        self._hang_up = hang_up
        Thread(target=self._run, args=(read,), name="remote", daemon=True).start()

    def things(self, *, is_cancelled: Callable[[], bool], goes_on: Callable[[], bool]) -> Iterator[T]:
        """What comes, until the stream ends or a person stops it; asks before each thing.

        Args:
            goes_on: False where nothing more is waited for; may raise an error of its own.

        Raises:
            BaseException: What the stream raised, once all before it was handed over; or `goes_on`.
        """
        while not is_cancelled() and goes_on():
            try:
                thing = self._made.get(timeout=POLL_S)
            except Empty:
                continue
            if isinstance(thing, _Ended):
                return
            if isinstance(thing, _Failed):
                raise thing.error
            yield thing

    def close(self) -> None:
        """Ends the thread: at once where it waits for the server."""
        self._is_over.set()
        self._hang_up()

    def _run(self, read: Callable[[], Iterable[T]]) -> None:
        try:
            for thing in read():
                self._hand_over(thing)
                if self._is_over.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - handed to the listener, who raises it
            self._hand_over(_Failed(error))
        else:
            self._hand_over(_Ended())

    def _hand_over(self, thing: T | _Failed | _Ended) -> None:
        """Waits while there is no room, unless nobody listens any more."""
        while not self._is_over.is_set():
            try:
                self._made.put(thing, timeout=POLL_S)
            except Full:
                continue
            return
