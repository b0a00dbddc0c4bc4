"""Mock rules: the first rule that matches the arguments gives the result."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall, ToolResult
from workbench.toolbox.answers import error_result, result_text
from workbench.toolbox.entry import ToolAnswer
from workbench.toolbox.mock_samples import sample
from workbench.toolbox.mock_templates import render_template
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.conditions import first_break, holds
from workbench.toolspec.spec import canonical_json


def seeded_random(seed: int, call: ToolCall, call_number: int) -> Random:
    """The chance of one call; equal calls with equal numbers have equal chance."""
    text = canonical_json([seed, call.name, call.arguments, call_number])
    return Random(int.from_bytes(sha256(text.encode(errors="replace")).digest()[:8], "big"))


MAX_LATENCY_MS: Final = 60_000
"""A mock may be slow, and not forget to answer."""
NO_RULE: Final = "no rule matched"
"""Said where none of a tool's rules answers."""
FROM_RETURNS: Final = "made from returns"
"""Said of a value that no rule gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MockRule:
    """One rule; exactly one of result, template, error and sequence is set."""

    when: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Argument name to the value it must equal, or to a condition; empty matches any call."""
    result: JsonValue = field(default=None, hash=False)
    template: str = ""
    """Jinja text over the arguments; where it gives JSON, the result is that value."""
    error: str = ""
    """The tool fails with this line."""
    sequence: "tuple[MockRule, ...]" = ()
    """One answer for each call in turn; the last one stays. Their `when` is not looked at."""
    latency_ms: int = 0
    """How long the tool takes, in milliseconds."""

    def matches(self, arguments: JsonObject) -> bool:
        """Whether every condition of `when` holds."""
        return holds(self.when, arguments)

    def step(self, call_number: int) -> "MockRule":
        """What answers the call of that number, from 1: the rule itself, or a step of its sequence."""
        if not self.sequence:
            return self
        return self.sequence[min(max(call_number, 1), len(self.sequence)) - 1]

    def answer(self, call: ToolCall, *, call_number: int = 1, seed: int = 0) -> ToolResult:
        """The result of a call that matches."""
        step = self.step(call_number)
        if step.error:
            return error_result(step.error)
        if not step.template:
            return ToolResult(text=result_text(step.result))
        random = seeded_random(seed, call, call_number)
        return _rendered(step.template, call, call_number=call_number, random=random)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockTool:
    """Answers the calls of one tool by its rules; the handler of a declarative tool."""

    name: str
    rules: tuple[MockRule, ...] = ()
    """Tried in order."""
    returns: JsonObject | None = field(default=None, hash=False)
    """JSON Schema of results; None where any will do."""
    wait: Callable[[float], None] = time.sleep
    """Waits so many seconds."""

    def __call__(self, arguments: JsonObject, *, call_number: int = 1, seed: int = 0) -> ToolAnswer:
        """The answer of the first rule that matches, else a value made from `returns`.

        Rules that take too much work fail the call.
        """
        try:
            with budget():
                return self._answer(arguments, call_number=call_number, seed=seed)
        except BudgetExceeded as error:
            problem = f"the mock rules of {self.name!r}: {error.problem}; {error.remedy}"
            return ToolAnswer(value={"error": problem}, is_error=True, rule=NO_RULE)

    def _answer(self, arguments: JsonObject, *, call_number: int, seed: int) -> ToolAnswer:
        call = ToolCall(name=self.name, arguments=arguments)
        matching = next(
            ((place, rule) for place, rule in enumerate(self.rules, start=1) if rule.matches(arguments)), None
        )
        if matching is None:
            return self._made(call, call_number=call_number, seed=seed)
        place, rule = matching
        latency_ms = rule.step(call_number).latency_ms or rule.latency_ms
        if latency_ms:
            self.wait(min(latency_ms, MAX_LATENCY_MS) / 1000)
        result = rule.answer(call, call_number=call_number, seed=seed)
        value = cast(JsonValue, json.loads(result.text))
        return self._checked(ToolAnswer(value=value, is_error=result.is_error, rule=f"mock rule {place}"))

    def _made(self, call: ToolCall, *, call_number: int, seed: int) -> ToolAnswer:
        if self.returns is None:
            problem = f"no mock rule of {self.name!r} matches these arguments"
            return ToolAnswer(value={"error": problem}, is_error=True, rule=NO_RULE)
        value = sample(self.returns, seeded_random(seed, call, call_number))
        return self._checked(ToolAnswer(value=value, rule=FROM_RETURNS))

    def _checked(self, answer: ToolAnswer) -> ToolAnswer:
        """The answer, or the failure that it breaks `returns`."""
        if self.returns is None or answer.is_error:
            return answer
        broken = first_break(self.returns, answer.value)
        if not broken:
            return answer
        problem = f"{answer.rule} of {self.name!r} gives what `returns` forbids: {broken}"
        return ToolAnswer(value={"error": problem}, is_error=True, rule=answer.rule)


def _rendered(template: str, call: ToolCall, *, call_number: int, random: Random) -> ToolResult:
    try:
        text = render_template(template, call.arguments, call_number=call_number, random=random)
    except ValueError as error:
        return error_result(f"mock template of {call.name!r}: {error}")
    try:
        return ToolResult(text=result_text(cast(JsonValue, json.loads(text))))
    except (ValueError, RecursionError):
        return ToolResult(text=result_text(text))
