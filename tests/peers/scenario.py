"""One row of the table of scenarios: what a server answers, and what has to come of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.engines.remote.scripted_server import Answer
from tests.peers.wire import Wire
from workbench.engines.remote.server import Mode
from workbench.rollout.ports import ChoiceKind, ToolChoice

REQUIRED = ToolChoice(kind=ChoiceKind.REQUIRED)
NAMED = ToolChoice(kind=ChoiceKind.NAMED, tool="weather")
TIMEOUT_S = 30.0
"""How long the engine waits for data, unless the scenario is about that."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What happens in a turn with a server."""

    name: str
    answer: Callable[[Wire], Answer | Sequence[Answer]]
    """The answers of the server, in the order of the requests. The last one is repeated."""
    outcome: str | Mapping[str, str]
    """See `tests.peers.outcome.run_scenario`. By name of the wire if it differs; the key "" is for the others."""
    requests: int | None = None
    """How many requests the first completion needs. None does not check it."""
    choice: ToolChoice = ToolChoice()
    timeout_s: float = TIMEOUT_S
    has_key: bool = True
    mode: Mode = Mode.CHAT

    def outcome_for(self, wire: Wire) -> str:
        if isinstance(self.outcome, str):
            return self.outcome
        return self.outcome.get(wire.name, self.outcome.get("", ""))


def row(
    name: str,
    answer: Callable[[Wire], Answer | Sequence[Answer]],
    outcome: str | Mapping[str, str],
    **options: object,
) -> Scenario:
    return Scenario(name=name, answer=answer, outcome=outcome, **options)
