"""The variants of a tool: how parameters are named, nested and typed, and the arguments of a call."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.spec import ToolSpec
from workbench.training.everyday.spoken import DEFAULT, Slot, Spoken

_OWN_KEYS: Final = frozenset({"slot", "as", "object", "each", "about"})


class ToolForm(BaseModel):
    """A tool as a family writes it."""

    model_config = ConfigDict(extra="forbid")

    name: str
    about: str
    takes: dict[str, Any] = Field(default_factory=dict[str, Any])
    when: dict[str, str | int | float | bool] = Field(default_factory=dict[str, str | int | float | bool])


class ToolProblem(Exception):
    """A tool is not written correctly."""


@dataclass(frozen=True, kw_only=True)
class EverydayParam:
    """A parameter, or a member of a nested object."""

    name: str
    is_required: bool
    schema: JsonObject = field(hash=False)
    slot: str = ""
    """The slot of its value; empty for a nested object."""
    form: str = DEFAULT
    members: "tuple[EverydayParam, ...]" = ()
    """Members of a nested object, or of each object of an array."""

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots that its value is made of."""
        if self.slot:
            return frozenset({self.slot})
        return frozenset(slot for member in self.members for slot in member.slots)

    def lacking(self, present: Set[str]) -> frozenset[str]:
        """Return the slots without which the value is missing or incomplete."""
        if self.slot:
            return frozenset({self.slot} - present) if self.is_required else frozenset()
        if not self.is_required and not self.slots & present:
            return frozenset()
        return frozenset(slot for member in self.members for slot in member.lacking(present))

    def value(self, values: Mapping[str, Spoken]) -> JsonValue:
        """Return the value. At least one of its slots must have a value."""
        if self.slot and not self.members:
            return values[self.slot].forms[self.form]
        if self.slot:
            return [_filled(self.members, entry) for entry in values[self.slot].entries]
        return _filled(self.members, values)


def _filled(params: Sequence[EverydayParam], values: Mapping[str, Spoken]) -> dict[str, JsonValue]:
    return {param.name: param.value(values) for param in params if param.slots & values.keys()}


@dataclass(frozen=True, kw_only=True)
class EverydayTool:
    """A tool of a family."""

    spec: ToolSpec = field(hash=False)
    params: tuple[EverydayParam, ...]
    when: Mapping[str, JsonValue] = field(hash=False)
    """Default forms of slots for which this tool is right, and not another tool of its variant."""

    @property
    def name(self) -> str:
        """The name in calls."""
        return self.spec.name

    @cached_property
    def slots(self) -> frozenset[str]:
        """All slots of its parameters and conditions."""
        return frozenset(slot for param in self.params for slot in param.slots) | self.when.keys()

    def lacking(self, present: Set[str]) -> frozenset[str]:
        """Return the slots without which a call is not complete."""
        return frozenset(slot for param in self.params for slot in param.lacking(present))

    def arguments(self, values: Mapping[str, Spoken]) -> JsonObject:
        """Return the arguments of a call, in the order of the schema."""
        return _filled(self.params, values)


def build_tool(form: ToolForm, slots: Mapping[str, Slot]) -> EverydayTool:
    """Build a tool.

    Raises:
        ToolProblem: A parameter names an unknown slot or form, or is not written correctly.
    """
    try:
        params = _params(form.takes, slots)
    except ToolProblem as problem:
        raise ToolProblem(f"tool {form.name}: {problem}") from problem
    for slot, value in form.when.items():
        if slot not in slots:
            raise ToolProblem(f"tool {form.name}: `when` names the unknown slot {slot!r}")
        if slots[slot].pinned(value) is None:
            raise ToolProblem(f"tool {form.name}: slot {slot} has no value {value!r}, which `when` requires")
    return EverydayTool(spec=spec_of(form.name, form.about, params), params=params, when=form.when)


def spec_of(name: str, about: str, params: Sequence[EverydayParam]) -> ToolSpec:
    """Return the spec of a tool with these parameters."""
    return ToolSpec.of_function({"name": name, "description": about, "parameters": object_schema(params)})


def _params(takes: Mapping[str, Any], slots: Mapping[str, Slot]) -> tuple[EverydayParam, ...]:
    return tuple(_param(key, written, slots) for key, written in takes.items())


def _param(key: str, written: object, slots: Mapping[str, Slot]) -> EverydayParam:
    name, is_required = key.removesuffix("?"), not key.endswith("?")
    if isinstance(written, str):
        slot, _, form = written.partition(" as ")
        written = {"slot": slot, **({"as": form} if form else {})}
    if not isinstance(written, dict):
        raise ToolProblem(f"parameter {name}: write a slot, `slot as form`, or an object")
    entries = cast(dict[str, Any], written)
    keywords: JsonObject = {key: value for key, value in entries.items() if key not in _OWN_KEYS}
    about = str(entries.get("about", ""))
    if isinstance(members_form := entries.get("object"), dict):
        members = _params(cast(dict[str, Any], members_form), slots)
        schema = _described({**object_schema(members), **keywords}, about)
        return EverydayParam(name=name, is_required=is_required, schema=schema, members=members)
    slot = str(entries.get("slot", ""))
    if slot not in slots:
        raise ToolProblem(f"parameter {name}: unknown slot {slot!r}; known slots: {', '.join(slots)}")
    if isinstance(members_form := entries.get("each"), dict):
        members = _params(cast(dict[str, Any], members_form), slots[slot].entry_slots)
        items = object_schema(members)
        schema = _described({"type": "array", "items": items, **keywords}, about)
        return EverydayParam(name=name, is_required=is_required, schema=schema, slot=slot, members=members)
    if slots[slot].entry_slots:
        raise ToolProblem(f"parameter {name}: slot {slot} has entries; write `each: {{name: slot}}`")
    form = str(entries.get("as", DEFAULT))
    if form not in slots[slot].schemas:
        known = ", ".join(slots[slot].schemas)
        raise ToolProblem(
            f"parameter {name}: slot {slot} has no form {form!r} for all values; it has: {known}"
        )
    schema = _described({**slots[slot].schemas[form], **keywords}, about)
    if schema.get("enum") == "all":
        schema["enum"] = _all_values(name, slots[slot], form)
    if isinstance(items := schema.get("items"), dict) and items.get("enum") == "all":
        raise ToolProblem(f"parameter {name}: write the values of the enum of an array")
    return EverydayParam(name=name, is_required=is_required, schema=schema, slot=slot, form=form)


def _all_values(name: str, slot: Slot, form: str) -> list[JsonValue]:
    if not slot.pool:
        raise ToolProblem(f"parameter {name}: `enum: all` needs a slot whose values are written by hand")
    values: list[JsonValue] = []
    for spoken in slot.pool:
        if spoken.forms[form] not in values:
            values.append(spoken.forms[form])
    return values


def _described(schema: JsonObject, about: str) -> dict[str, JsonValue]:
    hint = str(schema.get("description", ""))
    text = ", ".join(part for part in (about, hint) if part)
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {**rest, "description": text} if text else rest


def object_schema(params: Sequence[EverydayParam]) -> JsonObject:
    """Return the schema of an object with these members."""
    properties: dict[str, JsonValue] = {param.name: param.schema for param in params}
    required: list[JsonValue] = [param.name for param in params if param.is_required]
    schema: dict[str, JsonValue] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema
