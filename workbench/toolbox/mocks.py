"""Mock tools: they answer calls by rules instead of doing something."""

# How a call is answered
#
# 1. The rules are tried in order, and the first rule whose `when` matches the arguments answers. A rule without `when`
#    matches any call, so it belongs at the end.
# 2. If the rule has a `sequence`, the number of the call chooses the step: call 1 gets the first step, and all calls
#    after the last step repeat it. The number counts the calls of this tool in this session, whatever their
#    arguments. For example
#
#        - when: {city: Oslo}
#          sequence: [{error: timeout}, {result: {celsius: 4}}]
#
#    fails the first call and answers the second one. If the first call asks for Rome and only the second one for
#    Oslo, the second one gets the second step.
# 3. If no rule matches, a value is generated from `returns`. Without `returns`, the call fails.
# 4. Results are checked against `returns`. A result that does not match becomes an error, so that a mistake in a rule
#    does not look like a mistake of the model.
#
# The invariant is that a result depends only on the seed, the arguments and the number of the call. Random values come
# from a generator that is seeded with these three, not from a shared one. With a shared generator, two calls that run
# at the same time would get values in a different order each time, and a stored session could not be repeated.

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
from workbench.toolspec.conditions import first_violation, holds
from workbench.toolspec.spec import canonical_json


def seeded_random(seed: int, call: ToolCall, call_number: int) -> Random:
    """Return the random generator of a call. Equal seeds, calls and call numbers give equal values."""
    text = canonical_json([seed, call.name, call.arguments, call_number])
    return Random(int.from_bytes(sha256(text.encode(errors="replace")).digest()[:8], "big"))


MAX_LATENCY_MS: Final = 60_000
"""Longest delay of a mock."""
NO_RULE: Final = "no rule matched"
"""Origin of the error that is returned if no rule matches and there is no `returns`."""
FROM_RETURNS: Final = "made from returns"
"""Origin of a value that was generated from `returns`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MockRule:
    """One rule; exactly one of result, template, error and sequence is set."""

    when: JsonObject = field(default_factory=dict[str, JsonValue], hash=False)
    """Values or conditions by argument name. Empty matches any call."""
    result: JsonValue = field(default=None, hash=False)
    template: str = ""
    """Jinja template over the arguments. If it renders to JSON, the result is that value."""
    error: str = ""
    """Error message; the call fails with it."""
    sequence: "tuple[MockRule, ...]" = ()
    """One answer per call; the last one repeats. Their `when` is ignored."""
    latency_ms: int = 0
    """Time that the call takes, in milliseconds."""

    def matches(self, arguments: JsonObject) -> bool:
        """Whether every condition of `when` holds."""
        return holds(self.when, arguments)

    def step(self, call_number: int) -> "MockRule":
        """Return the rule itself, or the step of its sequence for a call number (counted from 1)."""
        if not self.sequence:
            return self
        return self.sequence[min(max(call_number, 1), len(self.sequence)) - 1]

    def answer(self, call: ToolCall, *, call_number: int = 1, seed: int = 0) -> ToolResult:
        """Return the result of a call that matches the rule."""
        step = self.step(call_number)
        if step.error:
            return error_result(step.error)
        if not step.template:
            return ToolResult(text=result_text(step.result))
        random = seeded_random(seed, call, call_number)
        return _rendered(step.template, call, call_number=call_number, random=random)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockTool:
    """Handler of a declarative tool: answers its calls by rules."""

    name: str
    rules: tuple[MockRule, ...] = ()
    """The first rule that matches answers."""
    returns: JsonObject | None = field(default=None, hash=False)
    """JSON Schema of results, or None if any result is valid."""
    wait: Callable[[float], None] = time.sleep
    """Waits for a number of seconds; tests replace it."""

    def __call__(self, arguments: JsonObject, *, call_number: int = 1, seed: int = 0) -> ToolAnswer:
        """Return the answer of the first rule that matches, or a value generated from `returns`.

        If the rules exceed the budget, the answer is an error.
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
            ((number, rule) for number, rule in enumerate(self.rules, start=1) if rule.matches(arguments)),
            None,
        )
        if matching is None:
            return self._from_returns(call, call_number=call_number, seed=seed)
        number, rule = matching
        latency_ms = rule.step(call_number).latency_ms or rule.latency_ms
        if latency_ms:
            self.wait(min(latency_ms, MAX_LATENCY_MS) / 1000)
        result = rule.answer(call, call_number=call_number, seed=seed)
        value = cast(JsonValue, json.loads(result.text))
        return self._checked(ToolAnswer(value=value, is_error=result.is_error, rule=f"mock rule {number}"))

    def _from_returns(self, call: ToolCall, *, call_number: int, seed: int) -> ToolAnswer:
        if self.returns is None:
            problem = f"no mock rule of {self.name!r} matches these arguments"
            return ToolAnswer(value={"error": problem}, is_error=True, rule=NO_RULE)
        value = sample(self.returns, seeded_random(seed, call, call_number))
        return self._checked(ToolAnswer(value=value, rule=FROM_RETURNS))

    def _checked(self, answer: ToolAnswer) -> ToolAnswer:
        """Return the answer, or an error if it does not match `returns`."""
        if self.returns is None or answer.is_error:
            return answer
        mismatch = first_violation(self.returns, answer.value)
        if not mismatch:
            return answer
        problem = f"{answer.rule} of {self.name!r} gives what `returns` forbids: {mismatch}"
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
