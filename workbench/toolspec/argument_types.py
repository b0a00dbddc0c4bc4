"""What the schema of a tool allows for one argument: which types, and whether it accepts a value."""

from typing import Final, NamedTuple

from workbench.chat.json_value import JsonValue, pointer
from workbench.toolspec.check import check_arguments
from workbench.toolspec.coerce import ANY, argument_kinds
from workbench.toolspec.spec import ToolSpec, cached_on

_CACHE_KEY: Final = "_argument_types"


class ArgumentTypes(NamedTuple):
    """What a schema allows for one argument."""

    allowed: frozenset[str]
    """The JSON types. Empty if no value is valid."""
    is_untyped: bool = False
    """Whether the schema allows all types because it names none."""
    spec: ToolSpec | None = None
    """The tool, or None if every value of the allowed types is accepted."""
    name: str = ""

    def accepts(self, value: JsonValue) -> bool:
        """Return whether the schema of the argument accepts the value. Other arguments do not count."""
        if self.spec is None:
            return True
        place = pointer([self.name])
        return not any(
            finding.severity == "error" and f"{finding.pointer}/".startswith(f"{place}/")
            for finding in check_arguments(self.spec, {self.name: value})
        )


def types_of_argument(spec: ToolSpec | None, name: str) -> ArgumentTypes | None:
    """Return what `spec` allows for an argument, or None without a schema for it. It is cached on the spec.

    >>> spec = ToolSpec.of_function({"name": "f", "parameters": {"additionalProperties": {"type": "integer"}}})
    >>> sorted(types_of_argument(spec, "n").allowed), types_of_argument(None, "n")
    (['integer'], None)
    """
    if spec is None:
        return None
    known = cached_on(spec, _CACHE_KEY, _none_yet)
    if name not in known:
        if len(known) >= _MOST_NAMES:
            known.clear()
        kinds = argument_kinds(spec.schema, name)
        known[name] = None if kinds is None else ArgumentTypes(kinds - {ANY}, ANY in kinds, spec, name)
    return known[name]


_MOST_NAMES: Final = 1000
"""A model may invent any number of names."""


def _none_yet(_spec: ToolSpec) -> dict[str, ArgumentTypes | None]:
    return {}
