"""Parse, check and write the files `tools_catalog/*.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from workbench.chat.json_value import JsonObject, JsonValue, pointer
from workbench.errors import BadInput
from workbench.toolbox.catalog_form import (
    RuleFile,
    StepFile,
    ToolFile,
    ToolsetFile,
    WorldFile,
    rule_fields,
    tool_problems,
    uses_world,
)
from workbench.toolbox.mocks import MockRule
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.check import spec_errors
from workbench.toolspec.form_faults import first_fault
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.world.effects import Effect, EffectKind
from workbench.toolspec.world.session_world import DeclaredWorld, declared_world
from workbench.toolspec.yaml_text import dump_yaml, load_yaml

_File = TypeVar("_File", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTool:
    """A tool without code, which answers by mock rules."""

    spec: ToolSpec
    rules: tuple[MockRule, ...] = ()
    """The first rule that matches answers."""
    returns: JsonObject | None = field(default=None, hash=False)
    """JSON Schema of results, or None if any result is valid."""
    emoji: str = ""
    """Icon on the page; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogToolset:
    """The content of one file of the catalog."""

    name: str
    description: str = ""
    """One line for people."""
    tools: tuple[CatalogTool, ...] = ()
    """In the order of the file. Empty if the toolset only includes others."""
    includes: tuple[str, ...] = ()
    """Names of other toolsets whose tools belong to this one, too."""
    include_tools: tuple[str, ...] = ()
    """Names of tools of other toolsets that belong to this one, too."""
    world: DeclaredWorld | None = None
    """What its tools read and change, in each session from the start. None if they have nothing to change."""


def load_toolset(path: Path) -> CatalogToolset:
    """Read and parse a file of the catalog.

    Raises:
        BadInput: The file cannot be read or parsed; see `parse_toolset`.
    """
    where = f"catalog {path.name}"
    if not path.is_file():
        raise BadInput(where, "it is not a file, or it is a link to something else")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(where, " ".join(str(error).split())) from error
    return parse_toolset(text, where=where)


def parse_toolset(text: str, *, where: str) -> CatalogToolset:
    """Parse the text of a catalog file.

    Args:
        text: YAML.
        where: Name of the file or toolset, for errors.

    Raises:
        BadInput: The text is not YAML, has wrong fields, or contains an invalid spec, condition, template or result.
    """
    file = _validated(ToolsetFile, _load_yaml(text, where), where)
    return CatalogToolset(
        name=file.toolset,
        description=file.description,
        tools=tuple(_tool(where, tool) for tool in file.tools or ()),
        includes=tuple(file.includes),
        include_tools=tuple(file.include_tools),
        world=_world(where, file),
    )


def parse_world(text: str, *, where: str) -> DeclaredWorld | None:
    """Parse the world of a toolset that is written separately from its tools. None if the text is empty.

    Args:
        text: YAML of an object with `world` and, if the world has a schema, `world_schema`.
        where: Name of the world, for errors.

    Raises:
        BadInput: The text is not YAML, or the world is invalid.
        BudgetExceeded: Checking it takes too much work.
    """
    return _declared(where, _validated(WorldFile, _load_yaml(text, where) or {}, where))


def _declared(where: str, file: WorldFile) -> DeclaredWorld | None:
    if "world" in file.model_fields_set:
        with budget(REQUEST_STEPS):
            return declared_world(file.world, file.world_schema, where=where)
    if file.world_schema is not None:
        raise BadInput(f"{where}, /world_schema", "there is no world", "add `world`")
    return None


def _world(where: str, file: ToolsetFile) -> DeclaredWorld | None:
    """Return the world of a toolset. Without one, no rule may need it."""
    if world := _declared(where, file):
        return world
    for tool in file.tools or ():
        for number, rule in enumerate(tool.mocks, start=1):
            if uses_world(rule):
                name = str(tool.function.get("name"))
                problem = f"mock rule {number} of {name!r} needs a world, and the toolset declares none"
                raise BadInput(where, problem, "add `world`")
    return None


def parse_tool(spec: ToolSpec, rules_text: str, *, where: str) -> CatalogTool:
    """Combine a spec with mock rules that are written separately from it.

    Args:
        rules_text: YAML or JSON: an object with `returns` and `mocks`, or only the list of rules.
        where: Name of the rules, for errors.

    Raises:
        BadInput: The rules are invalid.
    """
    fields = rule_fields(_load_yaml(rules_text, where))
    file = _validated(ToolFile, {**fields, "function": dict(spec.function)}, where)
    return _tool(where, file)


def render_toolset(toolset: CatalogToolset) -> str:
    """Write a toolset as the text of a catalog file. `parse_toolset` returns the same toolset."""
    value: dict[str, JsonValue] = {"toolset": toolset.name}
    if toolset.description:
        value["description"] = toolset.description
    if toolset.includes:
        value["includes"] = list(toolset.includes)
    if toolset.include_tools:
        value["include_tools"] = list(toolset.include_tools)
    value |= _world_fields(toolset.world)
    if toolset.tools:
        value["tools"] = [_tool_fields(tool) for tool in toolset.tools]
    return dump_yaml(value)


def render_world(world: DeclaredWorld | None) -> str:
    """Write the world of a toolset as YAML, empty if there is none. `parse_world` reads it."""
    return dump_yaml(_world_fields(world)) if world else ""


def _world_fields(world: DeclaredWorld | None) -> dict[str, JsonValue]:
    if world is None:
        return {}
    schema: dict[str, JsonValue] = {} if world.schema is None else {"world_schema": world.schema}
    return {**schema, "world": world.value}


def render_rules(tool: CatalogTool) -> str:
    """Write the rules of a tool, without its spec, as YAML. `parse_tool` reads it."""
    fields = {name: value for name, value in _tool_fields(tool).items() if name != "function"}
    return dump_yaml(fields or {"mocks": []})


def _load_yaml(text: str, where: str) -> Any:
    try:
        return load_yaml(text)
    except yaml.YAMLError as error:
        raise BadInput(where, " ".join(str(error).split())[:300]) from error


def _validated(kind: type[_File], loaded: Any, where: str) -> _File:
    try:
        return kind.model_validate(loaded)
    except ValidationError as error:
        place, problem = first_fault(error, kind)
        raise BadInput(f"{where}, {place}" if place else where, problem) from error


def _tool(where: str, tool: ToolFile) -> CatalogTool:
    spec = ToolSpec.of_function(tool.function)
    where = f"{where}, tool {spec.name!r}"
    for finding in spec_errors(spec):
        raise BadInput(f"{where}, {finding.pointer or '/'}", finding.message)
    for place, problem in tool_problems(tool):
        raise BadInput(f"{where}, {pointer(list(place))}", problem)
    rules = tuple(_rule(rule) for rule in tool.mocks)
    return CatalogTool(spec=spec, rules=rules, returns=tool.returns, emoji=tool.emoji)


def _rule(rule: RuleFile) -> MockRule:
    steps = tuple(_step(step) for step in rule.sequence or ())
    return MockRule(
        when=rule.when, result=rule.result, template=rule.template, error=rule.error, sequence=steps,
        latency_ms=rule.latency_ms, effects=_effects(rule),
    )  # fmt: skip


def _step(step: StepFile) -> MockRule:
    return MockRule(
        result=step.result, template=step.template, error=step.error, latency_ms=step.latency_ms,
        effects=_effects(step),
    )  # fmt: skip


def _effects(step: StepFile) -> tuple[Effect, ...]:
    return tuple(effect.effect for effect in step.effects)


def _tool_fields(tool: CatalogTool) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {"function": tool.spec.function}
    if tool.emoji:
        fields["emoji"] = tool.emoji
    if tool.returns is not None:
        fields["returns"] = tool.returns
    if tool.rules:
        fields["mocks"] = [_rule_fields(rule) for rule in tool.rules]
    return fields


def _rule_fields(rule: MockRule) -> Mapping[str, JsonValue]:
    fields: dict[str, JsonValue] = {"when": rule.when} if rule.when else {}
    if rule.effects:
        fields["effects"] = [_effect_fields(effect) for effect in rule.effects]
    if rule.sequence:
        fields["sequence"] = [_rule_fields(step) for step in rule.sequence]
    elif rule.error:
        fields["error"] = rule.error
    elif rule.template:
        fields["template"] = rule.template
    else:
        fields["result"] = rule.result
    if rule.latency_ms:
        fields["latency_ms"] = rule.latency_ms
    return fields


def _effect_fields(effect: Effect) -> Mapping[str, JsonValue]:
    if effect.kind is EffectKind.REMOVE:
        return {effect.kind.value: effect.place}
    return {
        effect.kind.value: effect.place,
        "by" if effect.kind is EffectKind.INCREMENT else "value": effect.value,
    }
