"""Set up a turn: the only place where settings, conversation, tools and engine become a rollout."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.app.loop_tools import DELEGATE, TODO, Delegate, LoopToolbox, Memory, SessionSearch, Todo
from workbench.app.queued_engine import QueueClient, QueuedEngine
from workbench.app.services import Services
from workbench.app.turn_request import TurnContext
from workbench.chat.json_value import JsonObject
from workbench.chat.message import Conversation, Message, Role, ToolCall, ToolResult
from workbench.hermes.json_mode import find_schema
from workbench.hermes.written_out import read_message
from workbench.records.run_config import ParsedSetup, RunConfig
from workbench.records.session_world import NO_WORLD
from workbench.records.sessions import with_ephemeral
from workbench.rollout.constraint import TurnSetup
from workbench.rollout.events import Event
from workbench.rollout.loop import Turn, run_calls, run_rollout
from workbench.rollout.ports import Engine, Toolbox, ToolRun
from workbench.rollout.steps import ApprovingToolbox
from workbench.settings import Secret
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.entry import ToolTask


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyTurn:
    """A setup that was parsed and checked once, with the engine and the tools that it names."""

    parsed: ParsedSetup
    setup: TurnSetup
    """The settings of the turn. Only the conversation can add to them, with a schema of its answers."""
    engine: QueuedEngine
    catalog: Catalog
    date: str
    """Today's date, for the contract's `{{ date }}`."""

    @property
    def config(self) -> RunConfig:
        """The setup that was parsed."""
        return self.parsed.config

    def system_message(self) -> Message:
        """Return the system message of a conversation that starts today, without the ephemeral text.

        Raises:
            BadInput: The contract uses a variable that has no value.
        """
        are_apart = self.engine.capabilities.writes_tools
        text = self.parsed.system_text(date=self.date, are_tools_apart=are_apart)
        return Message(role=Role.SYSTEM, text=text)


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


def ready_turn(
    services: Services, config: RunConfig, *, text: str = "", token: Secret | None = None
) -> ReadyTurn:
    """Parse and check a setup, and open its engine. Nothing is stored.

    Args:
        text: The text that a person sends, which is checked too.
        token: A visitor's own access token for a hosted model. See `workbench.rollout.models.Models`.

    Raises:
        BadInput: The contract, the tools, the tool choice or the text cannot be used.
        EngineError: The model is missing or cannot be loaded.
        StoreError: The saved toolsets cannot be read.
    """
    services.limits.check_turn(config, text)
    parsed = config.parsed()
    setup = parsed.turn_setup()
    engine = services.engine(config.model, token=token)
    return ReadyTurn(parsed=parsed, setup=setup, engine=engine, catalog=services.tools, date=services.today())


def prepare_turn(
    services: Services,
    session_id: str,
    ready: ReadyTurn,
    context: TurnContext,
    messages: Sequence[Message],
    *,
    world: JsonObject = NO_WORLD,
    prefix: str = "",
) -> PreparedTurn:
    """Set up a turn. Play, regenerate, continue, compare, suites and the API all come through here.

    Args:
        session_id: The session that the turn belongs to.
        messages: The conversation as it is stored, the system message first.
        world: The world of the session after the last message, by toolset.
        prefix: How the answer must begin.
    """
    config, system = ready.config, messages[0]
    seen = replace(system, text=with_ephemeral(system.text, config.ephemeral))
    conversation = Conversation(messages=(seen, *messages[1:]))
    task = ToolTask(
        session_id=session_id,
        approver=context.approver,
        seed=config.sampling.seed,
        staging=context.staging,
        world=world,
    )
    setup = replace(ready.setup, answer_schema=find_schema(seen.text).schema)
    toolbox = context.toolbox or _toolbox(services, task, ready, conversation, context)
    turn = assemble_turn(services, setup, ready.engine, context, toolbox)
    return PreparedTurn(
        turn=replace(turn, prefix=prefix), conversation=conversation, client=ready.engine.client
    )


def assemble_turn(
    services: Services,
    setup: TurnSetup,
    engine: Engine,
    context: TurnContext,
    toolbox: Toolbox | None = None,
) -> Turn:
    """Put a turn together, for a session or for a request to the gateway.

    Args:
        toolbox: None if the client that sent the request runs the calls.
    """
    own = toolbox or NoToolbox()
    own = context.faults.around(own) if context.faults else own
    return Turn(
        setup=setup,
        engine=engine,
        toolbox=ApprovingToolbox(own, context.stepper) if context.stepper else own,
        clock=services.calendar,
        is_cancelled=context.is_cancelled,
        runs_calls=context.runs_calls and toolbox is not None,
    )


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


def _toolbox(
    services: Services,
    task: ToolTask,
    ready: ReadyTurn,
    conversation: Conversation,
    context: TurnContext,
) -> LoopToolbox:
    """The catalog's tools, and those that the loop answers itself."""
    own = {
        TODO: Todo(conversation.messages),
        "memory": Memory(services.memories, services.owner),
        "session_search": SessionSearch(services.search, task.session_id),
    }
    catalog = ready.catalog.toolbox(task)
    nested = Delegate(
        setup=ready.config,
        date=ready.date,
        engine=ready.engine,
        toolbox=LoopToolbox(catalog, own),
        clock=services.calendar,
        is_cancelled=context.is_cancelled,
    )
    return LoopToolbox(catalog, {**own, DELEGATE: nested})
