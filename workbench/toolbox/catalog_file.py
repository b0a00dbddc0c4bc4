"""Read, check and write the files `tools_catalog/*.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.toolbox.catalog_form import (
    RuleFile,
    StepFile,
    ToolFile,
    ToolsetFile,
    rule_fields,
    tool_problems,
)
from workbench.toolbox.mocks import MockRule
from workbench.toolspec.check import check_spec, pointer
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.yaml_text import dump_yaml, load_yaml

_File = TypeVar("_File", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTool:
    """A declarative tool."""

    spec: ToolSpec
    rules: tuple[MockRule, ...] = ()
    """Tried in order."""
    returns: JsonObject | None = field(default=None, hash=False)
    """JSON Schema of results; None where any will do."""
    emoji: str = ""
    """The tool's sign, for whoever shows one; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogToolset:
    """A file of the catalog."""

    name: str
    description: str = ""
    """One line for a person."""
    tools: tuple[CatalogTool, ...] = ()
    """In the file's order; none where it only includes others."""
    includes: tuple[str, ...] = ()
    """Toolsets whose tools it has too."""


def load_toolset(path: Path) -> CatalogToolset:
    """One file of the catalog.

    Raises:
        BadInput: It cannot be read; see `parse_toolset`.
    """
    where = f"catalog {path.name}"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(where, " ".join(str(error).split())) from error
    return parse_toolset(text, where=where)


def parse_toolset(text: str, *, where: str) -> CatalogToolset:
    """A toolset from the text of its file.

    Args:
        text: YAML.
        where: What it is called in an error.

    Raises:
        BadInput: It is no YAML, has wrong fields, or holds an unsound spec, condition, template or result.
    """
    file = _validated(ToolsetFile, _load_yaml(text, where), where)
    return CatalogToolset(
        name=file.toolset,
        description=file.description,
        tools=tuple(_tool(where, tool) for tool in file.tools or ()),
        includes=tuple(file.includes),
    )


def parse_tool(spec: ToolSpec, rules_text: str, *, where: str) -> CatalogTool:
    """A tool whose rules a person edits apart from its spec.

    Args:
        rules_text: YAML or JSON of `{"returns", "mocks"}`, or of the list of rules alone.
        where: What the rules are called in an error.

    Raises:
        BadInput: They cannot be used.
    """
    fields = rule_fields(_load_yaml(rules_text, where))
    file = _validated(ToolFile, {**fields, "function": dict(spec.function)}, where)
    return _tool(where, file)


def render_toolset(toolset: CatalogToolset) -> str:
    """The text of the toolset's file; reading it gives the same toolset."""
    value: dict[str, JsonValue] = {"toolset": toolset.name}
    if toolset.description:
        value["description"] = toolset.description
    if toolset.includes:
        value["includes"] = list(toolset.includes)
    if toolset.tools:
        value["tools"] = [_tool_fields(tool) for tool in toolset.tools]
    return dump_yaml(value)


def render_rules(tool: CatalogTool) -> str:
    """What a person edits beside the spec; `parse_tool` reads it."""
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
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{where}, {place}" if place else where, first["msg"]) from error


def _tool(where: str, tool: ToolFile) -> CatalogTool:
    spec = ToolSpec.of_function(tool.function)
    where = f"{where}, tool {spec.name!r}"
    for finding in check_spec(spec):
        raise BadInput(f"{where}, {finding.pointer or '/'}", finding.message)
    for place, problem in tool_problems(tool):
        raise BadInput(f"{where}, {pointer(list(place))}", problem)
    rules = tuple(_rule(rule) for rule in tool.mocks)
    return CatalogTool(spec=spec, rules=rules, returns=tool.returns, emoji=tool.emoji)


def _rule(rule: RuleFile) -> MockRule:
    steps = tuple(_step(step) for step in rule.sequence or ())
    return MockRule(
        when=rule.when, result=rule.result, template=rule.template, error=rule.error, sequence=steps,
        latency_ms=rule.latency_ms,
    )  # fmt: skip


def _step(step: StepFile) -> MockRule:
    return MockRule(result=step.result, template=step.template, error=step.error, latency_ms=step.latency_ms)


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
