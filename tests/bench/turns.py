"""Turns as the page runs them, and how many of their prompt tokens were evaluated."""

from dataclasses import dataclass, field

from workbench.app.services import Services
from workbench.app.turn_request import Execution, TurnRequest
from workbench.app.turns import start_turn
from workbench.records.run_config import RunConfig
from workbench.rollout.events import CompletionEnded
from workbench.rollout.ports import Engine


def play_turn(
    services: Services, session_id: str, setup: RunConfig, text: str, *, execution: Execution = Execution.AUTO
) -> list[CompletionEnded]:
    """Run one turn in its own thread, stored as the page stores it. Return its completions."""
    turn_request = TurnRequest(setup=setup, session_id=session_id, text=text, execution=execution)
    turn = start_turn(services, turn_request)
    return [event for event in turn.events() if isinstance(event, CompletionEnded)]


@dataclass(slots=True)
class Reuse:
    """Evaluated prompt tokens, compared with those that are new, from the second completion of a session on."""

    engine: Engine
    evaluated: int = 0
    new: int = 0
    _known: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, session_id: str, ended: CompletionEnded) -> None:
        """Count a completion."""
        made, before = ended.generation, self._known.get(session_id, "")
        self._known[session_id] = made.prompt_text + ended.message.text
        if before:
            assert made.prompt_text.startswith(before)
            self.evaluated += made.timing.evaluated_tokens or 0
            self.new += self.engine.count_tokens(made.prompt_text.removeprefix(before) + made.prefill)

    @property
    def ratio(self) -> float:
        return self.evaluated / self.new
