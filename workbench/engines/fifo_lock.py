"""A lock that serves in order of arrival and knows the position of each waiting request."""

from collections import deque
from threading import Condition
from typing import Final

_FIRST: Final = 0


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

    def __init__(self) -> None:
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
        """Return how many tickets are ahead. 0 means that it is this ticket's turn."""
        with self._changed:
            return self._tickets.index(ticket)

    def wait(self, ticket: LockTicket, *, timeout_s: float | None = None) -> int:
        """Wait until the queue moves or the time is over, unless it is this ticket's turn. Return its position."""
        with self._changed:
            if self._tickets.index(ticket) != _FIRST:
                self._changed.wait(timeout_s)
            return self._tickets.index(ticket)

    def leave(self, ticket: LockTicket) -> None:
        """Leave the queue, from any position."""
        with self._changed:
            self._tickets.remove(ticket)
            self._changed.notify_all()
