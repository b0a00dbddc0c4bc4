"""This server among those that share its database.

Idea: one thread gives a sign of life every few seconds and removes servers that have ended. Another thread listens for
notifications of the database. Both go on when the database cannot be reached for a while.

A server that was silent for too long, because its machine or its database stood still, finds that another one has
removed it. It joins again, and stops what it was doing, because that now belongs to others.

After a failure of the database all servers have been silent. So a server removes a silent one only after it could reach
the database for as long as the other one was silent.
"""

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Lock, Thread
from typing import Any, Final

from workbench.errors import StoreError, WorkbenchError
from workbench.store.servers.servers import ServerStore

_LOG: Final = logging.getLogger(__name__)
LISTEN_S: Final = 1.0
"""How long the listener waits before it checks whether the server is closing."""
CLOSING_S: Final = 5.0
"""How long a closing server waits for its threads."""
ServerMessage = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """How often a server gives a sign of life, and when a silent one has ended. In seconds."""

    every_s: float = 3.0
    silent_s: float = 20.0
    """A server has ended if it was silent for this long."""
    process_silent_s: float = 7.0
    """A server on the same machine whose process has ended must have been silent for this long, in case that two
    containers have the same host name and cannot see each other's processes."""


class ServerGroup:
    """This server among those that share its database.

    Args:
        servers: All servers.
        pulse: How often to give a sign of life.
    """

    def __init__(self, servers: ServerStore, pulse: Pulse | None = None) -> None:
        self.id = secrets.token_hex(16)
        """The id of this server. It gets a new one if it joins again."""
        self._servers = servers
        self._pulse = pulse or Pulse()
        self._handlers: dict[str, Callable[[ServerMessage], None]] = {}
        self._on_beat: list[Callable[[], object]] = []
        self._on_removed: list[Callable[[], object]] = []
        self._followers: dict[str, Event] = {}
        self._is_closing = Event()
        self._lock = Lock()
        self._pulse_thread = Thread(target=self._beat, name="server-pulse", daemon=True)
        self._listener = Thread(target=self._listen, name="server-listener", daemon=True)

    def start(self) -> None:
        """Join the other servers.

        Raises:
            StoreError: The database could not be written.
        """
        self._servers.join(self.id)
        self._pulse_thread.start()
        self._listener.start()

    def close(self) -> None:
        """Leave the other servers, which then take over what is left."""
        self._is_closing.set()
        if self._listener.ident is None:
            # The database could not be written when the server started.
            return
        self._pulse_thread.join(CLOSING_S)
        try:
            self._servers.leave(self.id)
        except StoreError as error:
            _LOG.warning("could not leave the other servers: %s", error)
        self._listener.join(CLOSING_S)

    def on_message(self, kind: str, handle: Callable[[ServerMessage], None]) -> None:
        """Call `handle` with each message that has the key `kind`."""
        self._handlers[kind] = handle

    def on_beat(self, act: Callable[[], object]) -> None:
        """Call `act` after each sign of life."""
        self._on_beat.append(act)

    def on_removed(self, act: Callable[[], object]) -> None:
        """Call `act` if another server has removed this one, because it was silent for too long."""
        self._on_removed.append(act)

    def send(self, server_id: str, message: ServerMessage) -> None:
        """Send a message to a server, which may have ended by now.

        Raises:
            StoreError: The database could not be written.
        """
        self._servers.send(server_id, message)

    def count(self) -> int:
        """Return the number of servers.

        Raises:
            StoreError: The database could not be read.
        """
        return self._servers.count()

    def follow(self, subject: str) -> Event:
        """Return an event that is set at each notification about a subject, until `unfollow`."""
        with self._lock:
            return self._followers.setdefault(subject, Event())

    def unfollow(self, subject: str) -> None:
        """Stop following a subject."""
        with self._lock:
            self._followers.pop(subject, None)

    def _beat(self) -> None:
        reached_since_s = last_s = time.monotonic()
        while not self._is_closing.wait(self._pulse.every_s):
            try:
                if not self._servers.beat(self.id):
                    _LOG.warning("this server was silent for too long; others have taken over its work")
                    self._rejoin()
                now_s = time.monotonic()
                if now_s - last_s > self._pulse.silent_s / 2:
                    # The database or this server stood still, and the others may have been kept waiting, too.
                    reached_since_s = now_s
                last_s = now_s
                self._remove_ended(now_s - reached_since_s)
                # In case that the listener's connection is broken, and it has not noticed yet.
                self._receive()
            except StoreError as error:
                _LOG.warning("could not give a sign of life: %s", error)
                continue
            self._run(self._on_beat)

    def _rejoin(self) -> None:
        """Join under a new id, so that others can continue what the old one has left."""
        new_id = secrets.token_hex(16)
        self._servers.join(new_id)
        self.id = new_id
        self._run(self._on_removed)

    def _remove_ended(self, reached_for_s: float) -> None:
        pulse = self._pulse
        count = self._servers.remove_ended(
            silent=timedelta(seconds=pulse.silent_s) if reached_for_s >= pulse.silent_s else None,
            process_silent=timedelta(seconds=pulse.process_silent_s),
        )
        if count:
            _LOG.warning("a server has ended; its turns were interrupted: %d", count)

    def _listen(self) -> None:
        while not self._is_closing.is_set():
            try:
                with self._servers.listening() as wait:
                    # What was sent while nobody listened.
                    self._receive()
                    self._wake_all()
                    while not self._is_closing.is_set():
                        for subject in wait(LISTEN_S):
                            self._notified(subject)
            except StoreError as error:
                _LOG.warning("could not listen to the other servers: %s", error)
                self._is_closing.wait(LISTEN_S)

    def _notified(self, subject: str) -> None:
        if subject == self.id:
            self._receive()
            return
        with self._lock:
            follower = self._followers.get(subject)
        if follower is not None:
            follower.set()

    def _wake_all(self) -> None:
        with self._lock:
            for follower in self._followers.values():
                follower.set()

    def _receive(self) -> None:
        for message in self._servers.receive(self.id):
            for kind in message:
                if kind in self._handlers:
                    handle = self._handlers[kind]
                    self._run([lambda handle=handle, message=message: handle(message)])

    def _run(self, actions: list[Callable[[], object]]) -> None:
        for act in actions:
            try:
                act()
            except (WorkbenchError, ValueError, KeyError, TypeError) as error:
                # One failed message or action must not end the signs of life.
                _LOG.warning("another server's work could not be handled: %s", error)
