"""Run tool calls. Whatever goes wrong, the result is well-formed text for the model."""

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.message import ToolCall, ToolResult
from workbench.rollout.ports import ToolRun
from workbench.toolbox.answers import (
    MAX_RESULT_CHARS,
    clean_error,
    error_result,
    failure_of,
    fit_arguments,
    result_of,
    result_text,
    tool_error,
)
from workbench.toolbox.async_bridge import AsyncBridge
from workbench.toolbox.entry import NO_WORLD, CallContext, ToolAnswer, ToolEntry
from workbench.toolbox.hooks import CallGate, Hooks, OpenGate, run_post_hooks, run_pre_hooks, transform_result
from workbench.toolbox.registry import Registry
from workbench.toolspec.world.patches import WorldPatch, copy_of_world, patched_world
from workbench.toolspec.world.session_world import SessionWorld

MOST_AT_ONCE: Final = 64
"""Maximum number of calls of one round that run at the same time."""
NOT_RUN: Final = "refused before it ran"
"""Origin of the error of a call that the check of its arguments, a hook or a person refused."""
NO_MOCK: Final = "no mock: arguments echoed"
"""Shown for a tool that is in no toolset, such as one that was written on the page without mock rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchLimits:
    """Limits on the time and the result of a call."""

    timeout_s: float = 300.0
    """Seconds after which a handler that has not returned fails."""
    max_result_chars: int = MAX_RESULT_CHARS
    """Longer results are truncated, unless the tool sets its own limit."""


class Dispatcher:
    """Runs the calls of one task with the tools of a registry. It never raises.

    The steps of a call: coerce the arguments to the schema, run the pre-hooks, ask for approval, run the handler,
    run the post-hooks, transform the result, apply the size limit.

    Args:
        bridge: Runs the handlers with a time limit.
        counts: Counts the calls of each tool; shared by all dispatchers of a task.
        gate: Asks a person if a call needs approval.
        hooks: Functions that see each call and its result.
        secrets: Texts that are removed from errors.
        world: The world of the session, which the calls change.
        echoes_unknown: True answers a call of an unknown tool with its own arguments; False with an error.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        bridge: AsyncBridge,
        context: CallContext = CallContext(),
        counts: "CallCounts | None" = None,
        gate: CallGate | None = None,
        hooks: Hooks = Hooks(),
        limits: DispatchLimits = DispatchLimits(),
        secrets: frozenset[str] = frozenset(),
        world: SessionWorld | None = None,
        echoes_unknown: bool = False,
    ) -> None:
        self._registry = registry
        self._bridge = bridge
        self._context = context
        self._counts = counts or CallCounts()
        self._gate = gate or OpenGate()
        self._hooks = hooks
        self._limits = limits
        self._secrets = secrets
        self._world = world or SessionWorld()
        self._echoes_unknown = echoes_unknown

    def run(self, call: ToolCall) -> ToolRun:
        """Run one call and return its result."""
        return self._timed(call, self._numbered(call))

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """Run the calls of one round at the same time, and return the results in the order of the calls.

        Calls that have a world run one after the other in this order, so that each sees the changes of those before it.
        """
        if len(calls) < 2:
            yield from map(self.run, calls)
            return
        # Call numbers are assigned before any call runs: a mock with a sequence must not depend on which thread is
        # faster.
        contexts = [self._numbered(call) for call in calls]
        workers = min(len(calls), MOST_AT_ONCE)
        with ThreadPoolExecutor(workers, "tool-round") as pool, ThreadPoolExecutor(1, "world-round") as queue:
            futures = [
                (queue if self._has_world(call) else pool).submit(self._timed, call, context)
                for call, context in zip(calls, contexts, strict=True)
            ]
            for future in futures:
                yield future.result()

    def _has_world(self, call: ToolCall) -> bool:
        entry = self._registry.find(call.name)
        return entry is not None and self._world.has(entry.toolset)

    def _numbered(self, call: ToolCall) -> CallContext:
        return replace(self._context, call_number=self._counts.next(self._context.task_id, call.name))

    def _timed(self, call: ToolCall, context: CallContext) -> ToolRun:
        started_s = time.perf_counter()
        try:
            run = self._run(call, context)
        except Exception as error:  # noqa: BLE001  last resort: a bug here must not end the rollout
            failed = _failed(tool_error(f"Error executing {call.name}: {error}", secrets=self._secrets))
            run = replace(failed, is_world_fault=True)
        return replace(run, milliseconds=(time.perf_counter() - started_s) * 1000)

    def _run(self, call: ToolCall, context: CallContext) -> ToolRun:
        entry = self._registry.find(call.name)
        if entry is None:
            return self._unknown(call)
        fitted = fit_arguments(entry.spec, call.arguments)
        call = replace(call, arguments=fitted.arguments, arguments_text=None)
        refused = _invalid(fitted.errors) if fitted.errors else self._refused(call, context)
        answered = refused or self._run_handler_and_hooks(entry, call, context)
        run = replace(answered, rule=NOT_RUN) if refused else answered
        return replace(run, findings=(*fitted.notes, *run.findings), arguments=fitted.arguments)

    def _unknown(self, call: ToolCall) -> ToolRun:
        if self._echoes_unknown:
            text = result_text({"echo": call.arguments})
            return ToolRun(result=ToolResult(text=text), milliseconds=0.0, rule=NO_MOCK)
        return _failed(f"Unknown tool: {clean_error(call.name[:100])}")

    def _refused(self, call: ToolCall, context: CallContext) -> ToolRun | None:
        """Return the failure of a call that may not run, or None if it may."""
        outcome = run_pre_hooks(self._hooks, call, context)
        reason = (
            f"Blocked: {outcome.veto}"
            if outcome.veto
            else self._gate.refusal(call, context, outcome.questions)
        )
        return _failed(tool_error(reason, secrets=self._secrets)) if reason else None

    def _run_handler_and_hooks(self, entry: ToolEntry, call: ToolCall, context: CallContext) -> ToolRun:
        max_chars = entry.max_result_size_chars or self._limits.max_result_chars
        started_s = time.perf_counter()
        run = self._run_handler(entry, call, context, max_chars=max_chars)
        milliseconds = (time.perf_counter() - started_s) * 1000
        hook_findings = run_post_hooks(self._hooks, call, run.result, milliseconds)
        result, transform_findings = transform_result(self._hooks, call, run.result)
        if result is not run.result:
            is_error = result.is_error
            result = replace(result_of(result.text, max_chars=max_chars), is_error=is_error)
        return replace(run, result=result, findings=(*hook_findings, *transform_findings))

    def _run_handler(
        self, entry: ToolEntry, call: ToolCall, context: CallContext, *, max_chars: int
    ) -> ToolRun:
        try:
            if self._world.has(entry.toolset):
                context = replace(context, world=copy_of_world(self._world.of(entry.toolset)))
            value = self._bridge.call(_bound(entry, call, context), timeout_s=self._limits.timeout_s)
            patch: WorldPatch | None = None
            if isinstance(value, ToolAnswer):
                result = result_of(value.value, max_chars=max_chars)
                run = _run_of(replace(result, is_error=value.is_error), rule=value.rule)
                patch = value.world_patch
            else:
                run = _run_of(result_of(value, max_chars=max_chars))
            if context.world is NO_WORLD or run.result.is_error:
                return run
            return replace(run, world_patch=self._changed_world(entry, context.world, patch))
        except BaseException as error:  # noqa: BLE001  a handler may raise anything, even SystemExit
            failed = _failed(tool_error(failure_of(error), secrets=self._secrets))
            return replace(failed, is_world_fault=isinstance(error, TimeoutError))

    def _changed_world(self, entry: ToolEntry, world: object, patch: WorldPatch | None) -> WorldPatch:
        """Store what a call changed, and return it.

        Args:
            world: The copy that the handler got, which it may have changed.
            patch: The changes, if the handler returned them.

        Raises:
            BadInput: The changed world is not valid. Then nothing changes.
        """
        if patch == ():
            return ()
        after = world if patch is None else patched_world(self._world.of(entry.toolset), [patch])
        return self._world.change(entry.toolset, after, patch)


class CallCounts:
    """Counts how often each task has called each tool. Tasks that were not used for longest are dropped."""

    def __init__(self, most_tasks: int = 1_000) -> None:
        self._most_tasks = most_tasks
        self._tasks: dict[str, dict[str, int]] = {}
        self._lock = Lock()

    def next(self, task_id: str, tool: str) -> int:
        """Count a call and return its number, starting from 1."""
        with self._lock:
            counts = self._tasks.pop(task_id, {})
            counts[tool] = number = counts.get(tool, 0) + 1
            self._tasks[task_id] = counts
            if len(self._tasks) > self._most_tasks:
                del self._tasks[next(iter(self._tasks))]
            return number


def _bound(entry: ToolEntry, call: ToolCall, context: CallContext) -> Callable[[], object]:
    """Bind the handler to its arguments and to the fields of the context that it declares as parameters."""
    # The handler may change its arguments; the conversation keeps those of the model.
    arguments = deepcopy(dict(call.arguments))
    # Not `asdict`, which copies the world.
    fields = {name: getattr(context, name) for name in CallContext.__slots__}
    if context.world is NO_WORLD:
        del fields["world"]
    try:
        parameters = tuple(inspect.signature(entry.handler).parameters.values())[1:]
    except (TypeError, ValueError):
        # Functions written in C may have no signature.
        return partial(entry.handler, arguments)
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return partial(entry.handler, arguments, **fields)
    named = {parameter.name for parameter in parameters}
    return partial(entry.handler, arguments, **{k: v for k, v in fields.items() if k in named})


def _run_of(result: ToolResult, *, rule: str | None = None) -> ToolRun:
    return ToolRun(result=result, milliseconds=0.0, rule=rule)


def _failed(message: str) -> ToolRun:
    return _run_of(error_result(message))


def _invalid(errors: Sequence[Finding]) -> ToolRun:
    problems = [finding.message for finding in errors]
    text = result_text({"error": "Invalid arguments", "problems": problems})
    return _run_of(ToolResult(text=text, is_error=True))
