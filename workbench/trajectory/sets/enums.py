"""Find which of the values that a schema lists for a parameter calls really use."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.hermes.spelling.tools import template_json
from workbench.toolspec.spec import OfferedTools, ToolSpec, cached_on

# Keys of a dictionary, as an ordered set: their order decides in which order values are listed.
_BRANCHES: Final = {"anyOf": None, "oneOf": None, "allOf": None}.keys()
"""Keywords of a schema with others inside, such as `{"anyOf": [{"enum": ["a"]}, {"type": "null"}]}`."""
_BOOLEAN: Final = ("true", "false")
_DEEPEST: Final = 3
"""How many of these keywords are followed inside each other."""


class EnumValue(NamedTuple):
    """A value of a parameter with a closed set of values."""

    tool: str
    parameter: str
    """Its name, with `[]` if the values are those of an array's items."""
    value: str
    """As JSON text, so that `"1"`, `1` and `true` are different values."""


def enums_of(spec: ToolSpec) -> Mapping[str, tuple[str, ...]]:
    """Return the values that a tool declares, as JSON texts, by the name of the parameter as in `EnumValue`.

    A boolean parameter has the values `true` and `false`. Parameters inside objects are not looked at.
    """
    return cached_on(spec, "_enum_values", _enums_of)


def used_values(spec: ToolSpec, arguments: JsonObject) -> Iterator[EnumValue]:
    """Yield each declared value that a call uses, once. Values that are not declared are left out."""
    for parameter, declared in enums_of(spec).items():
        name = parameter.removesuffix("[]")
        if name not in arguments:
            continue
        given = arguments[name]
        if isinstance(given, list) and name != parameter:
            texts = dict.fromkeys(map(template_json, given))
        else:
            texts = (template_json(given),)
        for text in texts:
            if text in declared:
                yield EnumValue(spec.name, parameter, text)


MOST_PARAMETERS: Final = 5_000
"""Parameters that are counted, the first ones, so that rows with tools of their own need bounded memory."""


@dataclass(slots=True, kw_only=True)
class EnumCounts:
    """How often calls use each declared value."""

    parameters: dict[tuple[str, str], dict[str, int]] = field(
        default_factory=dict[tuple[str, str], dict[str, int]]
    )
    """Calls by value, by tool and parameter, in order of first occurrence. Values that no call uses have 0."""
    _tools: set[str] = field(default_factory=set[str])
    """Names of the tools with these parameters."""

    def declare(self, tools: OfferedTools) -> None:
        """Add the values that tools declare, with no calls."""
        for spec in tools.specs:
            if len(self.parameters) >= MOST_PARAMETERS and spec.name not in self._tools:
                continue
            for parameter, declared in enums_of(spec).items():
                self._declare(spec.name, parameter, declared)

    def add(self, values: Iterable[EnumValue]) -> None:
        """Count values that calls use. Their tools were declared."""
        for tool, parameter, value in values:
            counts = self.parameters.get((tool, parameter))
            if counts is not None:
                counts[value] += 1

    def to_json(self) -> list[JsonValue]:
        """Return the counts as JSON, those with the most unused values first."""
        ordered = sorted(self.parameters.items(), key=lambda item: _used_share(item[1]))
        return [
            {
                "tool": tool,
                "parameter": parameter,
                "used": sum(count > 0 for count in counts.values()),
                "values": [{"value": json.loads(value), "calls": count} for value, count in counts.items()],
            }
            for (tool, parameter), counts in ordered
        ]

    def _declare(self, tool: str, parameter: str, declared: Iterable[str]) -> None:
        counts = self.parameters.get((tool, parameter))
        if counts is None:
            if len(self.parameters) >= MOST_PARAMETERS:
                return
            self._tools.add(tool)
            counts = self.parameters[tool, parameter] = {}
        for value in declared:
            counts.setdefault(value, 0)


def _used_share(counts: Mapping[str, int]) -> float:
    return sum(count > 0 for count in counts.values()) / max(len(counts), 1)


def _enums_of(spec: ToolSpec) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, schema in as_object(spec.schema.get("properties")).items():
        fields = _resolved(as_object(schema), spec.schema)
        if values := _declared(fields, spec.schema):
            found[name] = values
        elif "items" in fields and (values := _declared(as_object(fields["items"]), spec.schema)):
            found[f"{name}[]"] = values
    return found


def _declared(schema: JsonObject, root: JsonObject, depth: int = 0) -> tuple[str, ...]:
    schema = _resolved(schema, root)
    listed = schema.get("enum")
    if isinstance(listed, list):
        return tuple(dict.fromkeys(map(template_json, listed)))
    if schema.get("type") == "boolean":
        return _BOOLEAN
    if depth == _DEEPEST or _BRANCHES.isdisjoint(schema):
        return ()
    branches = [as_object(branch) for key in _BRANCHES for branch in _listed(schema.get(key))]
    return tuple(dict.fromkeys(value for branch in branches for value in _declared(branch, root, depth + 1)))


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow a `$ref` to a definition of the same schema, as Pydantic writes enums; any other is left as it is."""
    if "$ref" not in schema:
        return schema
    reference = schema["$ref"]
    folder, _, name = reference.rpartition("/") if isinstance(reference, str) else ("", "", "")
    if folder not in ("#/$defs", "#/definitions"):
        return schema
    return as_object(as_object(root.get(folder.removeprefix("#/"))).get(name))


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
