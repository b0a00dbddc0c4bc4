"""A session played on from a message as it stands, without anything new being said: a branch beside what is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.app.keeper import Keeper
from workbench.app.prepare import PreparedTurn, TurnContext, prepare_turn, system_message
from workbench.app.services import Services
from workbench.app.turns import MessageKept, copy_of, keep_all
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.hermes.written_out import read_message, written_out
from workbench.records.sessions import KeptMessage, NewMessage, Origin
from workbench.records.setup import Setup
from workbench.rollout.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Onward:
    """From where a session is played on."""

    message_id: str
    """The last message of the path: of a user or a tool, it is answered; of a model, its calls are run first."""
    prefix: str = ""
    """What the answer begins with; empty leaves the model free."""
    is_answer: bool = False
    """True where a message is answered anew: several samples of that can be asked for."""


def play_on(
    services: Services, session_id: str, setup: Setup, onward: Onward, context: TurnContext
) -> Iterator[Event | MessageKept]:
    """All that answers a path; see `workbench.app.turns.play_turn` for what is told and kept.

    Where the setup's system text is not the path's, the path is copied under the new one.

    Raises:
        BadInput: The setup cannot be used, or a beginning is wanted of a model that takes none.
        EngineError: The model is missing, or the prompt does not fit.
        StoreError: There is no such message, or one could not be committed.
    """
    services.limits.check_turn(setup, onward.prefix)
    with services.at_work() as at_work:
        yield from _played_on(at_work, session_id, setup, onward, context)


def _played_on(
    services: Services, session_id: str, setup: Setup, onward: Onward, context: TurnContext
) -> Iterator[Event | MessageKept]:
    engine = services.engine(setup.model, token=context.token)
    if onward.prefix and engine.capabilities.is_chat_only:
        remedy = "choose one that takes raw text, such as a local GGUF model"
        raise BadInput(f"model {setup.model!r}", "its server takes no beginning of an answer", remedy)
    system = system_message(services, setup, engine)
    path = services.sessions.path(session_id, leaf_id=onward.message_id)
    said = [kept.message for kept in path if kept.message.role is not Role.SYSTEM]
    prepared = prepare_turn(
        services, session_id, setup, context, engine, (system, *said), prefix=onward.prefix
    )
    services.sessions.save_setup(session_id, setup)
    parent_id = _rooted(services, session_id, path, system)
    if _is_answered(prepared):
        return
    keeper = Keeper(services=services, session_id=session_id, parent_id=parent_id)
    yield from keep_all(prepared, keeper, setup.ephemeral)


def beginning_of(kept: KeptMessage) -> Onward:
    """How a model's message is gone on with where it stopped: its text is the beginning of another one.

    Raises:
        BadInput: No model said it.
    """
    if kept.message.role is not Role.ASSISTANT or kept.parent_id is None:
        raise BadInput("continue", "no model said this message", "choose an answer or a call")
    return Onward(message_id=kept.parent_id, prefix=written_out(kept.message))


def _rooted(services: Services, session_id: str, path: Sequence[KeptMessage], system: Message) -> str:
    """The last message of the path, under a root that says `system`."""
    if path[0].message == system:
        return path[-1].id
    root = NewMessage(message=system, origin=Origin.PERSON)
    copies = (copy_of(kept) for kept in path if kept.message.role is not Role.SYSTEM)
    return services.sessions.append_all(session_id, (root, *copies), parent_id=None)[-1].id


def _is_answered(prepared: PreparedTurn) -> bool:
    """Whether the last message is an answer, which nothing follows."""
    last = prepared.conversation.messages[-1]
    if last.role is not Role.ASSISTANT or prepared.turn.prefix:
        return False
    return not read_message(last, tools=prepared.turn.setup.tools).calls
