"""What a turn may cost, and what it depends on."""

from dataclasses import dataclass, field

from workbench.chat.json_value import JsonObject
from workbench.rollout.choice import ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSetup:
    """Everything that a turn depends on, beside the conversation."""

    tools: OfferedTools
    """The specs that the model was told of; calls are checked against them."""
    family: str
    """Name of the render family, such as `hermes-lines`."""
    sampling: Sampling = Sampling()
    """How tokens are chosen."""
    tool_choice: ToolChoice = ToolChoice()
    """When a call is asked for."""
    max_rounds: int = 8
    """Completions a turn may take."""
    answer_schema: JsonObject | None = field(default=None, hash=False)
    """JSON Schema that an answer is held to (Hermes' JSON mode); None leaves answers free."""
    wants_logprobs: bool = False
    """True: each completion's tokens are kept with their log-probabilities, where the engine can tell them."""
    is_constrained: bool = True
    """False: no grammar holds a completion; what is forced is begun for the model and no more."""
    contract_fingerprint: str | None = None
    """Tells the contract that the system text was composed from; None where there is none."""
