"""A fair queue: groups take turns, and owners within a group, so that nobody gets ahead by asking often."""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock
from typing import Final

from workbench.app.limits import PersonLimits

Share = tuple[str, ...]
"""Who is asking, from the widest group to the narrowest, such as an address and a browser at that address."""

HOLD_S: Final = 2.0
"""How long a turn keeps its place between two completions, while its tools run; it ends with the turn."""


class QueueTicket:
    """A place in a line; compared by identity."""

    __slots__ = ("number", "share", "turn")

    def __init__(self, share: Share, turn: object, number: int) -> None:
        self.share = share
        self.turn = turn
        self.number = number


@dataclass(slots=True)
class _Node:
    """A group or an owner: when its next ticket is due, and who waits in it."""

    due: float = 0.0
    """Virtual time at which the first of its waiting tickets is due; each further one is due 1 later."""
    clock: float = 0.0
    """Virtual time inside this group: when the ticket that was served last was due."""
    waiting: list[QueueTicket] = field(default_factory=list[QueueTicket])
    """Of an owner: its tickets, in the order in which they joined."""
    inner: "dict[str, _Node]" = field(default_factory=dict[str, "_Node"])

    def tickets(self) -> list[QueueTicket]:
        """All waiting tickets, in the order in which they will be served."""
        if not self.inner:
            return list(self.waiting)
        found: list[tuple[float, int, QueueTicket]] = []
        for node in self.inner.values():
            found += [
                (node.due + place, ticket.number, ticket) for place, ticket in enumerate(node.tickets())
            ]
        return [ticket for _, _, ticket in sorted(found, key=lambda one: one[:2])]


class FairQueue:
    """Who waits for something that serves `width` at a time.

    Start-time fair queueing with a cost of 1 per ticket, at each level of the share: a group that joins while
    another is served is due now, and the further tickets of that other group are due later, one by one. So 34
    tickets of one visitor delay another by one ticket, and a visitor who comes back is not overtaken by all
    who come for the first time.

    >>> line = FairQueue()
    >>> first, second, other = line.join(("ann",)), line.join(("ann",)), line.join(("bob",))
    >>> [line.place(one) for one in (first, second, other)]
    [0, 2, 1]
    >>> line.leave(first)
    >>> [line.place(one) for one in (second, other)]
    [1, 0]
    """

    def __init__(self, width: int = 1, *, now_s: Callable[[], float] = time.monotonic) -> None:
        """Nobody waits yet.

        Args:
            width: How many are served at the same time.
            now_s: A clock that only goes forward, in seconds.
        """
        self._width = width
        self._now_s = now_s
        self._root = _Node()
        self._serving: set[QueueTicket] = set()
        self._holds: dict[object, float] = {}
        self._places: dict[QueueTicket, int] = {}
        self._joined = 0
        self._changed = Condition()

    def join(self, share: Share, *, turn: object = None) -> QueueTicket:
        """A ticket; whoever holds it must `leave`.

        Args:
            share: Who is asking; at least one level.
            turn: What the ticket belongs to. A turn that left less than `HOLD_S` ago is served first.
        """
        with self._changed:
            self._joined += 1
            ticket = QueueTicket(share, turn, self._joined)
            self._look()
            if turn is not None and self._holds.pop(turn, None) is not None:
                # Costs nothing: what is shared is turns, however many completions each of them takes.
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
        """How many are served before it as things are; 0 is being served."""
        with self._changed:
            self._look()
            return self._places[ticket]

    def wait(self, ticket: QueueTicket, *, timeout_s: float | None = None) -> int:
        """Its place once that is 0, or once the line moved or the time is over, whichever comes first."""
        with self._changed:
            self._look()
            if self._places[ticket]:
                self._changed.wait(self._patience(timeout_s))
                self._look()
            return self._places[ticket]

    def leave(self, ticket: QueueTicket, *, keeps_place: bool = False) -> None:
        """Leaves the line, from whatever place.

        Args:
            keeps_place: True keeps the place of the ticket's turn for `HOLD_S`.
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
        """The turn needs its place no more."""
        with self._changed:
            if self._holds.pop(turn, None) is not None:
                self._advance()
                self._changed.notify_all()

    def _patience(self, timeout_s: float | None) -> float | None:
        """The timeout, cut to when the first hold runs out: nobody tells that it did."""
        if not self._holds:
            return timeout_s
        left_s = max(0.0, min(self._holds.values()) - self._now_s())
        return left_s if timeout_s is None else min(timeout_s, left_s)

    def _look(self) -> None:
        """Brings the places up to date with the clock; all else that changes them does so itself."""
        if self._holds and min(self._holds.values()) <= self._now_s():
            self._advance()

    def _advance(self) -> None:
        """Lets in whoever can be served now, and numbers the others."""
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
        """Whoever is served is due again 1 later, at each level."""
        path = list(self._path(ticket.share))
        for parent, node in zip([self._root, *path], path, strict=False):
            parent.clock = max(parent.clock, node.due)
            node.due += 1

    def _path(self, share: Share) -> Iterator[_Node]:
        """The nodes of a share, from the widest; made where they are not there."""
        node = self._root
        for key in share:
            node = node.inner.setdefault(key, _Node())
            yield node

    def _forget(self, node: _Node) -> None:
        """Drops members that would be due now if they came back: there is nothing to remember of them."""
        for key, member in list(node.inner.items()):
            self._forget(member)
            if not member.inner and not member.waiting and member.due <= node.clock:
                del node.inner[key]


class ActivityCounter:
    """Counts what is under way or waiting, by share."""

    def __init__(self) -> None:
        self._taken: Counter[Share] = Counter()
        self._lock = Lock()

    @contextmanager
    def started(self, share: Share, limits: PersonLimits) -> Generator[None]:
        """One more is under way, as long as the context lasts.

        Args:
            share: Of whoever asks; its first level is an address where it has two.
            limits: Of the deployment.

        Raises:
            BadInput: They, or all of their address, have as much under way as may be.
        """
        address = share[:-1]
        with self._lock:
            of_address = self._taken[address] if address else 0
            limits.check_activity(self._taken[share], of_address)
            self._taken.update({share, address})
        try:
            yield
        finally:
            with self._lock:
                self._taken.subtract({share, address})
                self._taken += Counter()

    def count(self, share: Share) -> int:
        """How much of that share is under way."""
        with self._lock:
            return self._taken[share]
