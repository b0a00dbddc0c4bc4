"""The turns of all servers: one at a time for each session, and each can be watched and stopped from every server.

Idea: a turn has a row in the database from its start to its end. That is all it costs while nobody watches it on
another server, which is the usual case if a proxy sends each user to the same server.

A server that shows a turn of another one sends it a message, again every few seconds. Meanwhile the other server
writes the turn's events into the database, about ten times a second, and notifies the servers that follow it. The rows
are bounded: after `MOST_ROWS` the events so far are written again in their condensed form, in place of all others.
"""

import logging
import time
from threading import Event, Lock, Thread
from typing import Any, Final
from weakref import WeakValueDictionary

from workbench.app.running_turn import RunningTurn
from workbench.app.servers.group import ServerGroup, ServerMessage
from workbench.app.servers.remote_turn import SETUP, RemoteTurn
from workbench.app.servers.turn_events import batch_document
from workbench.app.services import Services
from workbench.errors import StoreError, WorkbenchError
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.rollout.ports import Approval, FinishReason
from workbench.rollout.steps import Step, StepKind
from workbench.store.servers.live_work import LiveTurn, LiveWork

_LOG: Final = logging.getLogger(__name__)
WRITE_EVERY_S: Final = 0.1
"""The shortest time between two rows with events."""
MOST_ROWS: Final = 50
"""How many rows with events a turn has at most."""
UNWATCHED_S: Final = 20.0
"""How long events are written after the last message of a server that shows the turn."""
REPLACED: Final = "this server was silent for too long, so another one has taken over"


class _Publication:
    """The events of a turn that are written for other servers."""

    def __init__(self, turn: RunningTurn) -> None:
        self.turn: Final = turn
        self.gone = Event()
        self.number = 0
        """Number of the last row."""
        self.asked_s = time.monotonic()
        self.thread: Thread | None = None


class SharedTurns:
    """The turns of all servers, as `workbench.app.tasks.TaskDirectory` describes.

    Args:
        services: The services of any owner.
        group: This server among the others.
        work: The work in progress of all servers.
    """

    def __init__(self, services: Services, group: ServerGroup, work: LiveWork) -> None:
        self._services = services
        self._group = group
        self._work = work
        self._own: dict[str, RunningTurn] = {}
        """The turns that this server runs, by id."""
        self._unreleased: set[str] = set()
        """Turns that have ended while the database could not be written."""
        self._publications: dict[str, _Publication] = {}
        self._remote: WeakValueDictionary[str, RemoteTurn] = WeakValueDictionary()
        self._lock = Lock()
        for kind, handle in (("watch", self._watched), ("stop", self._stopped), ("answer", self._answered)):
            group.on_message(kind, handle)
        group.on_beat(self._tidy)
        group.on_removed(self._stop_all)

    def claim(self, task: RunningTurn) -> bool:
        """Enter a turn of this server. Return False if its session has a turn on another server.

        Raises:
            StoreError: The database could not be written.
        """
        request: dict[str, Any] = {
            "setup": SETUP.dump_python(task.request.setup, mode="json"),
            "samples": task.request.samples,
        }
        live = LiveTurn(id=task.id, session_id=task.subject, server_id=self._group.id, request=request)
        if not self._work.begin_turn(task.owner_key, live):
            return False
        with self._lock:
            self._own[task.id] = task
        return True

    def release(self, task: RunningTurn) -> None:
        """Remove a turn of this server, which has ended."""
        with self._lock:
            self._own.pop(task.id, None)
        self._release(task.id)

    def find(self, owner_key: str | None, subject: str) -> RunningTurn | None:
        """Return the turn that another server runs in a session of the owner, or None.

        Raises:
            StoreError: The database could not be read.
        """
        live = self._work.find_turn(owner_key, subject)
        if live is None or live.server_id == self._group.id:
            return None
        with self._lock:
            found = self._remote.get(live.id)
            if found is None:
                found = self._remote[live.id] = self._remote_turn(owner_key, live)
        return found

    def _remote_turn(self, owner_key: str | None, live: LiveTurn) -> RemoteTurn:
        owner = LOCAL_OWNER if owner_key is None else Owner(key=owner_key)
        return RemoteTurn(self._services.of(owner), live, self._group, self._work)

    def _watched(self, message: ServerMessage) -> None:
        turn_id = str(message["watch"])
        with self._lock:
            turn = self._own.get(turn_id)
            publication = self._publications.get(turn_id)
            if publication is None and turn is not None:
                publication = self._publications[turn_id] = _Publication(turn)
            if publication is None:
                return
            publication.asked_s = time.monotonic()
            if publication.thread is None:
                publication.gone.clear()
                publication.thread = Thread(
                    target=self._publish, args=[publication], name="publication", daemon=True
                )
                publication.thread.start()
        publication.turn.mark_watched()

    def _stopped(self, message: ServerMessage) -> None:
        turn = self._own.get(str(message["stop"]))
        if turn is not None:
            turn.stop.set(FinishReason(message["reason"]), str(message["problem"]))

    def _answered(self, message: ServerMessage) -> None:
        turn = self._own.get(str(message["answer"]))
        if turn is None:
            return
        if "approval" in message:
            answer: Approval | Step = Approval(message["approval"])
        else:
            answer = Step(kind=StepKind(message["step"]), text=str(message["text"]))
        turn.person.answer(int(message["question"]), answer)

    def _publish(self, publication: _Publication) -> None:
        try:
            while not publication.gone.is_set() and self._publish_rows(publication):
                pass
        except StoreError as error:
            # A server that still shows the turn asks again.
            _LOG.warning("could not write the events of a turn for other servers: %s", error)
        finally:
            with self._lock:
                publication.thread = None
                if publication.turn.over.is_set():
                    self._publications.pop(publication.turn.id, None)

    def _publish_rows(self, publication: _Publication) -> bool:
        """Write rows until there are too many. Return False at the end of the turn."""
        turn, count, problem = publication.turn, 0, ""
        batches = turn.log.follow(publication.gone)
        while True:
            try:
                batch = next(batches, None)
            except Exception as error:  # noqa: BLE001 - what ended the turn, which is sent as a text
                batch, problem = None, _problem_of(error)
            if batch is None:
                break
            document = batch_document(batch, now_s=self._services.calendar.seconds())
            publication.number += 1
            self._work.add_events(turn.id, publication.number, document, is_restart=batch.is_restart)
            count += 1
            if count == MOST_ROWS:
                return True
            publication.gone.wait(WRITE_EVERY_S)
        if not publication.gone.is_set():
            publication.number += 1
            self._work.add_events(turn.id, publication.number, {"end": problem}, is_restart=False)
        return False

    def _tidy(self) -> None:
        """Stop writing events that nobody has asked for lately, and release turns that could not be released before."""
        now_s = time.monotonic()
        with self._lock:
            for turn_id, publication in list(self._publications.items()):
                if publication.thread is None and publication.turn.over.is_set():
                    del self._publications[turn_id]
            publications = list(self._publications.values())
            unreleased = list(self._unreleased)
        for publication in publications:
            if now_s - publication.asked_s > UNWATCHED_S:
                publication.gone.set()
        for turn_id in unreleased:
            self._release(turn_id)

    def _release(self, turn_id: str) -> None:
        try:
            self._work.end_turn(turn_id)
        except StoreError as error:
            _LOG.warning("could not remove an ended turn: %s", error)
            with self._lock:
                self._unreleased.add(turn_id)
        else:
            with self._lock:
                self._unreleased.discard(turn_id)

    def _stop_all(self) -> None:
        with self._lock:
            turns = list(self._own.values())
        for turn in turns:
            turn.stop.set(FinishReason.INTERRUPTED, REPLACED)


def _problem_of(error: Exception) -> str:
    return str(error) if isinstance(error, WorkbenchError) else "the answer could not be written"
