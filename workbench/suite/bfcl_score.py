"""Match calls against possible answers by the rules of BFCL.

*Source:* `bfcl_eval/eval_checker/ast_eval/ast_checker.py` of the package `bfcl-eval` 2026.3.23, for Python
functions. Its rules are kept to the letter, odd ones too, so that a score means what it means there: texts are
compared without blanks and some signs, whatever the case; an integer may stand for a float; an argument of
another type may stand for a variable where a right answer is of that type.
"""

import re
from collections.abc import Mapping, Sequence
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
_MAY_BE_LEFT_OUT: Final = ""

Right = Sequence[Any]
"""Right values of one argument; an empty text among them lets it be left out."""


class _Typed(NamedTuple):
    problem: str
    """What is wrong with the type; empty where nothing is."""
    is_variable: bool = False
    """True where the value is compared as it stands: it stands for a variable."""


def check_bfcl(answer: BfclAnswer, calls: Sequence[ReadCall]) -> str:
    """Why the calls are not among the right answers; empty where they are."""
    wanted = answer.ground_truth
    if len(calls) != len(wanted):
        return f"{len(calls)} calls, wanted {len(wanted)}"
    if not wanted:
        return ""
    if answer.category == "parallel":
        return _check_parallel(answer, calls)
    first = answer.function[0] if answer.category == "simple" else _function(answer, next(iter(wanted[0])))
    return _check_call(first, calls[0], wanted[0])


def _check_parallel(answer: BfclAnswer, calls: Sequence[ReadCall]) -> str:
    """Each right answer takes the first call that is left and fits."""
    left = list(calls)
    for wanted in answer.ground_truth:
        name = next(iter(wanted))
        problems: list[str] = []
        for place, call in enumerate(left):
            problem = _check_call(_function(answer, name), call, wanted)
            if not problem:
                # By its place: 5 and 5.0 are equal, and not the same answer.
                del left[place]
                break
            problems.append(problem)
        else:
            return f"no call is right for {name!r}: {problems[0]}"
    return ""


def _function(answer: BfclAnswer, name: str) -> Mapping[str, Any]:
    return next((one for one in answer.function if one.get("name") == name), {"name": name})


def _check_call(
    function: Mapping[str, Any], call: ReadCall, wanted: Mapping[str, Mapping[str, Right]]
) -> str:
    if call.name != function["name"]:
        return f"called {call.name!r}, wanted {function['name']!r}"
    right = next(iter(wanted.values()))
    parameters = function.get("parameters", {})
    for name in parameters.get("required", ()):
        if name not in call.arguments:
            return f"{call.name}: no argument {name!r}"
    declared = parameters.get("properties", {})
    for name, value in call.arguments.items():
        if name not in declared or name not in right:
            return f"{call.name}: argument {name!r} was not wanted"
        if problem := _check_value(declared[name], value, right[name]):
            return f"{call.name}: {name} is {value!r}: {problem}"
    for name, values in right.items():
        if name not in call.arguments and _MAY_BE_LEFT_OUT not in values:
            return f"{call.name}: no argument {name!r}"
    return ""


def _check_value(declared: Mapping[str, Any], value: Any, right: Right) -> str:
    kind = str(declared.get("type"))
    expected = _TYPES.get(kind)
    nested = _TYPES.get(str(declared.get("items", {}).get("type"))) if kind in _NESTED else None
    if kind == "float" and type(value) is int:
        value = float(value)
    typed = _check_type(value, right, expected, nested)
    if typed.problem:
        return typed.problem
    if not typed.is_variable:
        if expected is dict:
            return _check_object(value, right)
        if expected is list and nested is dict:
            return _check_objects(value, right)
        if expected is str:
            return "" if _plain(value) in map(_plain, right) else _not_among(right)
        if expected is list:
            among = [[_plain(item) for item in one] for one in right]
            return "" if [_plain(item) for item in value] in among else _not_among(right)
    return "" if value in right else _not_among(right)


def _check_type(value: Any, right: Right, expected: type | None, nested: type | None) -> _Typed:
    first: type[Any] | None = next(
        (cast("type[Any]", type(one)) for one in right if one != _MAY_BE_LEFT_OUT), None
    )
    is_variable = first is not None and first is not expected
    if type(value) is expected:
        if nested is None:
            return _Typed("", is_variable)
        for one in right:
            if not isinstance(one, list) or all(
                not _check_type(item, cast(Right, one), nested, None).problem for item in value
            ):
                return _Typed("", is_variable)
        return _Typed("its items are of a wrong type")
    if first is not None and type(value) is first:
        return _Typed("", is_variable=True)
    return _Typed(f"it is of type {type(value).__name__}")


def _check_object(value: Mapping[str, Any], right: Right) -> str:
    problem = "no right value is an object"
    for one in right:
        if one == _MAY_BE_LEFT_OUT:
            continue
        problem = _object_break(value, one)
        if not problem:
            return ""
    return problem


def _object_break(value: Mapping[str, Any], right: Mapping[str, Right]) -> str:
    for key, inner in value.items():
        if key not in right:
            return f"key {key!r} was not wanted"
        if _plain(inner) not in [_plain(one) for one in right[key]]:
            return f"{key}: {_not_among(right[key])}"
    for key, values in right.items():
        if key not in value and _MAY_BE_LEFT_OUT not in values:
            return f"no key {key!r}"
    return ""


def _check_objects(value: Sequence[Mapping[str, Any]], right: Right) -> str:
    problem = "no right value is a list of objects"
    for one in right:
        if len(value) != len(one):
            problem = "wrong number of objects"
            continue
        pairs = zip(value, one, strict=True)
        problem = next(filter(None, (_check_object(item, [wanted]) for item, wanted in pairs)), "")
        if not problem:
            return ""
    return problem


def _plain(value: Any) -> Any:
    """A text as it is compared; any other value as it is."""
    return _IGNORED.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def _not_among(right: Right) -> str:
    shown = repr(list(right))
    return f"wanted one of {shown if len(shown) <= 100 else shown[:99] + '…'}"
