"""Score expectations about calls, measurements and answers."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.reading import CallStatus, ReadCall
from workbench.rollout.events import EndReason
from workbench.suite.case_rollout import CaseRollout
from workbench.suite.expectation import CallPattern, CountRange, Expectation
from workbench.toolspec.conditions import describe_condition, first_violation, meets
from workbench.toolspec.patterns import is_found, pattern_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationResult:
    """The result of one expectation for a rollout."""

    kind: str
    """One of `workbench.suite.expectation.KINDS`."""
    holds: bool
    reason: str
    """Why it holds or not, for a person."""
    weight: float = 1.0
    turn: int | None = None
    """The turn of the conversation in which it broke, from 1. None if it holds, or for a single turn."""


Answer = tuple[bool, str]
"""Whether an expectation holds, and why."""
_LONGEST_ARGUMENTS: Final = 80
_UNREADABLE: Final = "that could not be read"


def score_calls(expectation: Expectation, rollout: CaseRollout) -> Answer:
    """Score `calls`: each expected call was made, and no others unless `allow_extra`."""
    expected = [pattern for pattern in expectation.calls or () for _ in range(pattern.count)]
    calls = rollout.first_calls if expectation.within == "first" else rollout.calls
    if not calls:
        return False, f"no tool was called, expected {_patterns(expected)}"
    if not expectation.allow_extra and len(calls) != len(expected):
        return False, f"{_times(len(calls), 'call')}, expected {len(expected)}: {calls_text(calls)}"
    matched = _in_order(expected, calls) if expectation.in_order else _matching(expected, calls)
    if matched == len(expected):
        return True, f"called {calls_text(calls)}"
    return False, _mismatch(expected, calls, is_in_order=expectation.in_order)


def score_no_call(rollout: CaseRollout) -> Answer:
    """Score `no_call`: no tool was called, and no call block was dropped."""
    if rollout.calls:
        return False, f"called {calls_text(rollout.calls)}"
    if rollout.dropped:
        return False, f"{_times(rollout.dropped, 'call')} {_UNREADABLE}"
    return True, "no tool was called"


def score_call_count(expectation: Expectation, rollout: CaseRollout) -> Answer:
    """Score `call_count`: the number of calls is right."""
    count = len(rollout.first_calls if expectation.within == "first" else rollout.calls)
    expected = expectation.call_count
    if isinstance(expected, CountRange):
        holds = expected.at_least <= count and (expected.at_most is None or count <= expected.at_most)
        most = "" if expected.at_most is None else f", at most {expected.at_most}"
        return holds, f"{_times(count, 'call')}, expected at least {expected.at_least}{most}"
    return count == expected, f"{_times(count, 'call')}, expected {expected}"


def score_sequence(expectation: Expectation, rollout: CaseRollout) -> Answer:
    """Score `tool_sequence`: these tools were called in this order."""
    expected, called = list(expectation.tool_sequence or ()), [call.name for call in rollout.calls]
    rest = iter(called)
    holds = all(name in rest for name in expected) if expectation.allow_extra else expected == called
    shown = " → ".join(called) or "nothing"
    if holds:
        return True, f"called {shown}"
    return False, f"called {shown}, expected {' → '.join(expected) or 'nothing'}"


def score_valid_calls(rollout: CaseRollout) -> Answer:
    """Score `valid_calls`: every call could be read and run."""
    if rollout.dropped:
        return False, f"{_times(rollout.dropped, 'call')} {_UNREADABLE}"
    for call in rollout.calls:
        if call.status is CallStatus.UNKNOWN_TOOL:
            return False, f"no tool {call.name!r} is offered"
        if call.status is CallStatus.INVALID_ARGUMENTS:
            messages = [finding.message for finding in call.findings if finding.code.startswith("schema-")]
            problem = messages[0] if messages else "its arguments do not match its schema"
            return False, f"{call.name}: {problem}"
    return True, f"{_times(len(rollout.calls), 'call')}, all valid"


def score_answered(rollout: CaseRollout) -> Answer:
    """Score `answered`: the turn ended with an answer that is not empty."""
    if rollout.end is not EndReason.ANSWERED:
        return False, f"the turn ended without an answer: {rollout.end.value if rollout.end else 'unknown'}"
    return (True, "answered") if rollout.answer else (False, "the answer is empty")


def call_mismatch(pattern: CallPattern, call: ReadCall) -> str:
    """Return the first difference between a call and a pattern; empty if the call matches."""
    if pattern.name is not None and not meets(call.name, pattern.name):
        return f"called {call.name!r}, expected {describe_condition(pattern.name)}"
    expected = pattern.arguments if pattern.arguments is not None else pattern.has_arguments or {}
    for name, condition in expected.items():
        if name not in call.arguments:
            return f"{call.name}: argument {name!r} is missing"
        if problem := _value_mismatch(call, name, condition):
            return problem
    for name, condition in pattern.optional.items():
        if name in call.arguments and (problem := _value_mismatch(call, name, condition)):
            return problem
    if pattern.arguments is not None:
        extra = [name for name in call.arguments if name not in expected and name not in pattern.optional]
        if extra:
            return f"{call.name}: unexpected argument {extra[0]!r}"
    if pattern.arguments_schema is not None and (
        problem := first_violation(pattern.arguments_schema, call.arguments)
    ):
        return f"{call.name}: {problem}"
    return ""


def calls_text(calls: Sequence[ReadCall]) -> str:
    """Return calls as text for a person, such as `get_weather(city="Rome")`."""
    return ", ".join(_call_text(call) for call in calls)


def _call_text(call: ReadCall) -> str:
    arguments = ", ".join(
        f"{name}={describe_condition({'equals': value})}" for name, value in call.arguments.items()
    )
    if len(arguments) > _LONGEST_ARGUMENTS:
        arguments = arguments[: _LONGEST_ARGUMENTS - 1] + "…"
    return f"{call.name}({arguments})"


def _value_mismatch(call: ReadCall, name: str, condition: JsonValue) -> str:
    value = call.arguments[name]
    if meets(value, condition):
        return ""
    return f"{call.name}: {name} is {describe_condition({'equals': value})}, expected {describe_condition(condition)}"


def _in_order(expected: Sequence[CallPattern], calls: Sequence[ReadCall]) -> int:
    """Return how many of the patterns match calls one after the other. Other calls may be in between."""
    rest, matched = iter(calls), 0
    for pattern in expected:
        if not any(not call_mismatch(pattern, call) for call in rest):
            break
        matched += 1
    return matched


def _matching(expected: Sequence[CallPattern], calls: Sequence[ReadCall]) -> int:
    """Return how many of the patterns can each have a call of their own.

    Giving each pattern the first call that matches is not enough: with the patterns `get_weather(…)` and
    `get_weather(city="Rome")` and the calls Rome, Oslo, the first pattern would take Rome and leave Oslo for the
    second. So a pattern may take a call from another pattern if that one can move to another call. This is the maximum
    matching of a bipartite graph by augmenting paths.

    *Source:* https://en.wikipedia.org/wiki/Maximum_cardinality_matching
    """
    candidates = [
        [index for index, call in enumerate(calls) if not call_mismatch(pattern, call)]
        for pattern in expected
    ]
    owner: dict[int, int] = {}

    def assign(pattern: int, seen: set[int]) -> bool:
        for index in candidates[pattern]:
            if index in seen:
                continue
            seen.add(index)
            if index not in owner or assign(owner[index], seen):
                owner[index] = pattern
                return True
        return False

    return sum(assign(pattern, set()) for pattern in range(len(expected)))


def _mismatch(expected: Sequence[CallPattern], calls: Sequence[ReadCall], *, is_in_order: bool) -> str:
    """Return why the calls do not match the patterns."""
    for number, pattern in enumerate(expected):
        mismatches = [call_mismatch(pattern, call) for call in calls]
        if all(mismatches):
            # The most useful reason is that of a call with the same name, else of the call in the same position.
            same_position = mismatches[number] if number < len(mismatches) else mismatches[0]
            same_name = (
                mismatch for mismatch, call in zip(mismatches, calls, strict=True) if _has_name(pattern, call)
            )
            return next(same_name, same_position)
    if is_in_order:
        return f"the expected calls were made in another order: {calls_text(calls)}"
    return f"one call matches several expected calls: {calls_text(calls)}"


def _has_name(pattern: CallPattern, call: ReadCall) -> bool:
    return pattern.name is None or meets(call.name, pattern.name)


def _patterns(expected: Sequence[CallPattern]) -> str:
    return ", ".join(
        describe_condition(pattern.name) if pattern.name is not None else "any tool" for pattern in expected
    )


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_Measured = tuple[Callable[[CaseRollout], float | None], str]
LIMITS: Final[Mapping[str, _Measured]] = {
    "fixes_at_most": (lambda rollout: len(rollout.fixes), "fixes"),
    "rounds_at_most": (lambda rollout: len(rollout.completions), "rounds"),
    "seconds_at_most": (lambda rollout: rollout.seconds, "seconds"),
    "tokens_at_most": (lambda rollout: rollout.completion_tokens, "tokens written"),
    "prompt_tokens_at_most": (lambda rollout: rollout.prompt_tokens, "prompt tokens"),
    "turns_at_most": (lambda rollout: sum(turn.completions > 0 for turn in rollout.turns), "turns"),
    "person_turns_at_most": (lambda rollout: len(rollout.turns), "messages of the person"),
    "cost_at_most": (lambda rollout: rollout.cost, "US dollars"),
}
"""Kind of expectation to what is measured, and its unit."""


def score_limit(expectation: Expectation, rollout: CaseRollout) -> Answer:
    """Score a maximum. It does not hold if the value is not known."""
    measure, unit = LIMITS[expectation.kind]
    most = cast(float, getattr(expectation, expectation.kind))
    value = measure(rollout)
    if value is None:
        if expectation.kind == "cost_at_most" and rollout.price is None:
            return False, "the cost is not known: the model has no price"
        return False, f"the number of {unit} is not known: the server does not report it"
    return value <= most, f"{value:g} {unit}, expected at most {most:g}"


_QUESTION_MARKS: Final = ("?", "？", "؟")
_LONGEST_SHOWN: Final = 60


def score_asks(expected: "Literal[True] | str", rollout: CaseRollout) -> Answer:
    """Score `asks`: no tool is called and the answer asks a question, which matches `expected` if that is a pattern."""
    holds, reason = score_no_call(rollout)
    if not holds:
        return False, f"expected a question: {reason}"
    answer = rollout.answer
    if not any(mark in answer for mark in _QUESTION_MARKS):
        return False, f"no question in {_shown(answer)}"
    if isinstance(expected, str) and not _finds(expected, answer):
        return False, f"the question does not match /{expected}/: {_shown(answer)}"
    return True, f"asks a question: {_shown(answer)}"


def score_contains(expected: str | list[str], rollout: CaseRollout) -> Answer:
    """Score `text_contains`: the answer contains each of the texts. Upper and lower case are the same."""
    answer = rollout.answer
    for text in [expected] if isinstance(expected, str) else expected:
        if text.casefold() not in answer.casefold():
            return False, f"{text!r} is not in {_shown(answer)}"
    return True, f"{expected!r} is in the answer"


def score_matches(pattern: str, rollout: CaseRollout) -> Answer:
    """Score `text_matches`: the pattern matches a part of the answer."""
    answer = rollout.answer
    holds = _finds(pattern, answer)
    return holds, f"/{pattern}/ {'matches' if holds else 'does not match'} {_shown(answer)}"


def score_answer_schema(schema: JsonObject, rollout: CaseRollout) -> Answer:
    """Score `answer_schema`: the answer is JSON that matches the schema."""
    try:
        value = cast(JsonValue, json.loads(rollout.answer))
    except (ValueError, RecursionError):
        return False, f"the answer is not JSON: {_shown(rollout.answer)}"
    broken = first_violation(schema, value)
    return not broken, broken or "the answer matches the schema"


def _finds(pattern: str, text: str) -> bool:
    """Return whether the pattern matches a part of the text. An invalid pattern matches nothing."""
    return not pattern_problem(pattern) and is_found(pattern, text)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…")
