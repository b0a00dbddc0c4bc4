"""Run a turn and store each message as soon as it is complete."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from workbench.app.prepare import PreparedTurn, TurnContext, prepare_turn, system_message
from workbench.app.services import Services
from workbench.chat.message import Message, Role
from workbench.errors import StoreError
from workbench.records.run_config import RunConfig
from workbench.records.sessions import (
    MessageOrigin,
    NewMessage,
    StoredMessage,
    StoredSession,
    StoredToolRun,
)
from workbench.rollout.events import (
    CompletionEnded,
    Event,
    Generation,
    PieceArrived,
    RoundStarted,
    ToolFinished,
)
from workbench.rollout.ports import Approver
from workbench.rollout.steps import BY_HAND, Stepper
from workbench.settings import Secret
from workbench.toolbox.entry import NO_STAGING, Staging

SAVED_EVERY_S: Final = 0.5
"""The shortest time between two saves of a text that is being generated. A killed process can lose this much."""


@dataclass(slots=True, kw_only=True)
class TurnRecorder:
    """Stores the messages of a turn, each under the previous one, and saves unfinished text in between."""

    services: Services
    session_id: str
    parent_id: str
    """The last stored message."""
    setup: RunConfig | None = None
    """The setup of the turn, if it differs from the session's. None if it is the session's."""
    is_shown: bool = True
    """False does not change the session's open leaf."""
    _generation: Generation | None = field(default=None, init=False)
    _pieces: list[str] = field(default_factory=list[str], init=False)
    _unfinished_id: str | None = field(default=None, init=False)
    _saved_at_s: float = field(default=0.0, init=False)
    _ended: NewMessage | None = field(default=None, init=False)

    def begin(self, generation: Generation) -> None:
        """Start to record a completion."""
        self._generation, self._unfinished_id = generation, None
        self._pieces.clear()

    def add(self, piece: str) -> None:
        """Add a piece of the completion, and save the text so far if it is due."""
        self._pieces.append(piece)
        generation = self._generation
        if generation is None or not self._is_due():
            return
        # A failed save does not end the turn. The next one contains all of the text, and if storing the complete
        # message fails too, that is reported.
        with suppress(StoreError):
            self._unfinished_id = self.services.sessions.save_unfinished(
                self.session_id,
                "".join(self._pieces),
                generation,
                parent_id=self.parent_id,
                unfinished_id=self._unfinished_id,
            )
        self._saved_at_s = self.services.calendar.seconds()

    def end(self, new: NewMessage) -> None:
        """Set the complete message. `store` or `break_off` stores it."""
        self._ended = replace(new, setup=self.setup)

    def store(self) -> StoredMessage:
        """Store the message that was set by `end`.

        Raises:
            StoreError: The message could not be stored.
        """
        if self._ended is None:
            raise ValueError("no message has ended")
        stored = self.services.sessions.append(
            self.session_id,
            self._ended,
            parent_id=self.parent_id,
            unfinished_id=self._unfinished_id,
            is_shown=self.is_shown,
        )
        self.parent_id = stored.id
        self._generation, self._unfinished_id, self._ended = None, None, None
        return stored

    def break_off(self) -> None:
        """Store a complete message that is not stored yet, or else the text so far, because the turn ends early.

        Raises:
            StoreError: The message could not be stored.
        """
        text, generation = "".join(self._pieces), self._generation
        if self._ended is None and generation is not None and text.removeprefix(generation.prefill):
            message = Message(role=Role.ASSISTANT, text=text)
            self.end(NewMessage(message=message, origin=MessageOrigin.MODEL, generation=generation))
        if self._ended is not None:
            self.store()

    def _is_due(self) -> bool:
        if self._unfinished_id is None:
            return bool(
                "".join(self._pieces).removeprefix(self._generation.prefill if self._generation else "")
            )
        return self.services.calendar.seconds() - self._saved_at_s >= SAVED_EVERY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStored:
    """A message was stored."""

    stored: StoredMessage


def begin_session(
    services: Services,
    setup: RunConfig,
    *,
    token: Secret | None = None,
    user_text: str = "",
    session_id: str | None = None,
) -> StoredSession:
    """Create a session after checking that its setup can be used. On an error, nothing is stored.

    Args:
        token: A visitor's own access token for a hosted model. See `workbench.rollout.models.Models`.
        user_text: The first user message, if it is known, which is checked too.
        session_id: The id of the new session, a random one if it is None.

    Raises:
        BadInput: The contract, the tools, the tool choice or the text cannot be used.
        EngineError: The model is missing or cannot be loaded.
        StoreError: The session could not be stored.
    """
    services.limits.check_turn(setup, user_text)
    setup.turn_setup()
    setup.system_text(date=services.today())
    services.engine(setup.model, token=token)
    return services.sessions.create_session(setup, session_id=session_id)


def run_turn(
    services: Services,
    session_id: str,
    setup: RunConfig,
    user_text: str,
    *,
    is_cancelled: Callable[[], bool],
    leaf_id: str | None = None,
    token: Secret | None = None,
    approver: Approver | None = None,
    stepper: Stepper | None = None,
    staging: Staging = NO_STAGING,
    runs_calls: bool = True,
) -> Iterator[Event | MessageStored]:
    """Run one turn of a session: store the user's text, and generate and store everything that answers it.

    If the setup or the text cannot be used, nothing is stored. Each event that ends a message is followed by a
    `MessageStored`. If the caller stops iterating, or an error ends the turn during a completion, the text so far
    is stored.

    Args:
        session_id: The session to continue.
        setup: The setup of the turn. It becomes the setup of the session.
        user_text: The user's message.
        is_cancelled: Returns True once a person has stopped the turn.
        leaf_id: The message to continue from. None takes the open leaf. If the session was continued from that
            message in the meantime, the turn becomes a sibling branch.
        token: A visitor's own access token for a hosted model. See `workbench.rollout.models.Models`.
        approver: Asked before a risky call. None refuses risky calls.
        stepper: Decides about each call before it runs. None runs all calls.
        staging: Where the tools differ from their catalog files.
        runs_calls: False ends the turn at the first completion that calls a tool.

    Raises:
        BadInput: The contract, the tools, the tool choice or the text cannot be used.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: A message could not be stored.
    """
    services.limits.check_turn(setup, user_text)
    context = TurnContext(
        is_cancelled=is_cancelled,
        token=token,
        approver=approver,
        stepper=stepper,
        runs_calls=runs_calls,
        staging=staging,
    )
    with services.at_work() as at_work:
        yield from _run_turn(at_work, session_id, setup, user_text, context, leaf_id)


def _run_turn(
    services: Services,
    session_id: str,
    setup: RunConfig,
    user_text: str,
    context: TurnContext,
    leaf_id: str | None,
) -> Iterator[Event | MessageStored]:
    engine = services.engine(setup.model, token=context.token)
    system = system_message(services, setup, engine)
    path = _without_unanswered(services.sessions.path(session_id, leaf_id=leaf_id))
    user = Message(role=Role.USER, text=user_text)
    messages = (system, *(stored.message for stored in _after_system(path)), user)
    prepared = prepare_turn(services, session_id, setup, context, engine, messages)
    services.sessions.save_setup(session_id, setup)
    question = _store_user_message(services, session_id, path, system, user)
    yield MessageStored(stored=question)
    recorder = TurnRecorder(services=services, session_id=session_id, parent_id=question.id)
    yield from record_turn(prepared, recorder, setup.ephemeral)


def record_turn(
    prepared: PreparedTurn, recorder: TurnRecorder, ephemeral: str
) -> Iterator[Event | MessageStored]:
    """Yield the events of a turn and store its messages, with a `MessageStored` after each event that ends one.

    If the iteration ends early or raises, the partial message is stored.

    Args:
        ephemeral: The ephemeral system text of the turn, which is stored with each generation.
    """
    try:
        for event in prepared.events():
            if isinstance(event, RoundStarted | CompletionEnded):
                event = replace(event, generation=replace(event.generation, ephemeral=ephemeral))
            if isinstance(event, RoundStarted):
                recorder.begin(event.generation)
            elif isinstance(event, PieceArrived):
                recorder.add(event.text)
            elif isinstance(event, CompletionEnded | ToolFinished):
                recorder.end(_ended(event))
            yield event
            if isinstance(event, CompletionEnded | ToolFinished):
                yield MessageStored(stored=recorder.store())
    except BaseException:
        recorder.break_off()
        raise
    finally:
        prepared.client.end()


def _without_unanswered(path: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """Return the path without a final user message that has no answer, for example because the engine failed.

    The new user message becomes its sibling.
    """
    return path[:-1] if path and path[-1].message.role is Role.USER else path


def _store_user_message(
    services: Services, session_id: str, path: Sequence[StoredMessage], system: Message, message: Message
) -> StoredMessage:
    """Store the user's message at the end of the path.

    If the root differs from `system`, because the system text was edited, the path is copied under a new root. The
    old branch stays, because its completions were generated with the old text.
    """
    user = NewMessage(message=message, origin=MessageOrigin.PERSON)
    if path and path[0].message == system:
        return services.sessions.append(session_id, user, parent_id=path[-1].id)
    root = NewMessage(message=system, origin=MessageOrigin.PERSON)
    copies = map(copy_of, _after_system(path))
    return services.sessions.append_all(session_id, (root, *copies, user), parent_id=None)[-1]


def _after_system(path: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """Return the path without its system message. An imported session may not have one."""
    return path[1:] if path and path[0].message.role is Role.SYSTEM else path


def copy_of(stored: StoredMessage) -> NewMessage:
    """Return a copy of a message for another branch."""
    return NewMessage(
        message=stored.message,
        origin=stored.origin,
        generation=stored.generation,
        tool_run=stored.tool_run,
        copy_of=stored.id,
    )


def _ended(event: CompletionEnded | ToolFinished) -> NewMessage:
    if isinstance(event, CompletionEnded):
        return NewMessage(message=event.message, origin=MessageOrigin.MODEL, generation=event.generation)
    run = StoredToolRun(
        call_index=event.index,
        is_error=event.run.result.is_error,
        milliseconds=event.run.milliseconds,
        rule=event.run.rule,
        arguments_text=event.call.payload,
        arguments=event.call.arguments if event.run.arguments is None else event.run.arguments,
        findings=event.run.findings,
    )
    origin = MessageOrigin.PERSON if event.run.rule == BY_HAND else MessageOrigin.MOCK
    return NewMessage(message=event.message, origin=origin, tool_run=run)
