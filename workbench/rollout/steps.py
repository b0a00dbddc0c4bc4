"""Step mode: the rollout pauses at each call until a person decides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from json import dumps, loads
from typing import Final, Protocol

from workbench.chat.message import ToolCall, ToolResult
from workbench.rollout.ports import Toolbox, ToolRun

EDITED: Final = "arguments edited by hand"
"""Recorded with what answered if a person changed the arguments."""
BY_HAND: Final = "written by hand"
"""Recorded instead of a mock rule if a person wrote the result."""


class StepKind(StrEnum):
    """What a person can do with a call."""

    USE = "use"
    """Let the toolbox run the call."""
    EDIT = "edit"
    """Let the toolbox run the call with the written arguments."""
    WRITE = "write"
    FAIL = "fail"
    """Let the call fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A person's decision about one call."""

    kind: StepKind = StepKind.USE
    text: str = ""
    """The arguments as JSON, the result or the error message. Empty if the toolbox runs the call as it is."""


class Stepper(Protocol):
    """Someone who decides about calls while the rollout waits."""

    def step(self, call: ToolCall) -> Step:
        """Wait for the decision about a call and return it."""
        ...


class ApprovingToolbox:
    """A toolbox that asks about each call before it runs, one after the other.

    Args:
        inner: Runs the calls that are let through.
        stepper: Decides about each call.
    """

    def __init__(self, inner: Toolbox, stepper: Stepper) -> None:
        self._inner = inner
        self._stepper = stepper

    def run(self, call: ToolCall) -> ToolRun:
        """Return the result of a call, from the toolbox or from the person."""
        step = self._stepper.step(call)
        if step.kind is StepKind.USE:
            return self._inner.run(call)
        if step.kind is StepKind.EDIT:
            run = self._inner.run(replace(call, arguments=loads(step.text), arguments_text=None))
            return replace(run, rule=" · ".join(filter(None, (run.rule, EDITED))))
        is_error = step.kind is StepKind.FAIL
        text = (
            dumps({"error": step.text or "the tool failed"}, ensure_ascii=False)
            if is_error
            else _json(step.text)
        )
        return ToolRun(result=ToolResult(text=text, is_error=is_error), milliseconds=0.0, rule=BY_HAND)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Return the results in order. No call runs before the person has decided about it."""
        return map(self.run, calls)


def _json(text: str) -> str:
    """Return `text` unchanged if it is JSON, otherwise as a JSON string."""
    try:
        loads(text)
    except (ValueError, RecursionError):
        return dumps(text, ensure_ascii=False)
    return text
