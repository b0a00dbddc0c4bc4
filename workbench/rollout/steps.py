"""Step mode: the rollout pauses at each call until a person decides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from json import dumps, loads
from typing import Final, Protocol

from workbench.chat.message import ToolCall, ToolResult
from workbench.rollout.ports import Toolbox, ToolRun

BY_HAND: Final = "written by hand"
"""Said instead of a mock rule where a person gave the result."""


class StepKind(StrEnum):
    """What a person may do with a call."""

    USE = "use"
    """Let the toolbox run it."""
    WRITE = "write"
    """Give the result."""
    FAIL = "fail"
    """Let it fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a person said of one call."""

    kind: StepKind = StepKind.USE
    text: str = ""
    """The result as written, or the words of the failure; empty where the toolbox runs the call."""


class Stepper(Protocol):
    """Someone whom the rollout waits for."""

    def step(self, call: ToolCall) -> Step:
        """What is to come of the call; waits for it."""
        ...


class ApprovingToolbox:
    """Asks about each call before it runs, one after the other; see `workbench.rollout.ports.Toolbox`.

    Args:
        inner: Runs the calls that are let through.
        stepper: Who is asked.
    """

    def __init__(self, inner: Toolbox, stepper: Stepper) -> None:
        self._inner = inner
        self._stepper = stepper

    def run(self, call: ToolCall) -> ToolRun:
        """The call's result, from the toolbox or from the person."""
        step = self._stepper.step(call)
        if step.kind is StepKind.USE:
            return self._inner.run(call)
        is_error = step.kind is StepKind.FAIL
        text = (
            dumps({"error": step.text or "the tool failed"}, ensure_ascii=False)
            if is_error
            else _json(step.text)
        )
        return ToolRun(result=ToolResult(text=text, is_error=is_error), milliseconds=0.0, rule=BY_HAND)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """The results in order; nothing runs ahead of the person."""
        return map(self.run, calls)


def _json(text: str) -> str:
    """`text` byte for byte where it is JSON, else as a JSON string."""
    try:
        loads(text)
    except (ValueError, RecursionError):
        return dumps(text, ensure_ascii=False)
    return text
