"""Run a call and return its result; whatever happens, the model gets well-formed text."""

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
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
from workbench.toolbox.entry import CallContext, ToolAnswer, ToolEntry
from workbench.toolbox.hooks import CallGate, Hooks, OpenGate, run_post_hooks, run_pre_hooks, transform_result
from workbench.toolbox.registry import Registry

MOST_AT_ONCE: Final = 64
"""Calls of one round that run at the same time."""
NO_MOCK: Final = "no mock: arguments given back"
"""Said of a tool that was invented on the page: nobody wrote an answer for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchLimits:
    """What a call may take."""

    timeout_s: float = 300.0
    """A handler that gives nothing for so long has failed."""
    max_result_chars: int = MAX_RESULT_CHARS
    """A longer result is given by its beginning."""


class Dispatcher:
    """Runs calls of one task against a registry. It never raises.

    A call goes through: arguments fitted to the schema (told), pre-hooks, approval, the handler, post-hooks,
    transforms, the size limit.

    Args:
        bridge: Runs handlers.
        counts: How often it has called each tool; shared by all toolboxes of a task.
        gate: Asks a person where a call needs approval.
        hooks: What looks on.
        limits: What a call may take.
        secrets: Texts that no error may show.
        echoes_unknown: True gives the arguments of a tool that is not there back; False fails.
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
        self._echoes_unknown = echoes_unknown

    def run(self, call: ToolCall) -> ToolRun:
        """The call's result as the model will see it."""
        return self._timed(call, self._numbered(call))

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """The results of one round's calls, which run at the same time, in the calls' order."""
        if len(calls) < 2:
            yield from map(self.run, calls)
            return
        # Numbered before any runs: which one a mock counts as the first must not hang on who is faster.
        contexts = [self._numbered(call) for call in calls]
        with ThreadPoolExecutor(min(len(calls), MOST_AT_ONCE), "tool-round") as pool:
            yield from pool.map(self._timed, calls, contexts)

    def _numbered(self, call: ToolCall) -> CallContext:
        return replace(self._context, call_number=self._counts.next(self._context.task_id, call.name))

    def _timed(self, call: ToolCall, context: CallContext) -> ToolRun:
        started_s = time.perf_counter()
        try:
            run = self._run(call, context)
        except Exception as error:  # noqa: BLE001  the second net: a fault of ours must not end the rollout
            run = _failed(tool_error(f"Error executing {call.name}: {error}", secrets=self._secrets))
        return replace(run, milliseconds=(time.perf_counter() - started_s) * 1000)

    def _run(self, call: ToolCall, context: CallContext) -> ToolRun:
        entry = self._registry.find(call.name)
        if entry is None:
            return self._unknown(call)
        fitted = fit_arguments(entry.spec, call.arguments)
        call = replace(call, arguments=fitted.arguments, arguments_text=None)
        refused = _invalid(fitted.broken) if fitted.broken else self._refused(call, context)
        run = refused or self._finished(entry, call, context)
        return replace(run, findings=(*fitted.told, *run.findings), arguments=fitted.arguments)

    def _unknown(self, call: ToolCall) -> ToolRun:
        if self._echoes_unknown:
            text = result_text({"echo": call.arguments})
            return ToolRun(result=ToolResult(text=text), milliseconds=0.0, rule=NO_MOCK)
        return _failed(f"Unknown tool: {clean_error(call.name[:100])}")

    def _refused(self, call: ToolCall, context: CallContext) -> ToolRun | None:
        """The failure of a call that may not run; None where it may."""
        passed = run_pre_hooks(self._hooks, call, context)
        reason = (
            f"Blocked: {passed.veto}" if passed.veto else self._gate.refusal(call, context, passed.questions)
        )
        return _failed(tool_error(reason, secrets=self._secrets)) if reason else None

    def _finished(self, entry: ToolEntry, call: ToolCall, context: CallContext) -> ToolRun:
        max_chars = entry.max_result_size_chars or self._limits.max_result_chars
        started_s = time.perf_counter()
        run = self._handled(entry, call, context, max_chars=max_chars)
        told = run_post_hooks(self._hooks, call, run.result, (time.perf_counter() - started_s) * 1000)
        result, also_told = transform_result(self._hooks, call, run.result)
        if result is not run.result:
            is_error = result.is_error
            result = replace(result_of(result.text, max_chars=max_chars), is_error=is_error)
        return replace(run, result=result, findings=(*told, *also_told))

    def _handled(self, entry: ToolEntry, call: ToolCall, context: CallContext, *, max_chars: int) -> ToolRun:
        try:
            value = self._bridge.call(_bound(entry, call, context), timeout_s=self._limits.timeout_s)
            if isinstance(value, ToolAnswer):
                result = result_of(value.value, max_chars=max_chars)
                return _run_of(replace(result, is_error=value.is_error), rule=value.rule)
            return _run_of(result_of(value, max_chars=max_chars))
        except BaseException as error:  # noqa: BLE001  a handler may raise anything, SystemExit too
            return _failed(tool_error(failure_of(error), secrets=self._secrets))


class CallCounts:
    """How often each task has called each tool; the longest unused tasks are forgotten."""

    def __init__(self, most_tasks: int = 1_000) -> None:
        self._most_tasks = most_tasks
        self._tasks: dict[str, dict[str, int]] = {}
        self._lock = Lock()

    def next(self, task_id: str, tool: str) -> int:
        """The number of the call that begins now, from 1."""
        with self._lock:
            counts = self._tasks.pop(task_id, {})
            counts[tool] = number = counts.get(tool, 0) + 1
            self._tasks[task_id] = counts
            if len(self._tasks) > self._most_tasks:
                del self._tasks[next(iter(self._tasks))]
            return number


def _bound(entry: ToolEntry, call: ToolCall, context: CallContext) -> Callable[[], object]:
    """The handler with its arguments, and with as much of the context as it declares."""
    offered = asdict(context)
    try:
        parameters = tuple(inspect.signature(entry.handler).parameters.values())[1:]
    except (TypeError, ValueError):
        # A function written in C does not tell its parameters.
        return partial(entry.handler, dict(call.arguments))
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return partial(entry.handler, dict(call.arguments), **offered)
    named = {parameter.name for parameter in parameters}
    return partial(entry.handler, dict(call.arguments), **{k: v for k, v in offered.items() if k in named})


def _run_of(result: ToolResult, *, rule: str | None = None) -> ToolRun:
    return ToolRun(result=result, milliseconds=0.0, rule=rule)


def _failed(message: str) -> ToolRun:
    return _run_of(error_result(message))


def _invalid(broken: Sequence[Finding]) -> ToolRun:
    problems = [finding.message for finding in broken]
    text = result_text({"error": "Invalid arguments", "problems": problems})
    return _run_of(ToolResult(text=text, is_error=True))
