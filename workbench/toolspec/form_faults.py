"""Describe in plain words why a file does not have the form of its Pydantic model.

Pydantic's own texts, such as "Extra inputs are not permitted" and "Value error, …", are written for programmers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError

from workbench.chat.near_names import did_you_mean, nearest_name

_UNKNOWN: Final = "extra_forbidden"
_MISSING: Final = "missing"
_MUST_BE: Final = "must be "
_KINDS: Final[Mapping[str, str]] = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "mapping": "an object",
    "model": "an object",
    "dataclass": "an object",
    "none_required": "null",
}
"""What a value must be, by the first part of the type of Pydantic's error, such as `int_parsing`."""
_LIMITS: Final[Mapping[str, str]] = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "string_too_long": "at most {max_length} characters long",
    "literal_error": "{expected}",
    "enum": "{expected}",
}


class FormFault(NamedTuple):
    """A place in a file that does not have the form of the file."""

    place: tuple[str | int, ...]
    """Keys and indexes that lead to the value. For an unknown or missing key, the key is the last part."""
    problem: str


def form_faults(
    error: ValidationError, form: type[BaseModel] | None = None, *, also_known: Sequence[str] = ()
) -> tuple[FormFault, ...]:
    """Return the problems of a failed validation, one per place, with unknown keys first. There is at least one.

    A missing key is not reported if an unknown key is probably a misspelling of it.

    Args:
        form: The model that was validated. With None, the known keys are unknown, so none is suggested.
        also_known: Further keys that the outermost object may have.
    """
    unknown: dict[tuple[str | int, ...], str] = {}
    others: dict[tuple[str | int, ...], str] = {}
    meant: set[tuple[str | int, ...]] = set()
    missing: set[tuple[str | int, ...]] = set()
    for details in error.errors(include_url=False):
        place, kinds = _walk(form, details["loc"], is_key=details["type"] in (_UNKNOWN, _MISSING))
        if details["type"] == _UNKNOWN:
            known = [*_keys(kinds), *(also_known if len(place) == 1 else ())]
            key = str(place[-1])
            unknown.setdefault(place, _unknown_key(key, known))
            meant.add((*place[:-1], nearest_name(key, known)))
            continue
        if details["type"] == _MISSING:
            missing.add(place)
        problem = _problem(details["type"], details["msg"], details.get("ctx", {}), place)
        others[place] = _joined(others.get(place, ""), problem)
    places = [*unknown, *others]
    # A value of a union is checked against each of its types. If it has one of them inside, that is the type meant.
    faults = [
        FormFault(place, problem)
        for place, problem in (*unknown.items(), *others.items())
        if not (place in missing and place in meant)
        and not (problem.startswith(_MUST_BE) and any(_is_inside(other, place) for other in places))
    ]
    return tuple(faults)


def first_fault(error: ValidationError, form: type[BaseModel] | None = None) -> tuple[str, str]:
    """Return the place of the first problem, with dots between its parts, and the problem."""
    fault = form_faults(error, form)[0]
    return ".".join(map(str, fault.place)), fault.problem


def _is_inside(place: tuple[str | int, ...], outer: tuple[str | int, ...]) -> bool:
    return len(place) > len(outer) and place[: len(outer)] == outer


def _joined(earlier: str, problem: str) -> str:
    """Join what a value must be according to two types of a union. Otherwise the first problem is enough."""
    if not earlier:
        return problem
    if not (earlier.startswith(_MUST_BE) and problem.startswith(_MUST_BE)) or problem == earlier:
        return earlier
    return f"{earlier} or {problem.removeprefix(_MUST_BE)}"


def _unknown_key(key: str, known: Sequence[str]) -> str:
    otherwise = f"known keys: {', '.join(known)}" if known else ""
    hint = did_you_mean(key, known, otherwise=otherwise)
    return f"unknown key {key[:60]!r}" + (f"; {hint}" if hint else "")


def _problem(kind: str, message: str, context: Mapping[str, Any], place: tuple[str | int, ...]) -> str:
    if kind == _MISSING:
        return f"{str(place[-1])!r} is missing" if place else "it is missing"
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    if kind in ("too_short", "string_too_short"):
        least = context.get("min_length", 1)
        return "must not be empty" if least == 1 else f"must have at least {least} items"
    if kind in _LIMITS:
        return _MUST_BE + _LIMITS[kind].format_map(context)
    expected = _KINDS.get(kind, _KINDS.get(kind.partition("_")[0], ""))
    return _MUST_BE + expected if expected else re.sub(r"^Input should be ", _MUST_BE, message)


def _walk(
    form: type[BaseModel] | None, location: tuple[str | int, ...], *, is_key: bool
) -> tuple[tuple[str | int, ...], list[Any]]:
    """Return the place of a location in the file, and the types of the innermost object on the way.

    A location also has names of union types, such as `CountRange` in `("call_count", "CountRange", "at_lest")`. They
    are not part of the file.
    """
    if form is None:
        return location, []
    place: list[str | int] = []
    kinds: list[Any] = [form]
    for index, part in enumerate(location):
        if is_key and index == len(location) - 1:
            place.append(part)
            break
        inner = [found for kind in kinds for found in _inside(kind, part)]
        if inner:
            kinds = inner
            place.append(part)
    return tuple(place), kinds


def _inside(kind: Any, part: str | int) -> Iterator[Any]:
    """Yield the types that a value of type `kind` has under a key or index."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, declared in kind.model_fields.items():
            if part == (declared.alias or name):
                yield from _alternatives(declared.annotation)
        return
    arguments = get_args(kind)
    if get_origin(kind) is dict and isinstance(part, str):
        yield from _alternatives(arguments[1])
    elif get_origin(kind) in (list, tuple) and isinstance(part, int):
        yield from _alternatives(arguments[0])


def _alternatives(annotation: Any) -> Iterator[Any]:
    """Yield the types of a union, or the type itself."""
    members = get_args(annotation)
    if members and get_origin(annotation) not in (list, tuple, dict):
        for member in members:
            yield from _alternatives(member)
    else:
        yield annotation


def _keys(kinds: Sequence[Any]) -> list[str]:
    models = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return [declared.alias or name for model in models for name, declared in model.model_fields.items()]
