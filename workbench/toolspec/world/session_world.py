"""The world of one session while its tools run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.conditions import first_violation, schema_problem
from workbench.toolspec.world.patches import (
    WorldPatch,
    copy_of_world,
    merged_world,
    patch_between,
    within,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredWorld:
    """The world that a toolset declares: with which value each session starts."""

    value: JsonValue = field(hash=False)
    schema: JsonObject | None = field(default=None, hash=False)
    """JSON Schema that the value matches after every call. None allows any value."""


NO_WORLDS: Mapping[str, DeclaredWorld] = {}
"""No toolset has a world."""


def declared_world(value: object, schema: JsonObject | None, *, where: str) -> DeclaredWorld:
    """Check the world of a toolset.

    Raises:
        BadInput: The value is not JSON, is too large or violates the schema, or the schema is invalid.
        BudgetExceeded: Checking the value takes too much work.
    """
    if schema is not None and (problem := schema_problem(schema)):
        raise BadInput(f"{where}, /world_schema", problem)
    world = DeclaredWorld(value=copy_of_world(value, f"{where}, /world"), schema=schema)
    if problem := _violation(world, world.value):
        raise BadInput(f"{where}, /world", f"it does not match `world_schema`: {problem}")
    return world


class SessionWorld:
    """The world of a session, which its calls change one after the other. A call that fails changes nothing.

    Args:
        value: The world so far, by toolset. It is never changed in place.
        declared: The worlds that the toolsets declare. The world of a toolset starts when a call needs it first.
    """

    def __init__(
        self, value: JsonObject | None = None, declared: Mapping[str, DeclaredWorld] = NO_WORLDS
    ) -> None:
        self.value: JsonObject = value or {}
        self._declared = declared

    def has(self, toolset: str) -> bool:
        """Whether the tools of a toolset have a world."""
        return toolset in self.value or toolset in self._declared

    def of(self, toolset: str) -> JsonValue:
        """Return the world of a toolset that has one. It must not be changed in place."""
        return self.value[toolset] if toolset in self.value else self._declared[toolset].value

    def change(self, toolset: str, after: object, patch: WorldPatch | None = None) -> WorldPatch:
        """Replace the world of a toolset, and return the patch of the session's world. On an error, nothing changes.

        Args:
            after: The new world.
            patch: What leads to it from the world before, if it is known; None compares the two.

        Raises:
            BadInput: The new world is not JSON, is too large, or violates its schema.
            BudgetExceeded: Checking it takes too much work.
        """
        new = cast(JsonObject, copy_of_world({**self.value, toolset: after}, f"the world of {toolset!r}"))
        value = new[toolset]
        declared = self._declared.get(toolset)
        if declared and (problem := _violation(declared, value)):
            raise BadInput(f"the world of {toolset!r}", f"it would no longer match its schema: {problem}")
        changes = patch_between(self.of(toolset), value) if patch is None else patch
        if not changes:
            return ()
        if toolset not in self.value:
            changes = ({"op": "add", "path": "", "value": self.of(toolset)}, *changes)
        stored = within(toolset, changes)
        self.value = {**self.value, toolset: value}
        return stored


def changed_worlds(declared: Mapping[str, DeclaredWorld], changes: JsonObject) -> Mapping[str, DeclaredWorld]:
    """Return worlds that start with other values. A toolset without a world gets one.

    Args:
        changes: A JSON Merge Patch of all worlds by toolset, such as the `world` of a case.

    Raises:
        BadInput: A world is too large, or violates its schema.
        BudgetExceeded: Checking a world takes too much work.
    """
    changed = dict(declared)
    for name, change in changes.items():
        before = declared.get(name)
        value = merged_world(before.value if before else {}, change)
        changed[name] = declared_world(value, before.schema if before else None, where=f"world of {name!r}")
    return changed


def checked_worlds(worlds: JsonObject, declared: Mapping[str, DeclaredWorld]) -> JsonObject:
    """Return a copy of the world of a session, by toolset.

    Raises:
        BadInput: It is too large, or a part of it violates the schema of its toolset.
        BudgetExceeded: Checking it takes too much work.
    """
    for name, value in worlds.items():
        if name in declared and (problem := _violation(declared[name], value)):
            raise BadInput(f"the world of {name!r}", f"it does not match its schema: {problem}")
    return cast(JsonObject, copy_of_world(worlds))


def _violation(world: DeclaredWorld, value: JsonValue) -> str:
    if world.schema is None:
        return ""
    with budget(REQUEST_STEPS):
        return first_violation(world.schema, value)
