"""Conditions on a value, used by mock rules and by expected arguments."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.near_names import nearest_name
from workbench.toolspec.budget import BudgetExceeded, spend
from workbench.toolspec.check import TOO_COSTLY, check_arguments, spec_errors
from workbench.toolspec.patterns import is_whole_match, pattern_problem
from workbench.toolspec.spec import ToolSpec, canonical_json


def first_violation(schema: JsonObject, value: JsonValue) -> str:
    """Describe the first violation of `schema` by `value`. Empty if `value` is valid.

    Raises:
        BudgetExceeded: The check takes too much work.
    """
    # `check_arguments` accepts any value; the schema decides what it must be.
    findings = check_arguments(_spec(canonical_json(schema)), cast(JsonObject, value))
    violation = next((finding.message for finding in findings if finding.severity is Severity.ERROR), "")
    if not violation and any(finding.code == TOO_COSTLY for finding in findings):
        raise BudgetExceeded("the schema")
    return violation


def schema_problem(schema: JsonObject) -> str:
    """Say why `schema` cannot be used to check values. Empty if it can."""
    wrapped: JsonObject = {"type": "object", "properties": {"value": schema}}
    findings = spec_errors(ToolSpec.of_function({"name": "value", "parameters": wrapped}))
    return findings[0].message if findings else ""


@lru_cache(maxsize=256)
def _spec(text: str) -> ToolSpec:
    return ToolSpec.of_function({"name": "value", "parameters": cast(JsonValue, json.loads(text))})


OPERATORS: Final = ("equals", "regex", "any_of", "subset", "schema")
"""An object with one of these as its only key is a condition. Any other value means equality."""
ALL_ARGUMENTS: Final = "$arguments"
"""The name for a condition on all arguments together."""
_LONGEST_SHOWN: Final = 60
_NEAR_OPERATOR: Final = 0.85
"""How similar a key must be to an operator. `regexp` is; `one_of`, `scheme` and `any` may be keys of objects."""


def holds(when: JsonObject, arguments: JsonObject) -> bool:
    """Return whether all conditions hold. A condition on a missing argument does not hold.

    Args:
        when: Maps each argument's name, or `$arguments`, to a condition or to the value that it must equal.
        arguments: The arguments of a call.

    Raises:
        BudgetExceeded: The current budget is used up.
    """
    return all(
        meets(arguments, condition)
        if name == ALL_ARGUMENTS
        else name in arguments and meets(arguments[name], condition)
        for name, condition in when.items()
    )


def condition_problem(condition: JsonValue) -> str:
    """Say why a condition cannot be used. Empty if it can."""
    operator, operand = _operator_and_operand(condition)
    if operator == "equals" and operand is condition and isinstance(condition, Mapping):
        return _near_operator(condition)
    if operator == "schema":
        return (
            schema_problem(cast(JsonObject, operand))
            if isinstance(operand, Mapping)
            else "`schema` must be an object"
        )
    if operator == "any_of":
        if not isinstance(operand, list | tuple) or not operand:
            return "`any_of` must be a list of values or conditions"
        choices = cast(Sequence[JsonValue], operand)
        problems = [condition_problem(choice) for choice in choices]
        return next((problem for problem in problems if problem), "")
    if operator != "regex":
        return ""
    if not isinstance(operand, str):
        return "`regex` must be a pattern in quotes"
    problem = pattern_problem(operand)
    return f"the pattern {operand[:30]!r}: {problem}" if problem else ""


def meets(value: JsonValue, condition: JsonValue) -> bool:
    """Return whether `value` meets a condition, or equals a plain value."""
    operator, operand = _operator_and_operand(condition)
    if operator == "regex":
        return _matches(value, str(operand))
    if operator == "any_of":
        return any(meets(value, choice) for choice in cast(Sequence[JsonValue], operand))
    if operator == "subset":
        return _is_part(operand, value)
    if operator == "schema":
        return not first_violation(cast(JsonObject, operand), value)
    return is_equal(value, operand)


def exactly(value: JsonValue) -> JsonValue:
    """Return a condition that only `value` meets. An object that looks like a condition needs `equals` around it.

    >>> exactly({"city": "Rome"}), exactly({"regex": "x"})
    ({'city': 'Rome'}, {'equals': {'regex': 'x'}})
    """
    _, operand = _operator_and_operand(value)
    is_plain = operand is value and not (isinstance(value, Mapping) and _near_operator(value))
    return value if is_plain else {"equals": value}


def describe_condition(condition: JsonValue) -> str:
    """Describe a condition or a plain value in words.

    >>> describe_condition({"any_of": ["metric", {"regex": "m.*"}]}), describe_condition(3)
    ('"metric" or a match of /m.*/', '3')
    """
    operator, operand = _operator_and_operand(condition)
    if operator == "regex":
        return f"a match of /{operand}/"
    if operator == "any_of":
        return " or ".join(map(describe_condition, cast(Sequence[JsonValue], operand)))
    if operator == "subset":
        return f"a value that contains {_shown(operand)}"
    if operator == "schema":
        return f"a value that matches the schema {_shown(operand)}"
    return _shown(operand)


def _shown(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False, default=list)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _operator_and_operand(condition: JsonValue) -> tuple[str, JsonValue]:
    if isinstance(condition, Mapping) and len(condition) == 1:
        operator, operand = next(iter(condition.items()))
        if operator in OPERATORS:
            return operator, operand
    return "equals", condition


def _near_operator(value: JsonObject) -> str:
    """Say that an object is almost a condition, such as `{"regexp": "x"}`. Empty if it is an ordinary object."""
    if len(value) > 1 and all(key in OPERATORS for key in value):
        return f"a condition has one key, not both {' and '.join(f'`{key}`' for key in value)}"
    key = next(iter(value)) if len(value) == 1 else ""
    near = nearest_name(key, OPERATORS, cutoff=_NEAR_OPERATOR)
    if not near:
        return ""
    return f"`{key}` is not a condition; did you mean `{near}`? For an object, write `equals: {{{key}: …}}`"


def _matches(value: JsonValue, pattern: str) -> bool:
    """Return whether all of `value` matches. Nothing matches a pattern that cannot be run."""
    return isinstance(value, str) and not pattern_problem(pattern) and is_whole_match(pattern, value)


def is_equal(left: JsonValue, right: JsonValue) -> bool:
    """Return whether two values are equal in JSON: true is not 1, and 1 is 1.0."""
    spend(1)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(is_equal(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(is_equal, left, right))
    return left == right


def _is_part(part: JsonValue, whole: JsonValue) -> bool:
    """Return whether `whole` contains `part`: keys of objects, and items of arrays in any order."""
    # Each item is compared with all others, so two long arrays take the product of their lengths.
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
