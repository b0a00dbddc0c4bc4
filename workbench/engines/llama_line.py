"""A line to stand in: first come, first served, and everyone can see their place."""

from collections import deque
from threading import Condition
from typing import Final

_FIRST: Final = 0


class LockTicket:
    """A place in a line; compared by identity."""

    __slots__ = ()


class FifoLock:
    """Who asks for a thing that serves one at a time, in the order of their asking.

    `threading.Lock` promises no order, cannot be left while it is waited for, and tells no place.

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

    def join(self) -> LockTicket:
        """A ticket at the end; who holds it must `leave`."""
        ticket = LockTicket()
        with self._changed:
            self._tickets.append(ticket)
        return ticket

    def place(self, ticket: LockTicket) -> int:
        """How many are before it; 0 is being served."""
        with self._changed:
            return self._tickets.index(ticket)

    def wait(self, ticket: LockTicket, *, timeout_s: float | None = None) -> int:
        """Its place once it is 0, or once the line moved or the time is over, whichever comes first."""
        with self._changed:
            if self._tickets.index(ticket) != _FIRST:
                self._changed.wait(timeout_s)
            return self._tickets.index(ticket)

    def leave(self, ticket: LockTicket) -> None:
        """Out of the line, from whatever place."""
        with self._changed:
            self._tickets.remove(ticket)
            self._changed.notify_all()
