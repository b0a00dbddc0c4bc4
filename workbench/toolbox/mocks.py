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
# 4. The `effects` of the rule are applied to a copy of the world, and the result is made from it; see `mock_world`.
# 5. Results are checked against `returns`. A result that does not match becomes an error, so that a mistake in a rule
#    does not look like a mistake of the model. A call that fails changes nothing in the world.
#
# The invariant is that a result depends only on the seed, the arguments, the number of the call and the world. Random
# values come from a generator that is seeded with the first three, not from a shared one. With a shared generator, two
# calls that run at the same time would get values in a different order each time, and a stored session could not be
# repeated.

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from random import Random
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.toolbox.entry import NO_WORLD, ToolAnswer
from workbench.toolbox.mock_samples import sample
from workbench.toolbox.mock_templates import NO_VALUES
from workbench.toolbox.mock_world import WORLD, WorldOfCall, world_meets
from workbench.toolspec.budget import BudgetExceeded, budget
from workbench.toolspec.conditions import first_violation, holds
from workbench.toolspec.spec import canonical_json
from workbench.toolspec.world.effects import Effect, applied_effects
from workbench.toolspec.world.patches import WorldPatch


def seeded_random(seed: int, call: ToolCall, call_number: int) -> Random:
    """Return the random generator of a call. Equal seeds, calls and call numbers give equal values."""
    text = canonical_json([seed, call.name, call.arguments, call_number])
    return Random(int.from_bytes(sha256(text.encode(errors="replace")).digest()[:8], "big"))


MAX_LATENCY_MS: Final = 60_000
"""Longest delay of a mock."""
NO_RULE: Final = "no rule matched"
"""Origin of the error that is returned if no rule matches and there is no `returns`."""
_NO_WORLD: Final = "the toolset has no world"
_DECLARE: Final = "declare one with `world`"
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

    effects: tuple[Effect, ...] = ()
    """What the call changes in the world, in order. Pointers and values may have templates."""

    def matches(self, arguments: JsonObject, scope: WorldOfCall | None = None) -> bool:
        """Whether every condition of `when` holds.

        Raises:
            BadInput: A condition on the world cannot be used.
            ValueError: A template of such a condition fails.
        """
        if WORLD not in self.when:
            return holds(self.when, arguments)
        if scope is None:
            raise BadInput(WORLD, _NO_WORLD, _DECLARE)
        own = {name: condition for name, condition in self.when.items() if name != WORLD}
        return holds(own, arguments) and world_meets(cast(JsonObject, self.when[WORLD]), scope)

    def step(self, call_number: int) -> "MockRule":
        """Return the rule itself, or the step of its sequence for a call number (counted from 1)."""
        if not self.sequence:
            return self
        return self.sequence[min(max(call_number, 1), len(self.sequence)) - 1]

    def answer(
        self,
        call: ToolCall,
        *,
        call_number: int = 1,
        seed: int = 0,
        worlds: Mapping[str, JsonValue] = NO_VALUES,
    ) -> ToolAnswer:
        """Return the answer to a call that matches the rule.

        Args:
            worlds: The variables `world` and `before`. Empty if the tool has no world.

        Raises:
            BadInput: An effect cannot be applied.
            ValueError: A template fails.
        """
        step = self.step(call_number)
        if step.error:
            return ToolAnswer(value={"error": step.error}, is_error=True)
        scope = _scope(call, call_number, seed, worlds)
        patch: WorldPatch = ()
        if step.effects:
            world, patch = applied_effects(_world_of(scope), scope.effects(step.effects))
            scope = replace(scope, worlds={**worlds, "world": world})
        if step.template:
            return ToolAnswer(value=_json_or_text(scope.rendered(step.template)), world_patch=patch)
        return ToolAnswer(value=scope.filled(step.result) if worlds else step.result, world_patch=patch)


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

    def __call__(
        self, arguments: JsonObject, *, call_number: int = 1, seed: int = 0, world: object = NO_WORLD
    ) -> ToolAnswer:
        """Return the answer of the first rule that matches, or a value generated from `returns`.

        If the rules exceed the budget, or a template or an effect fails, the answer is an error.

        Args:
            world: The world of the toolset, which is not changed in place. `NO_WORLD` if it has none.
        """
        value = cast(JsonValue, world)
        worlds: dict[str, JsonValue] = {} if world is NO_WORLD else {"world": value, "before": value}
        try:
            with budget():
                return self._answer(arguments, call_number=call_number, seed=seed, worlds=worlds)
        except BudgetExceeded as error:
            problem = f"the mock rules of {self.name!r}: {error.problem}; {error.remedy}"
            return ToolAnswer(value={"error": problem}, is_error=True, rule=NO_RULE)

    def _answer(
        self, arguments: JsonObject, *, call_number: int, seed: int, worlds: Mapping[str, JsonValue]
    ) -> ToolAnswer:
        call = ToolCall(name=self.name, arguments=arguments)
        number = 0
        try:
            scope = _scope(call, call_number, seed, worlds) if worlds else None
            for number, rule in enumerate(self.rules, start=1):
                if not rule.matches(arguments, scope):
                    continue
                latency_ms = rule.step(call_number).latency_ms or rule.latency_ms
                if latency_ms:
                    self.wait(min(latency_ms, MAX_LATENCY_MS) / 1000)
                answer = rule.answer(call, call_number=call_number, seed=seed, worlds=worlds)
                return self._checked(replace(answer, rule=f"mock rule {number}"))
        except BudgetExceeded:
            raise
        except BadInput as error:
            return _faulty(f"mock rule {number} of {self.name!r}: {error}", number)
        except ValueError as error:
            return _faulty(f"mock template of {self.name!r}: {error}", number)
        return self._from_returns(call, call_number=call_number, seed=seed)

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


def _faulty(problem: str, number: int) -> ToolAnswer:
    """Return the answer of a rule that cannot be used."""
    return ToolAnswer(value={"error": problem}, is_error=True, rule=f"mock rule {number}")


def _scope(call: ToolCall, call_number: int, seed: int, worlds: Mapping[str, JsonValue]) -> WorldOfCall:
    random = seeded_random(seed, call, call_number)
    return WorldOfCall(call=call, call_number=call_number, random=random, worlds=worlds)


def _world_of(scope: WorldOfCall) -> JsonValue:
    if "world" not in scope.worlds:
        raise BadInput("effects", _NO_WORLD, _DECLARE)
    return scope.worlds["world"]


def _json_or_text(text: str) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(text))
    except (ValueError, RecursionError):
        return text
