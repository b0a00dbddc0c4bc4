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
"""What is written so far is saved this often at most: what a killed process can lose of a message."""


@dataclass(slots=True, kw_only=True)
class TurnRecorder:
    """Appends to one session, each message under the one before."""

    services: Services
    session_id: str
    parent_id: str
    """The last message that was kept."""
    setup: RunConfig | None = None
    """What is played, where it is not the session's; None where it is."""
    is_shown: bool = True
    """False leaves the session's open leaf where it is."""
    _generation: Generation | None = field(default=None, init=False)
    _pieces: list[str] = field(default_factory=list[str], init=False)
    _unfinished_id: str | None = field(default=None, init=False)
    _saved_at_s: float = field(default=0.0, init=False)
    _ended: NewMessage | None = field(default=None, init=False)

    def begin(self, generation: Generation) -> None:
        """A completion begins; nothing of it is written yet."""
        self._generation, self._unfinished_id = generation, None
        self._pieces.clear()

    def add(self, piece: str) -> None:
        """More of the completion; saved at its first token, and now and then from there on."""
        self._pieces.append(piece)
        generation = self._generation
        if generation is None or not self._is_due():
            return
        # A save that fails ends no turn: the next one has all of it, and keeping the message will tell.
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
        """A message is whole, and is about to be told of; `keep` or `break_off` commits it."""
        self._ended = replace(new, setup=self.setup)

    def keep(self) -> StoredMessage:
        """Commits the message that has ended.

        Raises:
            StoreError: It could not be committed.
        """
        if self._ended is None:
            raise ValueError("no message has ended")
        kept = self.services.sessions.append(
            self.session_id,
            self._ended,
            parent_id=self.parent_id,
            unfinished_id=self._unfinished_id,
            is_shown=self.is_shown,
        )
        self.parent_id = kept.id
        self._generation, self._unfinished_id, self._ended = None, None, None
        return kept

    def break_off(self) -> None:
        """Nothing more will come: what has ended, or what there is of it, is kept.

        Raises:
            StoreError: It could not be committed.
        """
        text, generation = "".join(self._pieces), self._generation
        if self._ended is None and generation is not None and text.removeprefix(generation.prefill):
            message = Message(role=Role.ASSISTANT, text=text)
            self.end(NewMessage(message=message, origin=MessageOrigin.MODEL, generation=generation))
        if self._ended is not None:
            self.keep()

    def _is_due(self) -> bool:
        if self._unfinished_id is None:
            return bool(
                "".join(self._pieces).removeprefix(self._generation.prefill if self._generation else "")
            )
        return self.services.calendar.seconds() - self._saved_at_s >= SAVED_EVERY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStored:
    """A message was committed."""

    stored: StoredMessage


def begin_session(
    services: Services, setup: RunConfig, *, token: Secret | None = None, said: str = ""
) -> StoredSession:
    """A new session for a setup that can be played; nothing is written where it cannot.

    Args:
        token: A visitor's own, for a hosted model; see `workbench.rollout.models.Models`.
        said: What will be said first, where that is known.

    Raises:
        BadInput: The contract, the tools, the tool choice or what is said cannot be used.
        EngineError: The model is missing or cannot be loaded.
        StoreError: The session could not be committed.
    """
    services.limits.check_turn(setup, said)
    setup.turn_setup()
    setup.system_text(date=services.today())
    services.engine(setup.model, token=token)
    return services.sessions.create_session(setup)


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
    """One turn of a session: the user's text, and all that answers it.

    Nothing is written where the setup or the text cannot be used. Behind each event that ends a message
    stands a `MessageStored`, so that whoever stops listening loses nothing that was told. A turn that ends
    in the middle of a completion keeps what there is of it.

    Args:
        session_id: The session to go on with.
        setup: What to play it with; kept as the session's own.
        leaf_id: The message to go on from; None takes the open leaf. Where others went on from it
            meanwhile, the turn is a branch beside theirs.
        token: A visitor's own, for a hosted model; see `workbench.rollout.models.Models`.
        approver: Asked before a risky call; None where nobody can be, and then it does not run.
        stepper: Says what is to come of each call; None lets the toolbox run them all.
        staging: What of the tools is other than the catalog says.
        runs_calls: False ends the turn at the first completion that calls.

    Raises:
        BadInput: The contract, the tools, the tool choice or the text cannot be used.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: A message could not be committed.
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
        yield from _said_and_answered(at_work, session_id, setup, user_text, context, leaf_id)


def _said_and_answered(
    services: Services,
    session_id: str,
    setup: RunConfig,
    user_text: str,
    context: TurnContext,
    leaf_id: str | None,
) -> Iterator[Event | MessageStored]:
    engine = services.engine(setup.model, token=context.token)
    system = system_message(services, setup, engine)
    path = _answered(services.sessions.path(session_id, leaf_id=leaf_id))
    user = Message(role=Role.USER, text=user_text)
    messages = (system, *(kept.message for kept in _behind_system(path)), user)
    prepared = prepare_turn(services, session_id, setup, context, engine, messages)
    services.sessions.save_setup(session_id, setup)
    said = _say(services, session_id, path, system, user)
    yield MessageStored(stored=said)
    keeper = TurnRecorder(services=services, session_id=session_id, parent_id=said.id)
    yield from record_turn(prepared, keeper, setup.ephemeral)


def record_turn(
    prepared: PreparedTurn, keeper: TurnRecorder, ephemeral: str
) -> Iterator[Event | MessageStored]:
    """The events of a turn, a `MessageStored` behind each that ends a message; what breaks off is kept too."""
    try:
        for event in prepared.events():
            if isinstance(event, RoundStarted | CompletionEnded):
                event = replace(event, generation=replace(event.generation, ephemeral=ephemeral))
            if isinstance(event, RoundStarted):
                keeper.begin(event.generation)
            elif isinstance(event, PieceArrived):
                keeper.add(event.text)
            elif isinstance(event, CompletionEnded | ToolFinished):
                keeper.end(_ended(event))
            yield event
            if isinstance(event, CompletionEnded | ToolFinished):
                yield MessageStored(stored=keeper.keep())
    except BaseException:
        keeper.break_off()
        raise
    finally:
        prepared.asker.end()


def _answered(path: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """The path without a user's last message that nothing answered, for the engine failed.

    What is said now takes its place, on a branch beside it.
    """
    return path[:-1] if path and path[-1].message.role is Role.USER else path


def _say(
    services: Services, session_id: str, path: Sequence[StoredMessage], system: Message, said: Message
) -> StoredMessage:
    """Keeps what the user says at the end of the path, under a root that says `system`.

    Where the system text was edited, the path is written anew under the new root: a branch. The old
    one stays as it was, for its completions were made with the old text.
    """
    user = NewMessage(message=said, origin=MessageOrigin.PERSON)
    if path and path[0].message == system:
        return services.sessions.append(session_id, user, parent_id=path[-1].id)
    root = NewMessage(message=system, origin=MessageOrigin.PERSON)
    copies = map(copy_of, _behind_system(path))
    return services.sessions.append_all(session_id, (root, *copies, user), parent_id=None)[-1]


def _behind_system(path: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """The path without its system text, which a session that was imported may not have."""
    return path[1:] if path and path[0].message.role is Role.SYSTEM else path


def copy_of(kept: StoredMessage) -> NewMessage:
    """The message once more, for another branch."""
    return NewMessage(
        message=kept.message,
        origin=kept.origin,
        generation=kept.generation,
        tool_run=kept.tool_run,
        copy_of=kept.id,
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
