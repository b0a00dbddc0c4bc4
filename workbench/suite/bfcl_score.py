"""Match calls against possible answers by the rules of BFCL.

*Source:* `bfcl_eval/eval_checker/ast_eval/ast_checker.py` of the package `bfcl-eval` 2026.3.23
(https://pypi.org/project/bfcl-eval/), for Python functions. This follows its rules exactly, odd ones included, so that
a score means the same as there:

- Texts are compared without spaces and some punctuation, ignoring case: `"New York, NY"` equals `"new york ny"`.
- An integer is accepted as a float.
- An argument of another type than declared is accepted if a possible answer has that type. BFCL takes it for the name
  of a variable.
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, NamedTuple, cast

from workbench.hermes.reading import ReadCall
from workbench.suite.expectation import BfclAnswer

_TYPES: Final[Mapping[str, type]] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}
_NESTED: Final = ("array", "tuple")
_IGNORED: Final = re.compile(r"[ \,\.\/\-\_\*\^]")
_OPTIONAL: Final = ""

Possible = Sequence[Any]
"""Possible values of one argument. An empty text among them means that the argument is optional."""


class _TypeCheck(NamedTuple):
    problem: str
    """What is wrong with the type; empty if nothing is."""
    is_variable: bool = False
    """True if the value is taken for a variable, so that it must be exactly equal."""


def check_bfcl(answer: BfclAnswer, calls: Sequence[ReadCall]) -> str:
    """Return why the calls are not among the possible answers; empty if they are."""
    expected = answer.ground_truth
    if len(calls) != len(expected):
        return f"{len(calls)} calls, expected {len(expected)}"
    if not expected:
        return ""
    if answer.category == "parallel":
        return _check_parallel(answer, calls)
    first = answer.function[0] if answer.category == "simple" else _function(answer, next(iter(expected[0])))
    return _check_call(first, calls[0], expected[0])


def _check_parallel(answer: BfclAnswer, calls: Sequence[ReadCall]) -> str:
    """Check parallel calls: each possible answer takes the first remaining call that matches."""
    remaining = list(calls)
    for expected in answer.ground_truth:
        name = next(iter(expected))
        problems: list[str] = []
        for index, call in enumerate(remaining):
            problem = _check_call(_function(answer, name), call, expected)
            if not problem:
                # Deleted by index: `remove` would take an equal call, and 5 equals 5.0.
                del remaining[index]
                break
            problems.append(problem)
        else:
            return f"no call matches {name!r}: {problems[0]}"
    return ""


def _function(answer: BfclAnswer, name: str) -> Mapping[str, Any]:
    return next((function for function in answer.function if function.get("name") == name), {"name": name})


def _check_call(
    function: Mapping[str, Any], call: ReadCall, expected: Mapping[str, Mapping[str, Possible]]
) -> str:
    if call.name != function["name"]:
        return f"called {call.name!r}, expected {function['name']!r}"
    # BFCL does not convert `"3"` to the integer that the schema asks for. It compares types, so the values are plain.
    arguments = deepcopy(call.arguments if call.unconverted is None else call.unconverted)
    possible = next(iter(expected.values()))
    parameters = function.get("parameters", {})
    for name in parameters.get("required", ()):
        if name not in arguments:
            return f"{call.name}: argument {name!r} is missing"
    declared = parameters.get("properties", {})
    for name, value in arguments.items():
        if name not in declared or name not in possible:
            return f"{call.name}: unexpected argument {name!r}"
        if problem := _check_value(declared[name], value, possible[name]):
            return f"{call.name}: {name} is {value!r}, {problem}"
    for name, values in possible.items():
        if name not in arguments and _OPTIONAL not in values:
            return f"{call.name}: argument {name!r} is missing"
    return ""


def _check_value(declared: Mapping[str, Any], value: Any, possible: Possible) -> str:
    kind = str(declared.get("type"))
    expected = _TYPES.get(kind)
    nested = _TYPES.get(str(declared.get("items", {}).get("type"))) if kind in _NESTED else None
    if kind == "float" and type(value) is int:
        value = float(value)
    type_check = _check_type(value, possible, expected, nested)
    if type_check.problem:
        return type_check.problem
    if not type_check.is_variable:
        if expected is dict:
            return _check_object(value, possible)
        if expected is list and nested is dict:
            return _check_objects(value, possible)
        if expected is str:
            return "" if _normalized(value) in map(_normalized, possible) else _not_among(possible)
        if expected is list:
            lists = [[_normalized(item) for item in items] for items in possible]
            return "" if [_normalized(item) for item in value] in lists else _not_among(possible)
    return "" if value in possible else _not_among(possible)


def _check_type(value: Any, possible: Possible, expected: type | None, nested: type | None) -> _TypeCheck:
    first: type[Any] | None = next(
        (cast("type[Any]", type(candidate)) for candidate in possible if candidate != _OPTIONAL), None
    )
    is_variable = first is not None and first is not expected
    if type(value) is expected:
        if nested is None:
            return _TypeCheck("", is_variable)
        for candidate in possible:
            if not isinstance(candidate, list) or all(
                not _check_type(item, cast(Possible, candidate), nested, None).problem for item in value
            ):
                return _TypeCheck("", is_variable)
        return _TypeCheck("its items have a wrong type")
    if first is not None and type(value) is first:
        return _TypeCheck("", is_variable=True)
    return _TypeCheck(f"of type {type(value).__name__}")


def _check_object(value: Mapping[str, Any], possible: Possible) -> str:
    problem = "no possible value is an object"
    for candidate in possible:
        if candidate == _OPTIONAL:
            continue
        problem = _object_mismatch(value, candidate)
        if not problem:
            return ""
    return problem


def _object_mismatch(value: Mapping[str, Any], candidate: Mapping[str, Possible]) -> str:
    for key, inner in value.items():
        if key not in candidate:
            return f"unexpected key {key!r}"
        if _normalized(inner) not in [_normalized(item) for item in candidate[key]]:
            return f"{key}: {_not_among(candidate[key])}"
    for key, values in candidate.items():
        if key not in value and _OPTIONAL not in values:
            return f"key {key!r} is missing"
    return ""


def _check_objects(value: Sequence[Mapping[str, Any]], possible: Possible) -> str:
    problem = "no possible value is a list of objects"
    for candidate in possible:
        if len(value) != len(candidate):
            problem = "wrong number of objects"
            continue
        pairs = zip(value, candidate, strict=True)
        problem = next(filter(None, (_check_object(item, [expected]) for item, expected in pairs)), "")
        if not problem:
            return ""
    return problem


def _normalized(value: Any) -> Any:
    """Return a text as it is compared, and any other value unchanged."""
    return _IGNORED.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def _not_among(possible: Possible) -> str:
    shown = repr(list(possible))
    return f"expected one of {shown if len(shown) <= 100 else shown[:99] + '…'}"
