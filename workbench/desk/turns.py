"""A turn, played and kept: each message is committed the moment it ends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.chat.message import Conversation, Message, Role
from workbench.desk.kept import KeptMessage, KeptSession, KeptToolRun, NewMessage, Origin
from workbench.desk.services import Services
from workbench.desk.setup import Setup
from workbench.hermes.json_mode import find_schema
from workbench.rollout.events import CompletionEnded, Event, ToolFinished
from workbench.rollout.loop import Turn, play
from workbench.settings import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKept:
    """A message was committed."""

    kept: KeptMessage
    """As the store has it."""


def begin_session(services: Services, setup: Setup, *, token: Secret | None = None) -> KeptSession:
    """A new session for a setup that can be played; nothing is written where it cannot.

    Args:
        services: The edges.
        setup: What to play.
        token: A visitor's own, for a hosted model; see `workbench.desk.ports.Models`.

    Raises:
        BadInput: The contract, the tools or the tool choice cannot be used.
        EngineError: The model is missing or cannot be loaded.
        StoreError: The session could not be committed.
    """
    setup.turn_setup()
    setup.system_text(date=services.today())
    services.models.engine(setup.model, token=token)
    return services.sessions.create_session(setup)


def play_turn(
    services: Services,
    session_id: str,
    setup: Setup,
    user_text: str,
    *,
    is_cancelled: Callable[[], bool],
    token: Secret | None = None,
) -> Iterator[Event | MessageKept]:
    """One turn of a session: the user's text, and all that answers it.

    Nothing is written where the setup cannot be used. Behind each event that ends a message stands
    a `MessageKept`, so that whoever stops listening loses nothing that was told.

    Args:
        services: The edges.
        session_id: The session to go on with.
        setup: What to play it with; kept as the session's own.
        user_text: What the user says.
        is_cancelled: True once a person has stopped the turn.
        token: A visitor's own, for a hosted model; see `workbench.desk.ports.Models`.

    Raises:
        BadInput: The contract, the tools or the tool choice cannot be used.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: A message could not be committed.
    """
    engine = services.models.engine(setup.model, token=token)
    system_text = setup.system_text(date=services.today(), are_tools_apart=engine.capabilities.writes_tools)
    turn_setup = setup.turn_setup(answer_schema=find_schema(system_text).schema)
    system = Message(role=Role.SYSTEM, text=system_text)
    services.sessions.save_setup(session_id, setup)
    kept = _with_system(services, session_id, system)
    if kept[-1].message.role is Role.USER:
        # Nothing answered it, for the engine failed: what is said now takes its place, on a branch beside it.
        kept = kept[:-1]
    keep = _Keeper(services=services, session_id=session_id, parent_id=kept[-1].id)
    user = Message(role=Role.USER, text=user_text)
    conversation = Conversation(messages=(*(one.message for one in kept), user))
    turn = Turn(
        setup=turn_setup,
        engine=engine,
        toolbox=services.catalog.toolbox(),
        clock=services.calendar,
        is_cancelled=is_cancelled,
    )
    yield keep.message(NewMessage(message=user, origin=Origin.PERSON))
    for event in play(turn, conversation):
        yield event
        if isinstance(event, CompletionEnded):
            new = NewMessage(message=event.message, origin=Origin.MODEL, generation=event.generation)
            yield keep.message(new)
        elif isinstance(event, ToolFinished):
            yield keep.message(_tool_message(event))


@dataclass(slots=True, kw_only=True)
class _Keeper:
    """Appends to one session, each message under the one before."""

    services: Services
    session_id: str
    parent_id: str

    def message(self, new: NewMessage) -> MessageKept:
        kept = self.services.sessions.append(self.session_id, new, parent_id=self.parent_id)
        self.parent_id = kept.id
        return MessageKept(kept=kept)


def _with_system(services: Services, session_id: str, system: Message) -> Sequence[KeptMessage]:
    """The open path, under a root that says `system`.

    Where the system text was edited, the path is written anew under the new root: a branch. The old
    one stays as it was, for its completions were made with the old text.
    """
    path = services.sessions.path(session_id)
    if path and path[0].message == system:
        return path
    root = NewMessage(message=system, origin=Origin.PERSON)
    return services.sessions.append_all(session_id, (root, *map(_copy_of, path[1:])), parent_id=None)


def _copy_of(kept: KeptMessage) -> NewMessage:
    return NewMessage(
        message=kept.message, origin=kept.origin, generation=kept.generation, tool_run=kept.tool_run
    )


def _tool_message(event: ToolFinished) -> NewMessage:
    run = KeptToolRun(
        call_index=event.index,
        is_error=event.run.result.is_error,
        milliseconds=event.run.milliseconds,
        rule=event.run.rule,
    )
    return NewMessage(message=event.message, origin=Origin.MOCK, tool_run=run)
