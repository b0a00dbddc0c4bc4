"""Run one column's answer to one turn and store it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

from workbench.app.prepare import TurnContext, prepare_turn, system_message
from workbench.app.services import Services
from workbench.app.turns import MessageStored, TurnRecorder, copy_of, record_turn
from workbench.chat.message import Message, Role
from workbench.errors import BadInput, EngineError
from workbench.records.comparisons import ComparisonAnswer
from workbench.records.run_config import RunConfig
from workbench.records.sessions import MessageOrigin, NewMessage, StoredMessage
from workbench.rollout.events import EndReason, Event, TurnEnded
from workbench.settings import Secret


class Branches:
    """One session's paths to its turns, one for each system text; safe to use from several threads.

    Columns of one system text share a path, so that their answers are siblings.

    Args:
        path: The session's messages up to the last turn that is answered.
    """

    def __init__(self, services: Services, session_id: str, path: Sequence[StoredMessage]) -> None:
        self._services = services
        self._session_id = session_id
        self._said = tuple(path[1:] if path[0].message.role is Role.SYSTEM else path)
        self._lock = Lock()
        self._ids: dict[str, dict[str, str]] = {}
        if path[0].message.role is Role.SYSTEM:
            self._ids[path[0].message.text] = {kept.id: kept.id for kept in path}

    def asked_id(self, system_text: str, turn_id: str) -> str:
        """The id of the turn's user message on the path that begins with the system text.

        Raises:
            StoreError: The path could not be written.
        """
        with self._lock:
            if system_text not in self._ids:
                self._ids[system_text] = self._copied(system_text)
            return self._ids[system_text][turn_id]

    def asked_again(self, turn_id: str, leaf_id: str) -> str:
        """The id of a copy of the turn's user message behind `leaf_id`.

        Raises:
            StoreError: It could not be written.
        """
        turn = next(kept for kept in self._said if kept.id == turn_id)
        kept = self._services.sessions.append(
            self._session_id, copy_of(turn), parent_id=leaf_id, is_shown=False
        )
        return kept.id

    def _copied(self, system_text: str) -> dict[str, str]:
        system = Message(role=Role.SYSTEM, text=system_text)
        root = NewMessage(message=system, origin=MessageOrigin.PERSON)
        written = self._services.sessions.append_all(
            self._session_id, (root, *map(copy_of, self._said)), parent_id=None, is_shown=False
        )
        return {said.id: copy.id for said, copy in zip(self._said, written[1:], strict=True)}


STOPPED = "stopped by you"
"""Why an answer is not whole that a person stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRunner:
    """Plays the turns of one column."""

    services: Services
    branches: Branches
    session_id: str
    setup: RunConfig
    place: int
    """The column's, from 0."""
    is_shown: bool
    """Whether its answers become the session's open path."""
    is_cancelled: Callable[[], bool]
    """True once a person has stopped it."""
    token: Secret | None = None
    """A visitor's own, for hosted models."""

    def answer(
        self, turn: int, turn_id: str, tell: Callable[[Event], None], *, behind: str | None = None
    ) -> ComparisonAnswer:
        """Plays a turn; what a model or its engine gets wrong is told by the answer.

        Args:
            turn: The turn's place, from 0.
            turn_id: Its user's message.
            tell: Is told what happens, as it happens.
            behind: The message that it is asked behind once more; None asks it where it stands.

        Raises:
            StoreError: A message could not be committed.
        """
        keeper, asked_id, problem = None, None, ""
        try:
            asked_id = self._asked(turn_id, behind)
            keeper = self._keeper(asked_id)
            for event in self._played(asked_id, keeper):
                if isinstance(event, MessageStored):
                    continue
                tell(event)
                if isinstance(event, TurnEnded):
                    problem = STOPPED if event.reason is EndReason.CANCELLED else event.problem
        except (BadInput, EngineError) as error:
            problem = str(error)
        # What broke off is kept by the keeper, and told by nobody else.
        leaf_id = keeper.parent_id if keeper and keeper.parent_id != asked_id else None
        return ComparisonAnswer(
            column=self.place, turn=turn, asked_id=asked_id, leaf_id=leaf_id, problem=problem
        )

    def _asked(self, turn_id: str, behind: str | None) -> str:
        if behind is not None:
            return self.branches.asked_again(turn_id, behind)
        engine = self.services.engine(self.setup.model, token=self.token)
        system = system_message(self.services, self.setup, engine)
        self.setup.turn_setup()
        return self.branches.asked_id(system.text, turn_id)

    def _keeper(self, asked_id: str) -> TurnRecorder:
        return TurnRecorder(
            services=self.services,
            session_id=self.session_id,
            parent_id=asked_id,
            setup=self.setup,
            is_shown=self.is_shown,
        )

    def _played(self, asked_id: str, keeper: TurnRecorder) -> Iterator[Event | MessageStored]:
        services, setup = self.services, self.setup
        engine = services.engine(setup.model, token=self.token)
        path = services.sessions.path(self.session_id, leaf_id=asked_id)
        messages = [kept.message for kept in path]
        context = TurnContext(is_cancelled=self.is_cancelled, token=self.token)
        prepared = prepare_turn(services, self.session_id, setup, context, engine, messages)
        yield from record_turn(prepared, keeper, setup.ephemeral)
