"""Generate a sample value from a JSON Schema."""

import string
import sys
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from random import Random
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object, value_at
from workbench.toolspec.budget import budget, spend

_DEEPEST: Final = 12
_VALUE_STEPS: Final = 10
_LARGEST: Final = sys.float_info.max
_WORDS: Final = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "iris", "juniper")
_FORMATS: Final[Mapping[str, Callable[[Random], str]]] = {
    "date": lambda random: f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
    "time": lambda random: f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:00Z",
    "date-time": lambda random: f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T12:00:00Z",
    "email": lambda random: f"{random.choice(_WORDS)}@example.org",
    "uri": lambda random: f"https://example.org/{random.choice(_WORDS)}",
    "hostname": lambda random: f"{random.choice(_WORDS)}.example.org",
    "ipv4": lambda random: f"192.0.2.{random.randint(1, 254)}",
    "uuid": lambda random: f"{random.getrandbits(32):08x}-0000-4000-8000-{random.getrandbits(48):012x}",
}


def sample(schema: JsonObject, random: Random) -> JsonValue:
    """Generate a value that has the types, bounds, choices and formats of `schema`.

    It ignores `pattern` and some combinations of schemas, so the value must be validated afterwards.

    Raises:
        BudgetExceeded: The value would be too large.

    >>> sample({"enum": ["one"]}, Random(0))
    'one'
    """
    with budget():
        return _sample(schema, schema, random, _DEEPEST)


def _sample(schema: JsonValue, root: JsonObject, random: Random, depth: int) -> JsonValue:
    spend(_VALUE_STEPS)
    if not isinstance(schema, Mapping) or depth == 0:
        return None
    if "const" in schema:
        return schema["const"]
    for keyword in ("enum", "examples", "anyOf", "oneOf"):
        if isinstance(choices := schema.get(keyword), list | tuple) and choices:
            chosen = random.choice(choices)
            return _sample(chosen, root, random, depth - 1) if keyword.endswith("Of") else chosen
    if "default" in schema:
        return schema["default"]
    if isinstance(reference := schema.get("$ref"), str):
        return _sample(value_at(root, reference.removeprefix("#")), root, random, depth - 1)
    if isinstance(parts := schema.get("allOf"), list | tuple):
        spend(len(parts) + sum(len(part) for part in parts if isinstance(part, Mapping)))
        merged = {key: value for part in parts if isinstance(part, Mapping) for key, value in part.items()}
        return _sample({**merged, "properties": _all_properties(parts)}, root, random, depth - 1)
    return _of_type(_kind(schema, random), schema, root, random, depth)


def _kind(schema: JsonObject, random: Random) -> str:
    named = schema.get("type")
    if isinstance(named, list | tuple) and named:
        return str(random.choice(named))
    if isinstance(named, str):
        return named
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def _of_type(kind: str, schema: JsonObject, root: JsonObject, random: Random, depth: int) -> JsonValue:
    if kind == "object":
        properties = as_object(schema.get("properties"))
        return {name: _sample(inner, root, random, depth - 1) for name, inner in properties.items()}
    if kind == "array":
        least = _whole(schema.get("minItems"), 1)
        size = random.randint(least, max(least, min(_whole(schema.get("maxItems"), least + 2), least + 2)))
        return [_sample(schema.get("items", {}), root, random, depth - 1) for _ in range(min(size, 100))]
    if kind == "boolean":
        return random.random() < 0.5
    if kind == "null":
        return None
    return _number(kind, schema, random) if kind in ("integer", "number") else _text(schema, random)


def _number(kind: str, schema: JsonObject, random: Random) -> JsonValue:
    step = _real(schema.get("multipleOf"), 1.0 if kind == "integer" else 0.0)
    low = _real(schema.get("minimum"), _real(schema.get("exclusiveMinimum"), 0.0))
    high = _real(schema.get("maximum"), _real(schema.get("exclusiveMaximum"), low + 100))
    value = low + (high - low) * (0.1 + 0.8 * random.random())
    try:
        value = round(value / step) * step if step else round(value, 2)
        return int(value) if kind == "integer" else value
    except (OverflowError, ValueError):
        # The range between the bounds is too large for a float.
        return int(low) if kind == "integer" and isfinite(low) else 0


def _text(schema: JsonObject, random: Random) -> str:
    generate = _FORMATS.get(str(schema.get("format")))
    text = generate(random) if generate else random.choice(_WORDS)
    least, most = _whole(schema.get("minLength"), 0), _whole(schema.get("maxLength"), 10_000)
    spend(min(least, 10_000))
    while len(text) < min(least, 10_000):
        text += random.choice(string.ascii_lowercase)
    return text[:most]


def _all_properties(parts: Sequence[JsonValue]) -> JsonObject:
    properties: dict[str, JsonValue] = {}
    for part in parts:
        if isinstance(part, Mapping) and isinstance(declared := part.get("properties"), Mapping):
            properties |= declared
    return properties


def _whole(value: JsonValue, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def _real(value: JsonValue, otherwise: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    return float(value) if abs(value) <= _LARGEST else otherwise
