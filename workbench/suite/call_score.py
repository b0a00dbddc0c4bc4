"""Score expectations about calls, results and answers."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.reading import CallStatus, ReadCall
from workbench.suite.case_rollout import CaseRollout
from workbench.suite.expectation import CallPattern, CountRange, Expectation
from workbench.toolspec.conditions import first_break, meets, told
from workbench.toolspec.patterns import is_found, pattern_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationResult:
    """One expectation, held against a rollout."""

    kind: str
    """One of `workbench.suite.expectation.KINDS`."""
    holds: bool
    """Yes or no."""
    reason: str
    """Why, for a person."""
    weight: float = 1.0
    """How much it counts."""


Answer = tuple[bool, str]
"""Whether it holds, and why."""
_LONGEST_ARGUMENTS: Final = 80


def score_calls(one: Expectation, played: CaseRollout) -> Answer:
    """The calls that were wanted, each its own; no others unless `allow_extra`."""
    wanted = [pattern for pattern in one.calls or () for _ in range(pattern.count)]
    given = played.first_calls if one.within == "first" else played.calls
    if not given:
        return False, f"nothing was called; wanted {_patterns(wanted)}"
    if not one.allow_extra and len(given) != len(wanted):
        return False, f"{_times(len(given), 'call')}, wanted {len(wanted)}: {told_calls(given)}"
    matched = _in_order(wanted, given) if one.in_order else _matching(wanted, given)
    if matched == len(wanted):
        return True, f"called {told_calls(given)}"
    return False, _why_not(wanted, given, is_in_order=one.in_order)


def score_no_call(played: CaseRollout) -> Answer:
    """Nothing was called, nor meant to be."""
    if played.calls:
        return False, f"called {told_calls(played.calls)}"
    if played.dropped:
        return False, f"{_times(played.dropped, 'call')} that could not be read"
    return True, "nothing was called"


def score_call_count(one: Expectation, played: CaseRollout) -> Answer:
    """How many calls there were."""
    count = len(played.first_calls if one.within == "first" else played.calls)
    wanted = one.call_count
    if isinstance(wanted, CountRange):
        holds = wanted.at_least <= count and (wanted.at_most is None or count <= wanted.at_most)
        most = "" if wanted.at_most is None else f", at most {wanted.at_most}"
        return holds, f"{_times(count, 'call')}, wanted at least {wanted.at_least}{most}"
    return count == wanted, f"{_times(count, 'call')}, wanted {wanted}"


def score_sequence(one: Expectation, played: CaseRollout) -> Answer:
    """Which tools were called over the rollout, in order."""
    wanted, given = list(one.tool_sequence or ()), [call.name for call in played.calls]
    rest = iter(given)
    holds = all(name in rest for name in wanted) if one.allow_extra else wanted == given
    shown = " → ".join(given) or "nothing"
    return holds, f"called {shown}" if holds else f"called {shown}, wanted {' → '.join(wanted) or 'nothing'}"


def score_valid_calls(played: CaseRollout) -> Answer:
    """Every call could be run."""
    if played.dropped:
        return False, f"{_times(played.dropped, 'call')} that could not be read"
    for call in played.calls:
        if call.status is CallStatus.UNKNOWN_TOOL:
            return False, f"no tool {call.name!r} is offered"
        if call.status is CallStatus.INVALID_ARGUMENTS:
            broken = [one.message for one in call.findings if one.code.startswith("schema-")]
            return False, f"{call.name}: {broken[0] if broken else 'its arguments break its schema'}"
    return True, f"{_times(len(played.calls), 'call')}, all sound"


def call_break(pattern: CallPattern, call: ReadCall) -> str:
    """The first thing in which a call is not as wanted; empty where it is."""
    if pattern.name is not None and not meets(call.name, pattern.name):
        return f"called {call.name!r}, wanted {told(pattern.name)}"
    wanted = pattern.arguments if pattern.arguments is not None else pattern.has_arguments or {}
    for name, want in wanted.items():
        if name not in call.arguments:
            return f"{call.name}: no argument {name!r}"
        if problem := _value_break(call, name, want):
            return problem
    for name, want in pattern.optional.items():
        if name in call.arguments and (problem := _value_break(call, name, want)):
            return problem
    if pattern.arguments is not None:
        extra = [name for name in call.arguments if name not in wanted and name not in pattern.optional]
        if extra:
            return f"{call.name}: argument {extra[0]!r} was not wanted"
    if pattern.arguments_schema is not None and (
        problem := first_break(pattern.arguments_schema, call.arguments)
    ):
        return f"{call.name}: {problem}"
    return ""


def told_calls(calls: Sequence[ReadCall]) -> str:
    """Calls for a person, such as `get_weather(city="Rome")`."""
    return ", ".join(_told_call(call) for call in calls)


def _told_call(call: ReadCall) -> str:
    arguments = ", ".join(f"{name}={told({'equals': value})}" for name, value in call.arguments.items())
    if len(arguments) > _LONGEST_ARGUMENTS:
        arguments = arguments[: _LONGEST_ARGUMENTS - 1] + "…"
    return f"{call.name}({arguments})"


def _value_break(call: ReadCall, name: str, want: JsonValue) -> str:
    value = call.arguments[name]
    if meets(value, want):
        return ""
    return f"{call.name}: {name} is {told({'equals': value})}, wanted {told(want)}"


def _in_order(wanted: Sequence[CallPattern], given: Sequence[ReadCall]) -> int:
    """How many of the wanted are found one after the other; others may stand between."""
    rest, matched = iter(given), 0
    for pattern in wanted:
        if not any(not call_break(pattern, call) for call in rest):
            break
        matched += 1
    return matched


def _matching(wanted: Sequence[CallPattern], given: Sequence[ReadCall]) -> int:
    """The most patterns that can each have a call of their own (augmenting paths)."""
    fits = [[place for place, call in enumerate(given) if not call_break(one, call)] for one in wanted]
    owner: dict[int, int] = {}

    def place_of(pattern: int, seen: set[int]) -> bool:
        for place in fits[pattern]:
            if place in seen:
                continue
            seen.add(place)
            if place not in owner or place_of(owner[place], seen):
                owner[place] = pattern
                return True
        return False

    return sum(place_of(pattern, set()) for pattern in range(len(wanted)))


def _why_not(wanted: Sequence[CallPattern], given: Sequence[ReadCall], *, is_in_order: bool) -> str:
    for number, pattern in enumerate(wanted):
        breaks = [call_break(pattern, call) for call in given]
        if all(breaks):
            # Of a call in its own place, else of one of the same name, the reason says most.
            own = breaks[number] if number < len(breaks) else breaks[0]
            named = (why for why, call in zip(breaks, given, strict=True) if _has_name(pattern, call))
            return next(named, own)
    order = "in another order" if is_in_order else "not each by a call of its own"
    return f"the wanted calls are there {order}: {told_calls(given)}"


def _has_name(pattern: CallPattern, call: ReadCall) -> bool:
    return pattern.name is None or meets(call.name, pattern.name)


def _patterns(wanted: Sequence[CallPattern]) -> str:
    return ", ".join(told(one.name) if one.name is not None else "any tool" for one in wanted)


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


_Measured = tuple[Callable[[CaseRollout], float | None], str]
LIMITS: Final[Mapping[str, _Measured]] = {
    "fixes_at_most": (lambda played: len(played.fixes), "fixes"),
    "rounds_at_most": (lambda played: len(played.completions), "rounds"),
    "seconds_at_most": (lambda played: played.seconds, "seconds"),
    "tokens_at_most": (lambda played: played.completion_tokens, "tokens written"),
    "prompt_tokens_at_most": (lambda played: played.prompt_tokens, "prompt tokens"),
    "cost_at_most": (lambda played: played.cost, "US dollars"),
}
"""Kind of expectation to what is measured, and its unit."""


def score_limit(one: Expectation, played: CaseRollout) -> Answer:
    """Whether what was measured is within the bound; a cost that is not known is not."""
    measure, unit = LIMITS[one.kind]
    most = cast(float, getattr(one, one.kind))
    value = measure(played)
    if value is None:
        return False, f"the {unit} are not known: the model has no price"
    return value <= most, f"{value:g} {unit}, at most {most:g}"


_QUESTION_MARKS: Final = ("?", "？", "؟")
_LONGEST_SHOWN: Final = 60


def score_asks(wanted: "Literal[True] | str", played: CaseRollout) -> Answer:
    """Nothing is called, and the answer asks, about what `wanted` finds where it is a pattern."""
    holds, reason = score_no_call(played)
    if not holds:
        return False, f"it asks nothing: {reason}"
    answer = played.answer
    if not any(mark in answer for mark in _QUESTION_MARKS):
        return False, f"no question in {_shown(answer)}"
    if isinstance(wanted, str) and not _finds(wanted, answer):
        return False, f"it asks, and not about /{wanted}/: {_shown(answer)}"
    return True, f"it asks: {_shown(answer)}"


def score_contains(wanted: str | list[str], played: CaseRollout) -> Answer:
    """The answer has each of the texts, whatever the case of letters."""
    answer = played.answer
    for text in [wanted] if isinstance(wanted, str) else wanted:
        if text.casefold() not in answer.casefold():
            return False, f"{text!r} is not in {_shown(answer)}"
    return True, f"{wanted!r} is in the answer"


def score_matches(pattern: str, played: CaseRollout) -> Answer:
    """The pattern is found in the answer."""
    answer = played.answer
    return _finds(pattern, answer), f"/{pattern}/ in {_shown(answer)}"


def score_answer_schema(schema: JsonObject, played: CaseRollout) -> Answer:
    """The answer is JSON of the schema."""
    try:
        value = cast(JsonValue, json.loads(played.answer))
    except (ValueError, RecursionError):
        return False, f"the answer is no JSON: {_shown(played.answer)}"
    broken = first_break(schema, value)
    return not broken, broken or "the answer holds the schema"


def _finds(pattern: str, text: str) -> bool:
    """Whether it is found; nothing is found by a pattern that cannot be run."""
    return not pattern_problem(pattern) and is_found(pattern, text)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…")
