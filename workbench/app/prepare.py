"""Set up a turn: the only place where settings, conversation, tools and engine become a rollout."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.app.loop_tools import DELEGATE, TODO, Delegate, LoopToolbox, Memory, SessionSearch, Todo
from workbench.app.queued_engine import QueueClient, QueuedEngine
from workbench.app.services import Services
from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.hermes.json_mode import find_schema
from workbench.hermes.written_out import read_message
from workbench.records.run_config import RunConfig
from workbench.records.sessions import with_ephemeral
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import Event
from workbench.rollout.loop import Turn, run_calls, run_rollout
from workbench.rollout.ports import Approver, Engine, ToolRun
from workbench.rollout.steps import ApprovingToolbox, Stepper
from workbench.settings import Secret
from workbench.toolbox.entry import NO_STAGING, Staging, ToolTask


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """Who takes part in a turn in addition to the model."""

    is_cancelled: Callable[[], bool]
    """Returns True once a person has stopped the turn."""
    token: Secret | None = None
    """A visitor's own token for a hosted model."""
    approver: Approver | None = None
    """Asked before a risky call. None refuses risky calls."""
    stepper: Stepper | None = None
    """Decides about each call before it runs. None runs all calls."""
    runs_calls: bool = True
    """False ends the turn at the first completion that calls a tool."""
    staging: Staging = NO_STAGING
    """Where the tools differ from their catalog files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """A turn that is ready to run."""

    turn: Turn
    """Engine, tools and limits."""
    conversation: Conversation
    """What the model sees, the ephemeral system text included."""
    client: QueueClient
    """The turn's place in the model's queue."""

    def events(self) -> Iterator[Event]:
        """Run the calls of a last message that has any, then let the model answer."""
        conversation = self.conversation
        last = conversation.messages[-1]
        if last.role is Role.ASSISTANT and not self.turn.prefix:
            calls = read_message(last, tools=self.turn.setup.tools).calls
            for finished in run_calls(self.turn, calls, conversation):
                conversation = conversation.plus(finished.message)
                yield finished
        yield from run_rollout(self.turn, conversation)


def system_message(services: Services, setup: RunConfig, engine: QueuedEngine) -> Message:
    """The system message of a conversation that starts today, without the ephemeral text.

    Raises:
        BadInput: The contract or the tools cannot be used.
    """
    are_apart = engine.capabilities.writes_tools
    text = setup.system_text(date=services.today(), are_tools_apart=are_apart)
    return Message(role=Role.SYSTEM, text=text)


def prepare_turn(
    services: Services,
    session_id: str,
    setup: RunConfig,
    context: TurnContext,
    engine: QueuedEngine,
    messages: Sequence[Message],
    *,
    prefix: str = "",
) -> PreparedTurn:
    """Set up a turn. Play, regenerate, continue, compare, suites and the API all come through here.

    Args:
        session_id: The session that the turn belongs to.
        messages: The conversation as it is stored, the system message first.
        prefix: How the answer must begin.

    Raises:
        BadInput: The tools or the tool choice cannot be used.
    """
    system = messages[0]
    seen = replace(system, text=with_ephemeral(system.text, setup.ephemeral))
    conversation = Conversation(messages=(seen, *messages[1:]))
    task = ToolTask(
        session_id=session_id,
        approver=context.approver,
        seed=setup.sampling.seed,
        staging=context.staging,
    )
    toolbox = _toolbox(services, task, setup, conversation, engine, context.is_cancelled)
    turn = Turn(
        setup=setup.turn_setup(answer_schema=find_schema(seen.text).schema),
        engine=engine,
        toolbox=ApprovingToolbox(toolbox, context.stepper) if context.stepper else toolbox,
        clock=services.calendar,
        is_cancelled=context.is_cancelled,
        runs_calls=context.runs_calls,
        prefix=prefix,
    )
    return PreparedTurn(turn=turn, conversation=conversation, client=engine.client)


class NoToolbox:
    """A toolbox for turns whose calls the client runs. See `workbench.rollout.ports.Toolbox`."""

    def run(self, call: ToolCall) -> ToolRun:
        """Return an error."""
        return ToolRun(
            result=ToolResult(text='{"error": "The client runs this call"}', is_error=True), milliseconds=0
        )

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Return an error for each call."""
        return map(self.run, calls)


def prepare_completion(
    services: Services, setup: TurnSetup, engine: Engine, is_cancelled: Callable[[], bool]
) -> Turn:
    """Set up a turn of one completion. Its calls are run by the client that requested it.

    Args:
        setup: The client's tools and sampling settings.
        engine: The engine, which waits in the model's queue.
    """
    return Turn(
        setup=setup,
        engine=engine,
        toolbox=NoToolbox(),
        clock=services.calendar,
        is_cancelled=is_cancelled,
        runs_calls=False,
    )


def _toolbox(
    services: Services,
    task: ToolTask,
    setup: RunConfig,
    conversation: Conversation,
    engine: QueuedEngine,
    is_cancelled: Callable[[], bool],
) -> LoopToolbox:
    """The catalog's tools, and those that the loop answers itself."""
    own = {
        TODO: Todo(conversation.messages),
        "memory": Memory(services.memories, services.owner),
        "session_search": SessionSearch(services.search, task.session_id),
    }
    catalog = services.tools.toolbox(task)
    nested = Delegate(
        setup=setup,
        date=services.today(),
        engine=engine,
        toolbox=LoopToolbox(catalog, own),
        clock=services.calendar,
        is_cancelled=is_cancelled,
    )
    return LoopToolbox(catalog, {**own, DELEGATE: nested})
