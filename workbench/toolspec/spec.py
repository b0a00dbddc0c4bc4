"""Tool specs and the offered tools."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

from workbench.chat.cached import lockless_cached_property
from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.toolspec.normal_schema import NormalSchema, normal_schema


def canonical_json(value: JsonValue) -> str:
    """Write JSON with sorted keys and no white space, so that equal values give equal text.

    >>> canonical_json({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class ToolSpec:
    """The description of one tool for a model.

    *Source:* OpenAI's function tools, `{"type": "function", "function": {"name", "description", "parameters"}}`,
    https://platform.openai.com/docs/guides/function-calling

    >>> ToolSpec.of_function({"name": "now"}).name
    'now'
    """

    document: JsonObject = field(hash=False)
    """The whole spec with `type` and `function`. Keys are in the order written, and none are added or removed."""

    @staticmethod
    def of_function(function: JsonObject) -> "ToolSpec":
        """Return the spec that wraps a bare function object."""
        return ToolSpec(document={"type": "function", "function": function})

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: without the values cached on it, of which validators cannot be sent."""
        return {"document": self.document}

    @lockless_cached_property
    def function(self) -> JsonObject:
        """The bare function object, with `name`, `description` and `parameters`."""
        return as_object(self.document.get("function"))

    @lockless_cached_property
    def name(self) -> str:
        """The tool's name."""
        return str(self.function.get("name", ""))

    @lockless_cached_property
    def description(self) -> str:
        """The tool's description, or an empty text."""
        return str(self.function.get("description") or "")

    @lockless_cached_property
    def parameters(self) -> JsonObject:
        """JSON Schema of the arguments as it was written, or an empty object. Prompts show it."""
        return as_object(self.function.get("parameters"))

    @lockless_cached_property
    def normal(self) -> NormalSchema:
        """The schema of the arguments as it is read, with its draft and the repairs that were made."""
        return normal_schema(self.function.get("parameters", {}))

    @lockless_cached_property
    def schema(self) -> JsonObject:
        """JSON Schema of the arguments as it is read: without nulls, with types of JSON Schema and so on.

        Everything that checks, converts or constrains arguments uses it. The same object as `parameters` if nothing had
        to be changed.
        """
        return self.normal.schema

    @lockless_cached_property
    def properties(self) -> Mapping[str, JsonObject]:
        """JSON Schema of each declared parameter, in the order written, as it is read."""
        declared = as_object(self.schema.get("properties"))
        return {name: as_object(schema) for name, schema in declared.items()}

    @lockless_cached_property
    def required(self) -> tuple[str, ...]:
        """Names of the required parameters, as they are read."""
        names = self.schema.get("required")
        return tuple(str(name) for name in names) if isinstance(names, list | tuple) else ()


_Holder = TypeVar("_Holder")
_Computed = TypeVar("_Computed")


def cached_on(holder: _Holder, key: str, compute: Callable[[_Holder], _Computed]) -> _Computed:
    """Return a value that is computed from an object that never changes, once per object.

    Args:
        holder: The object, such as a spec, which stores the value next to its cached properties.
        key: Name of the value, which no other function uses.
        compute: Computes the value.
    """
    # Not `cast`: it is a call, and there are millions in the check of a data set.
    values: dict[str, Any] = holder.__dict__
    if key not in values:
        values[key] = compute(holder)
    computed: _Computed = values[key]
    return computed


@dataclass(frozen=True, kw_only=True)
class OfferedTools:
    """The tools that are offered to the model."""

    specs: tuple[ToolSpec, ...] = ()
    """In the order in which the model sees them. Names are unique."""
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    """What is unusual in the tools, and which ones were left out and why. Pointers lead into the list as written."""

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs, as `ToolSpec` does."""
        return {"specs": self.specs, "findings": self.findings}

    @lockless_cached_property
    def by_name(self) -> Mapping[str, ToolSpec]:
        """Each spec by its tool's name, in the same order."""
        return {spec.name: spec for spec in self.specs}

    @lockless_cached_property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the same order."""
        return tuple(spec.name for spec in self.specs)

    @lockless_cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the canonical JSON of all specs. Their order counts, but not the order of keys in a spec."""
        text = canonical_json([spec.document for spec in self.specs])
        return sha256(text.encode(errors="surrogatepass")).hexdigest()

    def only(self, names: frozenset[str]) -> "OfferedTools":
        """Return the tools whose names are in `names`, in the same order."""
        specs = tuple(spec for spec in self.specs if spec.name in names)
        return OfferedTools(specs=specs, findings=self.findings)
