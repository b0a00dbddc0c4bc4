"""Hooks that check a call before it runs and its result afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from workbench.chat.finding import Finding, Severity
from workbench.chat.message import ToolCall, ToolResult
from workbench.toolbox.entry import CallContext


class CallGate(Protocol):
    """Decides whether a call may run."""

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        """Why the call may not run, for the model; empty where it may.

        Args:
            call: With arguments that fit.
            context: Whose call it is.
            questions: Why hooks want a person to decide.
        """
        ...


class OpenGate:
    """Lets all calls pass but those that a hook wants asked: there is nobody to ask."""

    def refusal(self, call: ToolCall, context: CallContext, questions: tuple[str, ...]) -> str:
        """See `CallGate`."""
        return f"Needs approval and nobody can be asked: {questions[0]}" if questions else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Veto:
    """A pre-hook's no: the call does not run."""

    reason: str
    """Why; the model is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequired:
    """A pre-hook's wish that a person decides."""

    reason: str
    """Why; the person is told. An answer for the session holds for this reason."""


PreHook = Callable[[ToolCall, CallContext], Veto | ApprovalRequired | None]
"""Looks at a call whose arguments fit; None lets it pass. One that raises vetoes."""
PostHook = Callable[[ToolCall, ToolResult, float], None]
"""Is told of a call, its result and how many milliseconds it took. One that raises is passed over and told."""
ResultTransform = Callable[[ToolCall, ToolResult], ToolResult]
"""May change a result before the model sees it. One that raises leaves it as it was, and is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """All hooks of a toolbox, each kind in order."""

    before: tuple[PreHook, ...] = ()
    """The first veto ends the call."""
    after: tuple[PostHook, ...] = ()
    transforms: tuple[ResultTransform, ...] = ()
    """Each gets what the one before it gave."""


class HookOutcome(NamedTuple):
    """What the pre-hooks made of a call."""

    veto: str
    """Why it may not run; empty where it may."""
    questions: tuple[str, ...]
    """Why a person should decide; empty where nobody need be asked."""


def run_pre_hooks(hooks: Hooks, call: ToolCall, context: CallContext) -> HookOutcome:
    """Lets each pre-hook look at the call, until one vetoes."""
    questions: list[str] = []
    for hook in hooks.before:
        try:
            said = hook(call, context)
        except Exception as error:  # noqa: BLE001  a guard that breaks must not open the door
            said = Veto(reason=f"a hook failed: {_line(error)}")
        if isinstance(said, Veto):
            return HookOutcome(said.reason, ())
        if said is not None:
            questions.append(said.reason)
    return HookOutcome("", tuple(questions))


def run_post_hooks(
    hooks: Hooks, call: ToolCall, result: ToolResult, milliseconds: float
) -> tuple[Finding, ...]:
    """Tells each post-hook; what is wrong with one of them is a warning."""
    told: list[Finding] = []
    for hook in hooks.after:
        try:
            hook(call, result, milliseconds)
        except Exception as error:  # noqa: BLE001  an onlooker must not spoil the result
            told.append(_failed(error))
    return tuple(told)


def transform_result(
    hooks: Hooks, call: ToolCall, result: ToolResult
) -> tuple[ToolResult, tuple[Finding, ...]]:
    """The result as the transforms leave it; what is wrong with one of them is a warning."""
    told: list[Finding] = []
    for transform in hooks.transforms:
        try:
            result = transform(call, result)
        except Exception as error:  # noqa: BLE001  the result as it was is better than none
            told.append(_failed(error))
    return result, tuple(told)


def _failed(error: Exception) -> Finding:
    message = f"a hook failed and was passed over: {_line(error)}"
    return Finding(code="hook-failed", message=message[:99], severity=Severity.WARNING)


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
