"""A session played on from a message as it stands, without anything new being said: a branch beside what is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.app.keeper import Keeper
from workbench.app.loop_tools.turn import turn_toolbox
from workbench.app.queued import QueuedEngine
from workbench.app.services import Services
from workbench.app.turns import Company, MessageKept, copy_of, keep_all
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput
from workbench.hermes.json_mode import find_schema
from workbench.hermes.written_out import read_message, written_out
from workbench.records.sessions import KeptMessage, NewMessage, Origin, with_ephemeral
from workbench.records.setup import Setup
from workbench.rollout.events import Event
from workbench.rollout.loop import Turn, play, run_calls
from workbench.rollout.steps import SteppedToolbox
from workbench.toolbox.task import ToolTask


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
    services: Services, session_id: str, setup: Setup, onward: Onward, company: Company
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
        yield from _played_on(at_work, session_id, setup, onward, company)


def _played_on(
    services: Services, session_id: str, setup: Setup, onward: Onward, company: Company
) -> Iterator[Event | MessageKept]:
    engine = services.engine(setup.model, token=company.token)
    if onward.prefix and engine.capabilities.is_chat_only:
        remedy = "choose one that takes raw text, such as a local GGUF model"
        raise BadInput(f"model {setup.model!r}", "its server takes no beginning of an answer", remedy)
    are_apart = engine.capabilities.writes_tools
    system = Message(
        role=Role.SYSTEM, text=setup.system_text(date=services.today(), are_tools_apart=are_apart)
    )
    path = services.sessions.path(session_id, leaf_id=onward.message_id)
    said = [kept.message for kept in path if kept.message.role is not Role.SYSTEM]
    seen = replace(system, text=with_ephemeral(system.text, setup.ephemeral))
    conversation = Conversation(messages=(seen, *said))
    turn = _turn(services, session_id, setup, engine, conversation, company)
    turn = replace(turn, prefix=onward.prefix)
    services.sessions.save_setup(session_id, setup)
    parent_id = _rooted(services, session_id, path, system)
    keeper = Keeper(services=services, session_id=session_id, parent_id=parent_id)
    yield from keep_all(_events(turn, conversation), keeper, setup.ephemeral, engine.asker)


def beginning_of(kept: KeptMessage) -> Onward:
    """How a model's message is gone on with where it stopped: its text is the beginning of another one.

    Raises:
        BadInput: No model said it.
    """
    if kept.message.role is not Role.ASSISTANT or kept.parent_id is None:
        raise BadInput("continue", "no model said this message", "choose an answer or a call")
    return Onward(message_id=kept.parent_id, prefix=written_out(kept.message))


def _turn(
    services: Services,
    session_id: str,
    setup: Setup,
    engine: QueuedEngine,
    conversation: Conversation,
    company: Company,
) -> Turn:
    task = ToolTask(session_id=session_id, approver=company.approver, seed=setup.sampling.seed)
    stop = company.is_cancelled
    toolbox = turn_toolbox(services, task, setup, conversation, engine=engine, is_cancelled=stop)
    return Turn(
        setup=setup.turn_setup(answer_schema=find_schema(conversation.messages[0].text).schema),
        engine=engine,
        toolbox=SteppedToolbox(toolbox, company.stepper) if company.stepper else toolbox,
        clock=services.calendar,
        is_cancelled=stop,
        runs_calls=company.runs_calls,
    )


def _rooted(services: Services, session_id: str, path: Sequence[KeptMessage], system: Message) -> str:
    """The last message of the path, under a root that says `system`."""
    if path[0].message == system:
        return path[-1].id
    root = NewMessage(message=system, origin=Origin.PERSON)
    copies = (copy_of(kept) for kept in path if kept.message.role is not Role.SYSTEM)
    return services.sessions.append_all(session_id, (root, *copies), parent_id=None)[-1].id


def _events(turn: Turn, conversation: Conversation) -> Iterator[Event]:
    """The results of the calls that the last message makes, and all that follows; nothing behind an answer."""
    last = conversation.messages[-1]
    if last.role is Role.ASSISTANT and not turn.prefix:
        calls = read_message(last, tools=turn.setup.tools).calls
        if not calls:
            return
        for finished in run_calls(turn, calls):
            conversation = conversation.plus(finished.message)
            yield finished
    yield from play(turn, conversation)
