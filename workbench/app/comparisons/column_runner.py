"""Run one column of a comparison: generate its answer to a turn and store it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from workbench.app.prepare import ReadyTurn, prepare_turn, ready_turn
from workbench.app.services import Services
from workbench.app.turn_recorder import TurnRecorder, record_turn
from workbench.app.turn_request import MessageStored, TurnContext
from workbench.chat.message import Message, Role
from workbench.errors import BadInput, EngineError
from workbench.records.comparisons import ComparisonAnswer
from workbench.records.run_config import RunConfig
from workbench.records.session_world import world_at
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage, copy_of
from workbench.rollout.events import EndReason, Event, TurnEnded
from workbench.settings import Secret


class Branches:
    """The paths of a session to the compared turns, one for each system text. Thread-safe.

    Columns with the same system text share a path, so their answers are siblings. For another system text, the
    conversation is copied under a new root.

    Args:
        path: The session's messages up to the last compared turn.
    """

    def __init__(self, services: Services, session_id: str, path: Sequence[StoredMessage]) -> None:
        self._services = services
        self._session_id = session_id
        self._conversation = tuple(path[1:] if path[0].message.role is Role.SYSTEM else path)
        self._lock = Lock()
        self._ids: dict[str, dict[str, str]] = {}
        if path[0].message.role is Role.SYSTEM:
            self._ids[path[0].message.text] = {stored.id: stored.id for stored in path}

    def asked_id(self, system_text: str, turn_id: str) -> str:
        """Return the id of the turn's user message on the path with this system text.

        Raises:
            StoreError: The path could not be written.
        """
        with self._lock:
            if system_text not in self._ids:
                self._ids[system_text] = self._copy_path(system_text)
            return self._ids[system_text][turn_id]

    def ask_again(self, turn_id: str, leaf_id: str) -> str:
        """Append a copy of the turn's user message below `leaf_id` and return its id.

        Raises:
            StoreError: The copy could not be written.
        """
        turn = next(stored for stored in self._conversation if stored.id == turn_id)
        # What somebody changed in the world there does not fit here.
        question = replace(copy_of(turn), world_patch=())
        stored = self._services.sessions.append(self._session_id, question, parent_id=leaf_id, is_shown=False)
        return stored.id

    def _copy_path(self, system_text: str) -> dict[str, str]:
        system = Message(role=Role.SYSTEM, text=system_text)
        root = NewMessage(message=system, origin=MessageOrigin.PERSON)
        written = self._services.sessions.append_all(
            self._session_id, (root, *map(copy_of, self._conversation)), parent_id=None, is_shown=False
        )
        pairs = zip(self._conversation, written[1:], strict=True)
        return {original.id: copy.id for original, copy in pairs}


STOPPED = "stopped by you"
"""The problem of an answer that a person stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRunner:
    """Runs the turns of one column."""

    services: Services
    branches: Branches
    session_id: str
    setup: RunConfig
    place: int
    """Index of the column, from 0."""
    is_shown: bool
    """Whether its answers become the session's open path."""
    is_cancelled: Callable[[], bool]
    """Returns True once a person has stopped the comparison."""
    token: Secret | None = None
    """A visitor's own access token for hosted models."""

    def answer(
        self, turn: int, turn_id: str, on_event: Callable[[Event], None], *, after: str | None = None
    ) -> ComparisonAnswer:
        """Run one turn and return its answer. Errors of the model or its engine become the answer's problem.

        Args:
            turn: Index of the turn, from 0.
            turn_id: Id of the turn's user message.
            on_event: Called with each event as it happens.
            after: Ask the question again below this message. None asks it at its original position.

        Raises:
            StoreError: A message could not be stored.
        """
        recorder, asked_id, problem = None, None, ""
        try:
            ready = ready_turn(self.services, self.setup, token=self.token)
            asked_id = self._ask(ready, turn_id, after)
            recorder = self._recorder(asked_id)
            for event in self._run(ready, asked_id, recorder):
                if isinstance(event, MessageStored):
                    continue
                on_event(event)
                if isinstance(event, TurnEnded):
                    problem = STOPPED if event.reason is EndReason.CANCELLED else event.problem
        except (BadInput, EngineError) as error:
            problem = str(error)
        # The recorder also stores a partial message of a turn that failed.
        leaf_id = recorder.parent_id if recorder and recorder.parent_id != asked_id else None
        return ComparisonAnswer(
            column=self.place, turn=turn, asked_id=asked_id, leaf_id=leaf_id, problem=problem
        )

    def _ask(self, ready: ReadyTurn, turn_id: str, after: str | None) -> str:
        """Return the id of the user message to answer."""
        if after is not None:
            return self.branches.ask_again(turn_id, after)
        return self.branches.asked_id(ready.system_message().text, turn_id)

    def _recorder(self, asked_id: str) -> TurnRecorder:
        return TurnRecorder(
            services=self.services,
            session_id=self.session_id,
            parent_id=asked_id,
            setup=self.setup,
            is_shown=self.is_shown,
        )

    def _run(
        self, ready: ReadyTurn, asked_id: str, recorder: TurnRecorder
    ) -> Iterator[Event | MessageStored]:
        path = self.services.sessions.path(self.session_id, leaf_id=asked_id)
        messages = [stored.message for stored in path]
        context = TurnContext(is_cancelled=self.is_cancelled)
        world = world_at(path)
        prepared = prepare_turn(self.services, self.session_id, ready, context, messages, world=world)
        yield from record_turn(prepared, recorder, self.setup.ephemeral)
