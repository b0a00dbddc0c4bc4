"""The form of `tools_catalog/*.yaml`: read, held to be sound, and written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.toolbox.mocking.conditions import condition_problem
from workbench.toolbox.mocking.schemas import first_break, schema_problem
from workbench.toolbox.mocking.templates import template_problem
from workbench.toolbox.mocks import MAX_LATENCY_MS, MockRule
from workbench.toolspec.check import check_spec, pointer
from workbench.toolspec.spec import ToolSpec

_File = TypeVar("_File", bound=BaseModel)
_ANSWERS: Final = ("result", "template", "error", "sequence")


class _StepFile(BaseModel):
    """One answer as it stands in a file."""

    model_config = ConfigDict(extra="forbid")
    result: Any = None
    template: str = ""
    error: str = ""
    latency_ms: int = Field(default=0, ge=0, le=MAX_LATENCY_MS)

    @model_validator(mode="after")
    def _one_answer(self) -> "_StepFile":
        if len(self.model_fields_set & set(_ANSWERS)) != 1:
            choices = [name for name in _ANSWERS if name in type(self).model_fields]
            raise ValueError(f"give exactly one of {', '.join(choices[:-1])} and {choices[-1]}")
        return self


class _RuleFile(_StepFile):
    """One rule as it stands in a file."""

    when: dict[str, Any] = Field(default_factory=dict)
    sequence: list[_StepFile] | None = Field(default=None, min_length=1)


class _ToolFile(BaseModel):
    """One tool as it stands in a file."""

    model_config = ConfigDict(extra="forbid")
    function: dict[str, Any]
    emoji: str = ""
    returns: dict[str, Any] | None = None
    mocks: list[_RuleFile] = Field(default_factory=list[_RuleFile])


class _ToolsetFile(BaseModel):
    """One file of the catalog."""

    model_config = ConfigDict(extra="forbid")
    toolset: str = Field(min_length=1)
    description: str = ""
    includes: list[str] = Field(default_factory=list[str])
    tools: list[_ToolFile] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _something(self) -> "_ToolsetFile":
        if self.tools is None and not self.includes:
            raise ValueError("give tools, includes, or both")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTool:
    """A declarative tool."""

    spec: ToolSpec
    """As a model is told of it."""
    rules: tuple[MockRule, ...] = ()
    """Tried in order."""
    returns: JsonObject | None = field(default=None, hash=False)
    """JSON Schema of results; None where any will do."""
    emoji: str = ""
    """Stands before the name on the page; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogToolset:
    """A file of the catalog."""

    name: str
    """The toolset's name."""
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
    file = _validated(_ToolsetFile, _load_yaml(text, where), where)
    return CatalogToolset(
        name=file.toolset,
        description=file.description,
        tools=tuple(_tool(where, tool) for tool in file.tools or ()),
        includes=tuple(file.includes),
    )


def parse_tool(spec: ToolSpec, rules_text: str, *, where: str) -> CatalogTool:
    """A tool whose rules a person edits apart from its spec.

    Args:
        spec: Its spec.
        rules_text: YAML or JSON of `{"returns", "mocks"}`, or of the list of rules alone.
        where: What the rules are called in an error.

    Raises:
        BadInput: They cannot be used.
    """
    loaded = _load_yaml(rules_text, where)
    if isinstance(loaded, dict):
        fields = cast(dict[str, Any], loaded)
    elif loaded is None or isinstance(loaded, list):
        fields = cast(dict[str, Any], {"mocks": loaded or []})
    else:
        raise BadInput(where, "no list of rules", "write a list, or returns: and mocks:")
    file = _validated(_ToolFile, {**fields, "function": dict(spec.function)}, where)
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
    return _dump(value)


def render_rules(tool: CatalogTool) -> str:
    """What a person edits beside the spec; `parse_tool` reads it."""
    fields = {name: value for name, value in _tool_fields(tool).items() if name != "function"}
    return _dump(fields or {"mocks": []})


def _dump(value: JsonValue) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)


def _load_yaml(text: str, where: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadInput(where, " ".join(str(error).split())[:300]) from error


def _validated(kind: type[_File], loaded: Any, where: str) -> _File:
    try:
        return kind.model_validate(loaded)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"{where}, {place}" if place else where, first["msg"]) from error


def _tool(where: str, tool: _ToolFile) -> CatalogTool:
    spec = ToolSpec.of_function(tool.function)
    where = f"{where}, tool {spec.name!r}"
    for finding in check_spec(spec):
        raise BadInput(f"{where}, {finding.pointer or '/'}", finding.message)
    if tool.returns is not None and (problem := schema_problem(tool.returns)):
        raise BadInput(f"{where}, /returns", problem)
    for place, problem in _problems(tool):
        raise BadInput(f"{where}, {pointer(list(place))}", problem)
    rules = tuple(_rule(rule) for rule in tool.mocks)
    return CatalogTool(spec=spec, rules=rules, returns=tool.returns, emoji=tool.emoji)


def _problems(tool: _ToolFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each place of the rules that cannot be used, and why."""
    for number, rule in enumerate(tool.mocks):
        place = ("mocks", number)
        for name, want in rule.when.items():
            if problem := condition_problem(want):
                yield (*place, "when", name), problem
        steps = rule.sequence or [rule]
        for index, step in enumerate(steps):
            inner = (*place, "sequence", index) if rule.sequence else place
            if step.template and (problem := template_problem(step.template)):
                yield (*inner, "template"), problem
            if (
                "result" in step.model_fields_set
                and tool.returns
                and (problem := first_break(tool.returns, step.result))
            ):
                yield (*inner, "result"), f"`returns` forbids it: {problem}"


def _rule(rule: _RuleFile) -> MockRule:
    steps = tuple(_step(step) for step in rule.sequence or ())
    return MockRule(
        when=rule.when, result=rule.result, template=rule.template, error=rule.error, sequence=steps,
        latency_ms=rule.latency_ms,
    )  # fmt: skip


def _step(step: _StepFile) -> MockRule:
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
