"""Read a stream in a background thread, so that a silent stream can be cancelled.

The idea: reading from a socket blocks until the server sends something, and a blocked thread cannot look at the stop
button. So a background thread reads and puts each item into a queue, and the caller takes items out of the queue with a
short timeout. Between two items it checks whether it should stop.

Invariants:

- The queue is bounded. A server that is faster than the caller waits; it cannot fill memory.
- `close` always ends the thread: `hang_up` wakes it if it waits for the server, and `_is_over` if it waits for room
  in the queue. A caller that leaves early, for example because the browser tab was closed, must therefore call
  `close`.
- An error of the thread is raised in the caller, after all items that were read before it. If a server sends half an
  answer and then breaks the connection, the caller still gets that half.
"""

from collections.abc import Callable, Iterable, Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")

POLL_S: Final = 0.02
"""How often to check whether the stream was cancelled."""
MOST_WAITING: Final = 256
"""Maximum number of items in the queue."""


class _Failed:
    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Ended:
    """The stream has ended."""


class BackgroundStream(Generic[T]):
    """A stream that a background thread reads. Call `close` when you no longer need it."""

    def __init__(self, read: Callable[[], Iterable[T]], hang_up: Callable[[], None]) -> None:
        """Start to read.

        Args:
            read: Opens the stream and returns its items. Runs in the background thread.
            hang_up: Wakes `read` if it waits for the server. Called once, in the caller's thread.
        """
        self._queue: Queue[T | _Failed | _Ended] = Queue(MOST_WAITING)
        self._is_over = Event()
        self._hang_up = hang_up
        Thread(target=self._run, args=(read,), name="remote", daemon=True).start()

    def items(self, *, is_cancelled: Callable[[], bool], keeps_waiting: Callable[[], bool]) -> Iterator[T]:
        """Yield the items until the stream ends or is cancelled. Both callbacks are called before each item.

        Args:
            keeps_waiting: Returns False if there is nothing more to wait for. May raise an error.

        Raises:
            BaseException: What the stream raised, after all items before it, or what `keeps_waiting` raised.
        """
        while not is_cancelled() and keeps_waiting():
            try:
                item = self._queue.get(timeout=POLL_S)
            except Empty:
                continue
            if isinstance(item, _Ended):
                return
            if isinstance(item, _Failed):
                raise item.error
            yield item

    def close(self) -> None:
        """End the thread, even if it waits for the server."""
        self._is_over.set()
        self._hang_up()

    def _run(self, read: Callable[[], Iterable[T]]) -> None:
        try:
            for item in read():
                self._hand_over(item)
                if self._is_over.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - raised in the thread of the caller
            self._hand_over(_Failed(error))
        else:
            self._hand_over(_Ended())

    def _hand_over(self, item: T | _Failed | _Ended) -> None:
        """Put an item into the queue. Wait while the queue is full, unless the stream was closed."""
        while not self._is_over.is_set():
            try:
                self._queue.put(item, timeout=POLL_S)
            except Full:
                continue
            return
