"""A toolbox that answers the loop's own tools itself, and hands on the rest."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall, ToolResult
from workbench.errors import WorkbenchError
from workbench.rollout.ports import Toolbox, ToolRun

LOOP = "answered by the loop"
"""Said instead of a mock rule."""

LoopTool = Callable[[JsonObject], JsonValue]
"""Takes the arguments, gives the result; an object with `error` is a failure."""


class LoopToolbox:
    """Runs calls; see `workbench.rollout.ports.Toolbox`.

    Args:
        inner: Runs all calls but the loop's own.
        tools: The loop's own tools by name.
    """

    def __init__(self, inner: Toolbox, tools: Mapping[str, LoopTool]) -> None:
        self._inner = inner
        self._tools = tools

    def run(self, call: ToolCall) -> ToolRun:
        """The call's result."""
        tool = self._tools.get(call.name)
        return self._inner.run(call) if tool is None else _answered(tool, call)

    def run_round(self, calls: Sequence[ToolCall]) -> Iterator[ToolRun]:
        """The results in order; the loop's own are worked out one after the other."""
        others = self._inner.run_round([call for call in calls if call.name not in self._tools])
        for call in calls:
            tool = self._tools.get(call.name)
            yield next(others) if tool is None else _answered(tool, call)


def _answered(tool: LoopTool, call: ToolCall) -> ToolRun:
    started_s = perf_counter()
    try:
        value = tool(call.arguments)
    except WorkbenchError as error:
        value = {"error": str(error)}
    is_error = isinstance(value, Mapping) and "error" in value
    result = ToolResult(text=json.dumps(value, ensure_ascii=False), is_error=is_error)
    return ToolRun(result=result, milliseconds=(perf_counter() - started_s) * 1000, rule=LOOP)
