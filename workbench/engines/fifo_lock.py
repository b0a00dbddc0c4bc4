"""A lock for one or more at a time that serves in order of arrival and knows the position of each waiting request."""

from collections import deque
from threading import Condition


class LockTicket:
    """A place in a queue, compared by identity."""

    __slots__ = ()


class FifoLock:
    """A lock that is given to waiting threads in the order in which they asked.

    `threading.Lock` guarantees no order, cannot be abandoned while waiting, and does not know the position of a thread.

    >>> line = FifoLock()
    >>> first, second = line.join(), line.join()
    >>> line.place(first), line.place(second)
    (0, 1)
    >>> line.leave(first)
    >>> line.place(second)
    0
    """

    def __init__(self, width: int = 1) -> None:
        """Create an unused lock that `width` tickets have at the same time."""
        self._width = width
        self._tickets: deque[LockTicket] = deque()
        self._changed = Condition()

    @property
    def is_empty(self) -> bool:
        """Whether nobody is served or waits."""
        with self._changed:
            return not self._tickets

    def join(self) -> LockTicket:
        """Join the queue and return a ticket. Call `leave` with it in the end, in any case."""
        ticket = LockTicket()
        with self._changed:
            self._tickets.append(ticket)
        return ticket

    def place(self, ticket: LockTicket) -> int:
        """Return how many tickets have to leave first. 0 means that it is this ticket's turn."""
        with self._changed:
            return self._place(ticket)

    def wait(self, ticket: LockTicket, *, timeout_s: float | None = None) -> int:
        """Wait until the queue moves or the time is over, unless it is this ticket's turn. Return its position."""
        with self._changed:
            if self._place(ticket):
                self._changed.wait(timeout_s)
            return self._place(ticket)

    def wait_for_all(self, ticket: LockTicket) -> None:
        """Wait until all tickets that came before this one have left."""
        with self._changed:
            self._changed.wait_for(lambda: self._tickets[0] is ticket)

    def leave(self, ticket: LockTicket) -> None:
        """Leave the queue, from any position."""
        with self._changed:
            self._tickets.remove(ticket)
            self._changed.notify_all()

    def _place(self, ticket: LockTicket) -> int:
        return max(0, self._tickets.index(ticket) - self._width + 1)
