"""Plant faults in the answers of tools, to see whether a model recovers from them.

Which calls are disturbed depends only on the seed, the conversation and the number of the call, so a run can be
repeated. The same call is never disturbed twice in a conversation: a model that tries again gets the right answer.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from workbench.chat.message import ToolCall, ToolResult
from workbench.errors import BadInput
from workbench.rollout.ports import Toolbox, ToolRun
from workbench.toolspec.spec import canonical_json


class ToolFault(StrEnum):
    """How the answer of a tool is disturbed."""

    ERROR = "error"
    """The tool fails and does nothing."""
    TIMEOUT = "timeout"
    """The tool does not answer and does nothing."""
    LATE = "late"
    """The tool says that its answer is not ready, and does nothing yet."""
    NOISE = "noise"
    """The second half of the result is unreadable."""
    CONTRADICTION = "contradiction"
    """The result has another number than the next time it is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """Which share of the calls is disturbed, and how."""

    rate: float
    """From 0 to 1."""
    seed: int = 0
    kinds: tuple[ToolFault, ...] = tuple(ToolFault)

    def __str__(self) -> str:
        kinds = "" if self.kinds == tuple(ToolFault) else f" ({', '.join(self.kinds)})"
        return f"tool faults {self.rate:.0%}{kinds}"


def parse_faults(text: str) -> FaultPlan:
    """Parse `RATE[:SEED[:KIND,KIND…]]`.

    >>> parse_faults("0.2:7:late,error")
    FaultPlan(rate=0.2, seed=7, kinds=(<ToolFault.LATE: 'late'>, <ToolFault.ERROR: 'error'>))

    Raises:
        BadInput: The text is something else.
    """
    rate, _, rest = text.partition(":")
    seed, _, kinds = rest.partition(":")
    try:
        plan = FaultPlan(
            rate=float(rate),
            seed=int(seed or 0),
            kinds=tuple(ToolFault(kind.strip()) for kind in kinds.split(",")) if kinds else tuple(ToolFault),
        )
    except ValueError:
        plan = FaultPlan(rate=-1)
    if not 0 < plan.rate <= 1:
        remedy = f"write RATE, RATE:SEED or RATE:SEED:KINDS, with kinds from {', '.join(ToolFault)}"
        raise BadInput(f"--faults {text!r}", "it is not a rate from 0 to 1", remedy)
    return plan


class PlantedFaults:
    """The faults of one conversation.

    Args:
        conversation: Identifies the conversation, so that each has other faults.
    """

    def __init__(self, plan: FaultPlan, conversation: str) -> None:
        self._plan = plan
        self._conversation = conversation
        self._calls = 0
        self._disturbed: set[str] = set()

    def around(self, toolbox: Toolbox) -> "FaultyToolbox":
        """Return a toolbox with these faults."""
        return FaultyToolbox(toolbox, self)

    def next(self, call: ToolCall) -> ToolFault | None:
        """Return how the next call is disturbed, or None if it is not."""
        self._calls += 1
        key = canonical_json([call.name, dict(call.arguments)])
        parts = [self._plan.seed, self._conversation, self._calls]
        number = int.from_bytes(sha256(canonical_json(parts).encode()).digest()[:8], "big")
        if key in self._disturbed or number / 2**64 >= self._plan.rate:
            return None
        self._disturbed.add(key)
        return self._plan.kinds[number % len(self._plan.kinds)]


class FaultyToolbox:
    """A toolbox with planted faults. See `workbench.rollout.ports.Toolbox`."""

    def __init__(self, toolbox: Toolbox, faults: PlantedFaults) -> None:
        self._toolbox = toolbox
        self._faults = faults

    def run(self, call: ToolCall) -> ToolRun:
        """Run one call, or let it fail."""
        return next(self.run_round([call]))

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Run the calls that do not fail, and yield all results in order."""
        faults = [self._faults.next(call) for call in calls]
        runs = self._toolbox.run_round(
            [call for call, fault in zip(calls, faults, strict=True) if fault not in _INSTEAD]
        )
        for fault in faults:
            if fault is None:
                yield next(runs)
                continue
            if fault in _INSTEAD:
                result = ToolResult(text=json.dumps(_INSTEAD[fault]), is_error=fault is not ToolFault.LATE)
                run = ToolRun(result=result, milliseconds=0.0)
            else:
                run = next(runs)
                run = replace(run, result=replace(run.result, text=_disturbed(run.result.text, fault)))
            yield replace(run, rule=f"planted fault: {fault}", is_world_fault=True)


_INSTEAD = {
    ToolFault.ERROR: {"error": "Internal error, please try again"},
    ToolFault.TIMEOUT: {"error": "The tool did not answer within 30 seconds"},
    ToolFault.LATE: {"status": "pending", "message": "The answer is not ready yet. Call again in a moment."},
}
"""What the model gets instead of a result. The tool is not run."""


def _disturbed(text: str, fault: ToolFault) -> str:
    if fault is ToolFault.NOISE:
        half = len(text) // 2
        return text[:half] + "\ufffd#%\ufffd~" * (1 + half // 10)
    number = re.search(r"\d+", text)
    if number is None:
        return json.dumps({"result": text, "warning": "Another server reports the opposite"})
    return f"{text[: number.start()]}{int(number[0][:9]) + 7}{text[number.end() :]}"
