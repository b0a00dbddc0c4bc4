"""`delegate_task`: a fresh rollout with the same model and tools, and a limit of its own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import EngineError
from workbench.hermes.reading import Reading
from workbench.records.run_config import RunConfig
from workbench.rollout.events import CompletionEnded, ToolFinished, TurnEnded
from workbench.rollout.loop import Turn, play
from workbench.rollout.ports import Clock, Engine, Toolbox

NAME: Final = "delegate_task"
MAX_ROUNDS: Final = 4
"""Completions that a delegated task may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegate:
    """Answers `delegate_task`; the nested assistant cannot delegate again."""

    setup: RunConfig
    """The parent's."""
    date: str
    """Today, as the contract shows it."""
    engine: Engine
    """Who writes."""
    toolbox: Toolbox
    """Who runs its calls."""
    clock: Clock
    """Who tells how long it took."""
    is_cancelled: Callable[[], bool]
    """True once a person has stopped the parent's turn."""

    def __call__(self, arguments: JsonObject) -> JsonValue:
        """The nested rollout's answer."""
        setup = replace(
            self.setup,
            disabled_tools=self.setup.disabled_tools | {NAME},
            tool_choice="auto",
            max_rounds=min(MAX_ROUNDS, self.setup.max_rounds),
        )
        said = "\n\n".join(str(arguments[key]) for key in ("goal", "context") if arguments.get(key))
        conversation = Conversation(
            messages=(
                Message(role=Role.SYSTEM, text=setup.system_text(date=self.date)),
                Message(role=Role.USER, text=said),
            )
        )
        turn = Turn(
            setup=setup.turn_setup(),
            engine=self.engine,
            toolbox=self.toolbox,
            clock=self.clock,
            is_cancelled=self.is_cancelled,
        )
        return _outcome(turn, conversation)


def _outcome(turn: Turn, conversation: Conversation) -> JsonValue:
    reading: Reading | None = None
    called: list[str] = []
    ended = ""
    try:
        for event in play(turn, conversation):
            if isinstance(event, CompletionEnded):
                reading = event.reading
            elif isinstance(event, ToolFinished):
                called.append(event.call.name)
            elif isinstance(event, TurnEnded):
                ended = event.reason
    except EngineError as error:
        return {"error": f"the delegated task failed: {error}", "calls": called}
    answer = "".join(reading.prose).strip() if reading else ""
    result: dict[str, JsonValue] = {"answer": answer, "calls": called}
    return result if ended == "answered" else {**result, "error": f"it ended without an answer: {ended}"}
