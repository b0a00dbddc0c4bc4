"""From a call to its result; whatever happens, the model gets well-formed text."""

import time
from collections.abc import Mapping, Sequence

from workbench.chat.message import ToolCall, ToolResult
from workbench.rollout.ports import ToolRun
from workbench.toolbox.mocks import MockRule, error_result, result_text


class MockToolbox:
    """Answers calls by mock rules, the first that matches."""

    def __init__(self, rules: Mapping[str, Sequence[MockRule]]) -> None:
        self._rules = rules

    def run(self, call: ToolCall) -> ToolRun:
        """The call's result; a tool without rules gives its arguments back."""
        started_s = time.perf_counter()
        result, rule = self._answer(call)
        milliseconds = (time.perf_counter() - started_s) * 1000
        return ToolRun(result=result, milliseconds=milliseconds, rule=rule)

    def _answer(self, call: ToolCall) -> tuple[ToolResult, str]:
        rules = self._rules.get(call.name)
        if rules is None:
            return ToolResult(text=result_text({"echo": call.arguments})), "no mock: arguments given back"
        for number, rule in enumerate(rules, start=1):
            if rule.matches(call.arguments):
                return rule.answer(call), f"mock rule {number}"
        return error_result(f"no mock rule of {call.name!r} matches these arguments"), "no rule matched"
