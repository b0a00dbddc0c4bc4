"""Generate a sample value from a JSON Schema."""

import string
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from random import Random
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object, value_at
from workbench.toolspec.budget import BudgetExceeded, budget, spend
from workbench.toolspec.conditions import first_violation
from workbench.toolspec.pattern_examples import matching_text

_DEEPEST: Final = 12
_VALUE_STEPS: Final = 10
_ATTEMPTS: Final = 20
"""How many values are generated until one fits."""
_COMBINED: Final = frozenset({"anyOf", "oneOf", "$ref", "allOf", "if", "then", "else"})
"""Keywords that name further schemas for the same value."""
_LARGEST: Final = sys.float_info.max
_WORDS: Final = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "iris", "juniper")
_FORMATS: Final[Mapping[str, Callable[[Random], str]]] = {
    "date": lambda random: f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
    "time": lambda random: f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:00Z",
    "date-time": lambda random: f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T12:00:00Z",
    "email": lambda random: f"{random.choice(_WORDS)}@example.org",
    "uri": lambda random: f"https://example.org/{random.choice(_WORDS)}",
    "hostname": lambda random: f"{random.choice(_WORDS)}.example.org",
    "duration": lambda random: f"PT{random.randint(1, 59)}M",
    "ipv6": lambda random: f"2001:db8::{random.randint(1, 9999):x}",
    "ipv4": lambda random: f"192.0.2.{random.randint(1, 254)}",
    "uuid": lambda random: f"{random.getrandbits(32):08x}-0000-4000-8000-{random.getrandbits(48):012x}",
}


def sample(schema: JsonObject, random: Random) -> JsonValue:
    """Generate a value that fits `schema`.

    The value is built from the types, bounds, choices, patterns and formats. What they cannot express alone, such as
    `not` or `dependentRequired`, is checked afterwards, and another value is generated if it does not fit. If none of
    them does, the last one is returned.

    Raises:
        BudgetExceeded: The value would be too large.

    >>> sample({"enum": ["one"]}, Random(0))
    'one'
    """
    value = None
    with budget():
        for attempt in range(_ATTEMPTS):
            value = _Sampler(schema, random, attempt).value(schema, _DEEPEST)
            try:
                if not first_violation(schema, value):
                    break
            except BudgetExceeded:
                # It takes too much work to check.
                break
    return value


@dataclass(frozen=True, slots=True)
class _Sampler:
    root: JsonObject
    random: Random
    attempt: int
    """From 0. The first attempt takes examples, defaults and all properties; later ones vary."""

    def value(self, schema: JsonValue, depth: int) -> JsonValue:
        spend(_VALUE_STEPS)
        if not isinstance(schema, Mapping) or depth == 0:
            return None
        if "const" in schema:
            return schema["const"]
        for keyword in ("enum", "examples"):
            choices = schema.get(keyword)
            if isinstance(choices, list | tuple) and choices and (keyword == "enum" or not self.attempt):
                return self.random.choice(choices)
        if parts := self._parts(schema):
            rest = {key: value for key, value in schema.items() if key not in _COMBINED}
            return self.value(_merged([rest, *parts]), depth - 1)
        if "default" in schema and not self.attempt:
            return schema["default"]
        return self._of_type(_kind(schema, self.random), schema, depth)

    def _parts(self, schema: JsonObject) -> list[JsonValue]:
        """Return the schemas that a value must fit as well: one of each choice, what is referred to, and all parts."""
        parts = list[JsonValue]()
        for keyword in ("anyOf", "oneOf"):
            if isinstance(choices := schema.get(keyword), list | tuple) and choices:
                parts.append(self.random.choice(choices))
        if isinstance(reference := schema.get("$ref"), str):
            parts.append(value_at(self.root, reference.removeprefix("#")))
        if isinstance(every := schema.get("allOf"), list | tuple):
            parts.extend(every)
        if self.attempt and isinstance(schema.get("if"), Mapping):
            # Every second attempt fits the condition and what follows from it.
            parts.extend(
                [schema["if"], schema.get("then", {})] if self.attempt % 2 else [schema.get("else", {})]
            )
        return parts

    def _of_type(self, kind: str, schema: JsonObject, depth: int) -> JsonValue:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "null":
            return None
        if kind in ("integer", "number"):
            return _number(kind, schema, self.random)
        return _text(schema, self.random, spare=self.attempt)

    def _object(self, schema: JsonObject, depth: int) -> JsonValue:
        properties, required = as_object(schema.get("properties")), schema.get("required")
        needed = (
            [name for name in required if isinstance(name, str)] if isinstance(required, list | tuple) else []
        )
        others = schema.get("additionalProperties", {})
        declared = {**properties, **{name: others for name in needed if name not in properties}}
        return {
            name: self.value(inner if isinstance(inner, Mapping) else {}, depth - 1)
            for name, inner in declared.items()
            if name in needed or (depth > 2 and (self.attempt < 2 or self.random.random() < 0.5))
        }

    def _array(self, schema: JsonObject, depth: int) -> JsonValue:
        least = _whole(schema.get("minItems"), 1)
        size = self.random.randint(
            least, max(least, min(_whole(schema.get("maxItems"), least + 2), least + 2))
        )
        first = schema.get("prefixItems")
        fixed = [*first] if isinstance(first, list | tuple) else []
        fixed += [schema["contains"]] if "contains" in schema else []
        inner = [*fixed, *[schema.get("items", {})] * min(size, 100)][: max(min(size, 100), len(fixed))]
        items = list[JsonValue]()
        for wanted in inner:
            item = self.value(wanted, depth - 1)
            for _ in range(_ATTEMPTS if schema.get("uniqueItems") is True and item in items else 0):
                item = self.value(wanted, depth - 1)
                if item not in items:
                    break
            items.append(item)
        return items


def _merged(parts: Sequence[JsonValue]) -> JsonObject:
    """Return one schema with the keywords of all parts: their properties and required names, and the last of others."""
    known = [part for part in parts if isinstance(part, Mapping)]
    spend(sum(len(part) for part in known))
    merged = {key: value for part in known for key, value in part.items()}
    names = [part["required"] for part in known if isinstance(part.get("required"), list | tuple)]
    if names:
        merged["required"] = [name for listed in names for name in cast("Sequence[JsonValue]", listed)]
    properties: dict[str, JsonValue] = {}
    for part in known:
        for name, inner in as_object(part.get("properties")).items():
            properties[name] = {"allOf": [properties[name], inner]} if name in properties else inner
    # Several parts may have combinations of their own.
    for keyword in ("anyOf", "oneOf", "allOf"):
        lists = [part[keyword] for part in known if isinstance(part.get(keyword), list | tuple)]
        if len(lists) > 1:
            merged["allOf"] = [{keyword: listed} for listed in lists]
            merged.pop(keyword if keyword != "allOf" else "", None)
    return {**merged, "properties": properties} if properties else merged


def _kind(schema: JsonObject, random: Random) -> str:
    named = schema.get("type")
    if isinstance(named, list | tuple) and named:
        return str(random.choice(named))
    if isinstance(named, str):
        return named
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def _number(kind: str, schema: JsonObject, random: Random) -> JsonValue:
    step = _real(schema.get("multipleOf"), 1.0 if kind == "integer" else 0.0)
    most = _real(schema.get("maximum"), _real(schema.get("exclusiveMaximum"), 100.0))
    low = _real(schema.get("minimum"), _real(schema.get("exclusiveMinimum"), min(0.0, most - 100)))
    high = _real(schema.get("maximum"), _real(schema.get("exclusiveMaximum"), low + 100))
    value = low + (high - low) * (0.1 + 0.8 * random.random())
    try:
        value = round(value / step) * step if step else round(value, 2)
        return int(value) if kind == "integer" else value
    except (OverflowError, ValueError):
        # The range between the bounds is too large for a float.
        return int(low) if kind == "integer" and isfinite(low) else 0


def _text(schema: JsonObject, random: Random, *, spare: int) -> str:
    generate = _FORMATS.get(str(schema.get("format")))
    pattern = schema.get("pattern")
    found = matching_text(pattern, random.randrange, spare=spare) if isinstance(pattern, str) else None
    if found is not None:
        return found
    text = generate(random) if generate else random.choice(_WORDS)
    least, most = _whole(schema.get("minLength"), 0), _whole(schema.get("maxLength"), 10_000)
    spend(min(least, 10_000))
    while len(text) < min(least, 10_000):
        text += random.choice(string.ascii_lowercase)
    return text[:most]


def _whole(value: JsonValue, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def _real(value: JsonValue, otherwise: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    return float(value) if abs(value) <= _LARGEST else otherwise
