"""The keys of a call in JSON, and those that the called tool declares for its arguments."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from workbench.hermes.text.completion import KeyFinder, KeyStep
from workbench.toolspec.coerce import declared_names
from workbench.toolspec.spec import OfferedTools

NAME_KEYS: Final = ("name", "tool", "tool_name", "function_name")
"""Keys of the tool's name; the first one is correct."""
ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "params", "input")
"""Keys of the arguments; the first one is correct."""
WRAPPERS: Final = ("function", "function_call")
"""Keys of a call inside another object."""


def declared_keys(tools: OfferedTools | None) -> KeyFinder | None:
    """Return what finds the declared keys in the JSON of a call. None if no tools are known.

    In `{"name": "who", "arguments": {"city": "Oslo, "sex": "f"}}`, they are the parameters of `who`. If the name comes
    after the arguments, they are those of all tools.
    """
    return partial(_declared_keys, tools) if tools is not None else None


def _declared_keys(tools: OfferedTools, steps: Sequence[KeyStep]) -> frozenset[str]:
    place = 0
    while place + 1 < len(steps) and (steps[place].key in WRAPPERS or isinstance(steps[place].key, int)):
        place += 1
    members, key = steps[place]
    names = [members[alias] for alias in NAME_KEYS if alias in members] or [key]
    bare = [str(name).strip().removeprefix("functions.") for name in names]
    specs = [tools.by_name[name] for name in bare if name in tools.by_name]
    if place + 1 == len(steps):
        return frozenset[str](ARGUMENT_KEYS).union(*(spec.properties for spec in specs))
    has_arguments = key in ARGUMENT_KEYS or key in tools.by_name
    if not members.keys() & frozenset(NAME_KEYS) and not specs:
        specs = list(tools.specs) if has_arguments else []
    path = tuple(step.key for step in steps[place + has_arguments : -1])
    return frozenset[str]().union(*(declared_names(spec.parameters, path) for spec in specs))
