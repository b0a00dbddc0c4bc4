"""Hooks that see a call before it runs, and its result afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import ToolCall, ToolResult
from workbench.chat.short_text import shortened
from workbench.toolbox.entry import CallContext


class CallGate(Protocol):
    """Decides whether a call may run."""

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        """Return the reason, for the model, why the call may not run. Return an empty text if it may.

        Args:
            call: A call whose arguments match the schema.
            questions: Reasons why hooks require approval.
        """
        ...


class OpenGate:
    """Allows all calls, except those for which a hook requires approval, because there is nobody to ask."""

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        return f"Needs approval and nobody can be asked: {questions[0]}" if questions else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Veto:
    """Returned by a pre-hook to stop a call."""

    reason: str
    """Shown to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequired:
    """Returned by a pre-hook to let a person decide."""

    reason: str
    """Shown to the person. "Allow for this session" and "Always allow" apply to all calls with the same reason."""


PreHook = Callable[[ToolCall, CallContext], Veto | ApprovalRequired | None]
"""Sees a call whose arguments match the schema; None allows it. An exception counts as a veto."""
PostHook = Callable[[ToolCall, ToolResult, float], None]
"""Sees a call, its result and the milliseconds that it took. An exception becomes a warning."""
ResultTransform = Callable[[ToolCall, ToolResult], ToolResult]
"""Changes a result before the model sees it. An exception leaves the result as it was and becomes a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """The hooks of a toolbox. The hooks of each kind run one after the other."""

    before: tuple[PreHook, ...] = ()
    """The first veto stops the call."""
    after: tuple[PostHook, ...] = ()
    transforms: tuple[ResultTransform, ...] = ()
    """Each transform gets the result of the one before it."""


class HookOutcome(NamedTuple):
    """Result of the pre-hooks of a call."""

    veto: str
    """Why the call may not run. Empty if no hook vetoed it."""
    questions: tuple[str, ...]
    """Why a person should decide. Empty if no approval is required."""


def run_pre_hooks(hooks: Hooks, call: ToolCall, context: CallContext) -> HookOutcome:
    """Run the pre-hooks of a call, until one vetoes it."""
    questions: list[str] = []
    for hook in hooks.before:
        try:
            decision = hook(call, context)
        except Exception as error:  # noqa: BLE001  a guard that fails must not let calls pass
            decision = Veto(reason=f"a hook failed: {_line(error)}")
        if isinstance(decision, Veto):
            return HookOutcome(decision.reason, ())
        if decision is not None:
            questions.append(decision.reason)
    return HookOutcome("", tuple(questions))


def run_post_hooks(
    hooks: Hooks, call: ToolCall, result: ToolResult, milliseconds: float
) -> tuple[Finding, ...]:
    """Run the post-hooks of a call. Return a warning for each that failed."""
    warnings: list[Finding] = []
    for hook in hooks.after:
        try:
            hook(call, result, milliseconds)
        except Exception as error:  # noqa: BLE001  a failing hook must not affect the result
            warnings.append(_failed(error))
    return tuple(warnings)


def transform_result(
    hooks: Hooks, call: ToolCall, result: ToolResult
) -> tuple[ToolResult, tuple[Finding, ...]]:
    """Apply the transforms to a result. Return the new result, and a warning for each transform that failed."""
    warnings: list[Finding] = []
    for transform in hooks.transforms:
        try:
            result = transform(call, result)
        except Exception as error:  # noqa: BLE001  the unchanged result is better than none
            warnings.append(_failed(error))
    return result, tuple(warnings)


def _failed(error: Exception) -> Finding:
    message = f"a hook failed and was skipped: {_line(error)}"
    return Finding(code="hook-failed", message=shortened(message), severity=Severity.WARNING)


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
