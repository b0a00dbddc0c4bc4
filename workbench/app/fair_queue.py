"""A fair queue: groups take turns, and so do the owners within a group, however many requests each of them sends.

Idea: start-time fair queueing with a cost of 1 per ticket, at each level of the share (such as an address, and
a browser at that address). Every group has a virtual time `due` at which its next ticket is served, and the
ticket with the smallest due time comes first. Serving a ticket moves its group's due time ahead by 1. A
group that joins, or comes back after a pause, is due at the virtual time of the ticket that was served last: it
neither waits for what others have used before, nor gets anything for its absence.

Invariants:

- At most `width` tickets are served or hold a place at the same time.
- The tickets of one owner are served in the order in which they joined.
- A group with many waiting tickets delays another group by one ticket per turn, not by all of them.
- A group is forgotten only when that changes nothing: it has no tickets, and would be due now if it came back.
- A turn that runs tools between two completions keeps its place for `HOLD_S`, so that a turn with tools does
  not queue again for each completion. The cost is counted once per turn.

Example: Ann starts a suite run with 34 cases, then Bob asks one question. With a simple queue Bob waits for 34
completions. Here Ann's first ticket is served (Ann is now due at 1), Bob joins and is due at 0, so he is next.
If all visitors of one address were single owners, an address with 34 browsers would get 34 turns for each turn
of another address. With the address as the first level of the share, both addresses alternate.

*Source:* Goyal, Vin and Cheng, "Start-Time Fair Queueing" (1996), https://dl.acm.org/doi/10.1145/248156.248171
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock
from typing import Final

from workbench.records.limits import UserLimits

Share = tuple[str, ...]
"""Who sends a request, from the widest group to the narrowest, such as an address and a browser at that address."""

HOLD_S: Final = 2.0
"""How many seconds a turn keeps its place between two completions, while its tools run."""


class QueueTicket:
    """A place in a queue. Tickets are compared by identity."""

    __slots__ = ("number", "share", "turn")

    def __init__(self, share: Share, turn: object, number: int) -> None:
        self.share = share
        self.turn = turn
        self.number = number


@dataclass(slots=True)
class _Node:
    """A group or an owner: when its next ticket is due, and its waiting tickets."""

    due: float = 0.0
    """Virtual time at which its first waiting ticket is due. Each further ticket is due 1 later."""
    clock: float = 0.0
    """Virtual time inside this group: the due time of the ticket that was served last."""
    waiting: list[QueueTicket] = field(default_factory=list[QueueTicket])
    """For an owner: its tickets, in the order in which they joined."""
    inner: "dict[str, _Node]" = field(default_factory=dict[str, "_Node"])
    """For a group: its members."""

    def tickets(self) -> list[QueueTicket]:
        """Return all waiting tickets, in the order in which they will be served."""
        if not self.inner:
            return list(self.waiting)
        ranked: list[tuple[float, int, QueueTicket]] = []
        for node in self.inner.values():
            ranked += [
                (node.due + place, ticket.number, ticket) for place, ticket in enumerate(node.tickets())
            ]
        return [ticket for _, _, ticket in sorted(ranked, key=lambda entry: entry[:2])]


class FairQueue:
    """A queue for something that serves `width` tickets at a time. Thread-safe.

    >>> line = FairQueue()
    >>> first, second, other = line.join(("ann",)), line.join(("ann",)), line.join(("bob",))
    >>> [line.place(ticket) for ticket in (first, second, other)]
    [0, 2, 1]
    >>> line.leave(first)
    >>> [line.place(ticket) for ticket in (second, other)]
    [1, 0]
    """

    def __init__(self, width: int = 1, *, now_s: Callable[[], float] = time.monotonic) -> None:
        """Create an empty queue.

        Args:
            width: How many tickets are served at the same time.
            now_s: Returns the time of a clock that only goes forward, in seconds.
        """
        self._width = width
        self._now_s = now_s
        self._root = _Node()
        self._serving: set[QueueTicket] = set()
        self._holds: dict[object, float] = {}
        self._places: dict[QueueTicket, int] = {}
        self._joined = 0
        self._changed = Condition()

    def resize(self, width: int) -> None:
        """Change how many tickets are served at the same time. Those that are being served are not interrupted."""
        with self._changed:
            if width != self._width:
                self._width = width
                self._advance()
                self._changed.notify_all()

    def widen(self, width: int) -> None:
        """Serve at least `width` tickets at the same time."""
        self.resize(max(width, self._width))

    def join(self, share: Share, *, turn: object = None) -> QueueTicket:
        """Return a new ticket. The caller must pass it to `leave` at the end.

        Args:
            share: Who sends the request. It has at least one level.
            turn: The turn that the ticket belongs to. A turn that holds a place is served at once.
        """
        with self._changed:
            self._joined += 1
            ticket = QueueTicket(share, turn, self._joined)
            self._refresh()
            if turn is not None and self._holds.pop(turn, None) is not None:
                # This costs nothing. Turns are shared fairly, however many completions each of them has.
                self._serving.add(ticket)
                self._advance()
            else:
                path = list(self._path(share))
                for parent, node in zip([self._root, *path], path, strict=False):
                    if not node.tickets():
                        node.due = max(node.due, parent.clock)
                path[-1].waiting.append(ticket)
                self._advance()
            return ticket

    def place(self, ticket: QueueTicket) -> int:
        """Return how many tickets will be served before this one. 0 means that it is being served."""
        with self._changed:
            self._refresh()
            return self._places[ticket]

    def wait(self, ticket: QueueTicket, *, timeout_s: float | None = None) -> int:
        """Return the ticket's place, after waiting until it is 0, the queue moves or the timeout is over."""
        with self._changed:
            self._refresh()
            if self._places[ticket]:
                self._changed.wait(self._patience(timeout_s))
                self._refresh()
            return self._places[ticket]

    def leave(self, ticket: QueueTicket, *, keeps_place: bool = False) -> None:
        """Remove a ticket from the queue, whether it is waiting or being served.

        Args:
            keeps_place: True keeps a place for the ticket's turn for `HOLD_S` seconds.
        """
        with self._changed:
            if ticket in self._serving:
                self._serving.remove(ticket)
                if keeps_place and ticket.turn is not None:
                    self._holds[ticket.turn] = self._now_s() + HOLD_S
            else:
                list(self._path(ticket.share))[-1].waiting.remove(ticket)
            self._advance()
            self._changed.notify_all()

    def end(self, turn: object) -> None:
        """Give up the place that a turn holds."""
        with self._changed:
            if self._holds.pop(turn, None) is not None:
                self._advance()
                self._changed.notify_all()

    def _patience(self, timeout_s: float | None) -> float | None:
        """Return the timeout, but no longer than until the first held place expires, since nobody signals that."""
        if not self._holds:
            return timeout_s
        left_s = max(0.0, min(self._holds.values()) - self._now_s())
        return left_s if timeout_s is None else min(timeout_s, left_s)

    def _refresh(self) -> None:
        """Update the places if a held place has expired. All other changes update the places themselves."""
        if self._holds and min(self._holds.values()) <= self._now_s():
            self._advance()

    def _advance(self) -> None:
        """Start serving the tickets that fit, and number the others."""
        now_s = self._now_s()
        self._holds = {turn: end_s for turn, end_s in self._holds.items() if end_s > now_s}
        order = self._root.tickets()
        while order and len(self._serving) + len(self._holds) < self._width:
            ticket = order[0]
            list(self._path(ticket.share))[-1].waiting.remove(ticket)
            self._serving.add(ticket)
            self._charge(ticket)
            order = self._root.tickets()
        self._forget(self._root)
        self._places = dict.fromkeys(self._serving, 0)
        self._places.update((ticket, place) for place, ticket in enumerate(order, start=1))

    def _charge(self, ticket: QueueTicket) -> None:
        """Move the due time of a served ticket's groups ahead by 1, at each level."""
        path = list(self._path(ticket.share))
        for parent, node in zip([self._root, *path], path, strict=False):
            parent.clock = max(parent.clock, node.due)
            node.due += 1

    def _path(self, share: Share) -> Iterator[_Node]:
        """Yield the nodes of a share, widest first. Missing nodes are created."""
        node = self._root
        for key in share:
            node = node.inner.setdefault(key, _Node())
            yield node

    def _forget(self, node: _Node) -> None:
        """Remove members without tickets that would be due now if they came back."""
        for key, member in list(node.inner.items()):
            self._forget(member)
            if not member.inner and not member.waiting and member.due <= node.clock:
                del node.inner[key]


class ActivityCounter:
    """Counts the turns, runs and comparisons that are running or waiting, by share. Thread-safe."""

    def __init__(self) -> None:
        self._counts: Counter[Share] = Counter()
        self._lock = Lock()

    @contextmanager
    def started(self, share: Share, limits: UserLimits) -> Generator[None]:
        """Count one more activity while the context lasts.

        Args:
            share: Who starts it. If it has two levels, the first one is an address.
            limits: The limits of the deployment.

        Raises:
            BadInput: The owner, or all owners at the address together, have reached the limit.
        """
        address = share[:-1]
        with self._lock:
            of_address = self._counts[address] if address else 0
            limits.check_activity(self._counts[share], of_address)
            self._counts.update({share, address})
        try:
            yield
        finally:
            with self._lock:
                self._counts.subtract({share, address})
                self._counts += Counter()

    def count(self, share: Share) -> int:
        """Return how many activities of a share are running or waiting."""
        with self._lock:
            return self._counts[share]
