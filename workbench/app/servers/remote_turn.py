"""A turn that another server runs, as this server shows it."""

import logging
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final

from pydantic import TypeAdapter

from workbench.app.person import Person
from workbench.app.running_turn import RunningTurn
from workbench.app.servers.group import ServerGroup, ServerMessage
from workbench.app.servers.turn_events import read_batch, stored_events
from workbench.app.services import Services
from workbench.app.tasks import EventBatch, LoggedEvent
from workbench.app.turn_request import MessageStored, TurnEvent, TurnRequest
from workbench.errors import StoreError, WorkbenchError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import EndReason, TurnEnded
from workbench.rollout.ports import Approval, FinishReason
from workbench.rollout.steps import Step
from workbench.rollout.stopping import StopSignal
from workbench.store.servers.live_work import LiveTurn, LiveWork

_LOG: Final = logging.getLogger(__name__)
SETUP: Final = TypeAdapter(RunConfig)
ASK_EVERY_S: Final = 5.0
"""How often a server that shows a turn says so to the server that runs it."""
LOOK_EVERY_S: Final = 1.0
"""How often it looks for events without a notification."""
GRACE_S: Final = 5.0
"""How long the last events of a turn may take to arrive after the turn has ended."""
LOST: Final = "the server that was writing it has ended"

Send = Callable[[ServerMessage], None]
"""Sends a message to the server that runs the turn."""


class RemoteStop(StopSignal):
    """Stops a turn of another server."""

    def __init__(self, send: Send, turn_id: str) -> None:
        super().__init__()
        self._send = send
        self._turn_id = turn_id

    def set(self, reason: FinishReason = FinishReason.CANCELLED, problem: str = "") -> None:
        """Ask the other server to stop the turn.

        Raises:
            StoreError: The database could not be written.
        """
        self._send({"stop": self._turn_id, "reason": reason.value, "problem": problem})
        super().set(reason, problem)


class RemotePerson(Person):
    """Passes the answers of this server's pages on to the server that runs the turn."""

    def __init__(self, send: Send, turn_id: str) -> None:
        super().__init__(lambda _event: None, stop=StopSignal(), timeout_s=0.0)
        self._send = send
        self._turn_id = turn_id

    def answer(self, question: int, answer: Approval | Step) -> bool:
        """Pass an answer on. Whether the turn still waits for it is decided there, so this returns True.

        Raises:
            StoreError: The database could not be written.
        """
        message: dict[str, object] = {"answer": self._turn_id, "question": question}
        if isinstance(answer, Step):
            message |= {"step": answer.kind.value, "text": answer.text}
        else:
            message["approval"] = answer.value
        self._send(message)
        return True


class RemoteTurn(RunningTurn):
    """A turn that another server runs. Its events are fetched while somebody watches it here.

    Args:
        services: The services of the owner.
        live: The turn.
        group: This server among the others.
        work: The work in progress of all servers.
    """

    def __init__(self, services: Services, live: LiveTurn, group: ServerGroup, work: LiveWork) -> None:
        def send(message: ServerMessage) -> None:
            group.send(live.server_id, message)

        turn_request = TurnRequest(
            setup=SETUP.validate_python(live.request["setup"]),
            session_id=live.session_id,
            samples=int(live.request["samples"]),
        )
        super().__init__(
            services.owner.key,
            turn_request,
            now_s=services.calendar.seconds,
            approval_timeout_s=0.0,
            id=live.id,
            stop=RemoteStop(send, live.id),
        )
        self.person = RemotePerson(send, live.id)
        self._services = services
        self._send = send
        self._group = group
        self._work = work
        self._fetching = Lock()
        self._is_fetched = False

    @contextmanager
    def watched(self, gone: Event | None = None) -> Generator[Iterator[EventBatch[TurnEvent]]]:
        """Watch the turn while the context lasts; see `RunningTask.watched`."""
        with super().watched(gone) as batches:
            with self._fetching:
                if not self._is_fetched and not self.over.is_set():
                    self._is_fetched = True
                    Thread(target=self._fetch, name="remote-turn", daemon=True).start()
            yield batches

    def _fetch(self) -> None:
        news = self._group.follow(self.id)
        try:
            self._fetch_events(news)
        except (WorkbenchError, ValueError, KeyError, TypeError) as error:
            _LOG.warning("could not show a turn of another server: %s", error)
            self._end(StoreError("the answer is written by another server, which cannot be followed now"))
        finally:
            self._group.unfollow(self.id)

    def _fetch_events(self, news: Event) -> None:
        position, asked_s, ended_s = 0, 0.0, None
        while self._is_wanted():
            now_s = time.monotonic()
            if not asked_s or now_s - asked_s >= ASK_EVERY_S:
                self._send({"watch": self.id})
                asked_s = now_s
            arrived = self._work.events(self.id, after=position)
            for number, document in arrived:
                position = number
                if "end" in document:
                    self._end(StoreError(document["end"]) if document["end"] else None)
                    return
                self._show(read_batch(document, self._find_message, now_s=self._now_s()))
            if arrived:
                continue
            if ended_s is None and not self._work.has_turn(self.id):
                ended_s = now_s
            if ended_s is not None and now_s - ended_s >= GRACE_S:
                self._end_lost()
                return
            news.wait(LOOK_EVERY_S)
            news.clear()

    def _is_wanted(self) -> bool:
        with self._fetching:
            if not self.is_watched:
                # The next watcher starts it again, from the first event.
                self._is_fetched = False
            return self._is_fetched

    def _show(self, batch: EventBatch[TurnEvent]) -> None:
        if any(isinstance(logged.event, MessageStored) for logged in batch.logged):
            self.has_stored = True
        self.log.extend(batch.logged, is_restart=batch.is_restart)

    def _end_lost(self) -> None:
        """End a turn whose server has ended, with the message that another server has saved for it."""
        path = self._services.sessions.path(self.subject)
        events: list[TurnEvent] = list(stored_events(path[-1])) if path else []
        generation = path[-1].generation if path else None
        if generation is None or generation.finish_reason is FinishReason.INTERRUPTED:
            events.append(TurnEnded(reason=EndReason.INTERRUPTED, rounds=0, problem=LOST))
        at_s = self._now_s()
        logged = [LoggedEvent(event=event, at_s=at_s) for event in events]
        self._show(EventBatch(logged=logged, is_restart=False))
        self._end(None)

    def _end(self, error: StoreError | None) -> None:
        self.error = error
        self.over.set()
        self.log.end(error)

    def _find_message(self, message_id: str) -> StoredMessage | None:
        path = self._services.sessions.path(self.subject, leaf_id=message_id)
        return path[-1] if path else None

    def _now_s(self) -> float:
        return self._services.calendar.seconds()
