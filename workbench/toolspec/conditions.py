"""Conditions on a value: the small language of mock rules and of expected arguments."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.budget import BudgetExceeded, spend
from workbench.toolspec.check import TOO_COSTLY, check_arguments, check_spec
from workbench.toolspec.patterns import is_whole_match, pattern_problem
from workbench.toolspec.spec import ToolSpec, canonical_json


def first_break(schema: JsonObject, value: JsonValue) -> str:
    """The first place where `value` breaks `schema`, for a person; empty where it holds.

    Raises:
        OverBudget: The check would take too much work.
    """
    # The check of arguments takes a value of any kind: its schema says what it must be.
    findings = check_arguments(_spec(canonical_json(schema)), cast(JsonObject, value))
    broken = next((one.message for one in findings if one.severity is Severity.ERROR), "")
    if not broken and any(one.code == TOO_COSTLY for one in findings):
        raise BudgetExceeded("the schema")
    return broken


def schema_problem(schema: JsonObject) -> str:
    """Why `schema` cannot be held against anything; empty where it can."""
    wrapped: JsonObject = {"type": "object", "properties": {"value": schema}}
    findings = check_spec(ToolSpec.of_function({"name": "value", "parameters": wrapped}))
    return findings[0].message if findings else ""


@lru_cache(maxsize=256)
def _spec(text: str) -> ToolSpec:
    return ToolSpec.of_function({"name": "value", "parameters": cast(JsonValue, json.loads(text))})


OPERATORS: Final = ("equals", "regex", "any_of", "subset", "schema")
"""An object with one of these as its only key is a condition; any other value must be equal."""
ALL_ARGUMENTS: Final = "$arguments"
"""The name under which a condition looks at all arguments at once."""
_LONGEST_SHOWN: Final = 60


def holds(when: JsonObject, arguments: JsonObject) -> bool:
    """Whether every condition of `when` holds; an argument that is not given holds none.

    Args:
        when: Argument's name, or `$arguments`, to the value that it must equal, or to a condition.

    Raises:
        OverBudget: The open budget is used up.
    """
    return all(
        meets(arguments, want)
        if name == ALL_ARGUMENTS
        else name in arguments and meets(arguments[name], want)
        for name, want in when.items()
    )


def condition_problem(want: JsonValue) -> str:
    """Why a condition cannot be used; empty where it can."""
    operator, operand = _parted(want)
    if operator == "schema":
        return (
            schema_problem(cast(JsonObject, operand))
            if isinstance(operand, Mapping)
            else "a schema is an object"
        )
    if operator == "any_of":
        if not isinstance(operand, list | tuple) or not operand:
            return "any_of is a list of values or conditions"
        wanted = cast(Sequence[JsonValue], operand)
        problems = [condition_problem(one) for one in wanted]
        return next((problem for problem in problems if problem), "")
    if operator != "regex":
        return ""
    if not isinstance(operand, str):
        return "regex is a pattern in quotes"
    problem = pattern_problem(operand)
    return f"the pattern {operand[:30]!r}: {problem}" if problem else ""


def meets(value: JsonValue, want: JsonValue) -> bool:
    """Whether `value` is what a condition, or a plain value, wants."""
    operator, operand = _parted(want)
    if operator == "regex":
        return _matches(value, str(operand))
    if operator == "any_of":
        return any(meets(value, one) for one in cast(Sequence[JsonValue], operand))
    if operator == "subset":
        return _is_part(operand, value)
    if operator == "schema":
        return not first_break(cast(JsonObject, operand), value)
    return is_equal(value, operand)


def told(want: JsonValue) -> str:
    """A condition, or a plain value, for a person.

    >>> told({"any_of": ["metric", {"regex": "m.*"}]}), told(3)
    ('"metric" or a match of /m.*/', '3')
    """
    operator, operand = _parted(want)
    if operator == "regex":
        return f"a match of /{operand}/"
    if operator == "any_of":
        return " or ".join(map(told, cast(Sequence[JsonValue], operand)))
    if operator == "subset":
        return f"something with {_shown(operand)} in it"
    if operator == "schema":
        return f"a value of the schema {_shown(operand)}"
    return _shown(operand)


def _shown(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False, default=list)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _parted(want: JsonValue) -> tuple[str, JsonValue]:
    if isinstance(want, Mapping) and len(want) == 1:
        operator, operand = next(iter(want.items()))
        if operator in OPERATORS:
            return operator, operand
    return "equals", want


def _matches(value: JsonValue, pattern: str) -> bool:
    """Whether all of `value` matches; nothing matches a pattern that cannot be run."""
    return isinstance(value, str) and not pattern_problem(pattern) and is_whole_match(pattern, value)


def is_equal(left: JsonValue, right: JsonValue) -> bool:
    """Equality as JSON has it: True is not 1, and 1 is 1.0."""
    spend(1)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(is_equal(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(is_equal, left, right))
    return left == right


def _is_part(part: JsonValue, whole: JsonValue) -> bool:
    """Whether `whole` has all of `part`: keys of objects, items of arrays in any order."""
    # Each item is looked for among all: two long arrays take the product of their lengths.
    spend(1)
    if isinstance(part, Mapping):
        return isinstance(whole, Mapping) and all(
            key in whole and _is_part(value, whole[key]) for key, value in part.items()
        )
    if isinstance(part, list | tuple):
        return isinstance(whole, list | tuple) and all(
            any(_is_part(item, other) for other in whole) for item in part
        )
    return is_equal(part, whole)
