"""Vary a conversation: other identifiers in its world, another opening, another manner.

Everything that names the same thing is changed together: the world, the facts of the person, the solution and what is
expected. Example: with O-101 as O-736 everywhere, "cancel O-101" becomes "cancel O-736", in a shop that has O-736.
Whether a variation can still be solved is not known until its solution was run.
"""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.suite.case import Case
from workbench.suite.people.person import Manner

_IDENTIFIER: Final = re.compile(r"[A-Za-z]{1,4}-?\d{2,}|[\w.]+@[\w.]+")
"""What may be another value without another meaning: `O-101`, `HW210`, `ana@example.org`."""
_NAMES: Final = ("eva", "noah", "mara", "ivo", "lina", "otto", "zoe", "emil", "nina", "jan", "ida", "paul")
_OPENINGS: Final = ("", "Hi! ", "Hello, ", "Good morning. ", "Excuse me: ", "Hey, ")
_FREE: Final = (Manner.PLAIN, Manner.TERSE, Manner.CHATTY)
"""Manners that any person can have."""


def varied_case(case: Case, start: JsonObject, *, declared: JsonObject, number: int, seed: int) -> JsonObject:
    """Return a variation of a case as the document of a case.

    Args:
        case: A case with a person.
        start: The world that it starts with, by toolset.
        declared: The world that its toolsets declare, which the `world` of the variation changes.
        number: Number of the variation, from 1. Each has other values.
    """
    key = f"{seed} {case.key} {number}"
    names = {old: _other(old, f"{key} {old}") for old in sorted(set(_identifiers(start)))}
    document = cast(dict[str, Any], _renamed(case.document, names))
    changed = cast(JsonObject, _renamed(start, names))
    if world := _merge_patch(declared, changed):
        document["world"] = world
    person = cast(dict[str, Any], document["user"])
    if person.get("manner", Manner.PLAIN) in _FREE:
        person["manner"] = _pick(_FREE, f"{key} manner").value
    if person.get("first"):
        person["first"] = _pick(_OPENINGS, f"{key} opening") + str(person["first"])
    document["id"] = f"{case.id}-v{number}"
    document.pop("filled_from", None)
    return document


def _identifiers(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        if _IDENTIFIER.fullmatch(value):
            yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _identifiers(name)
            yield from _identifiers(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _identifiers(inner)


def _other(old: str, key: str) -> str:
    """Return another identifier of the same form."""
    number = int(sha256(key.encode()).hexdigest()[:12], 16)
    if "@" in old:
        return f"{_NAMES[number % len(_NAMES)]}{number % 97}@{old.partition('@')[2]}"
    digits = re.sub(r"\D", "", old)
    # No leading zero, and as many digits as before.
    low = 10 ** (len(digits) - 1)
    return old.replace(digits, str(low + number % (9 * low)))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a JSON value with identifiers replaced in all of its texts, as whole words."""
    if not names:
        return value
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
    return json.loads(pattern.sub(lambda match: names[match[0]], json.dumps(value, ensure_ascii=False)))


def _merge_patch(before: JsonValue, after: JsonValue) -> JsonObject:
    """Return the JSON Merge Patch that makes one object from another. *Source:* RFC 7396."""
    old, new = cast(JsonObject, before), cast(JsonObject, after)
    patch: dict[str, JsonValue] = {name: None for name in old if name not in new}
    for name, value in new.items():
        if isinstance(value, Mapping) and isinstance(old.get(name), Mapping):
            if inner := _merge_patch(old[name], value):
                patch[name] = inner
        elif name not in old or old[name] != value:
            patch[name] = value
    return patch


def _pick(choices: tuple[Any, ...], key: str) -> Any:
    return choices[int(sha256(key.encode()).hexdigest()[:8], 16) % len(choices)]
