"""Pydantic models of a catalog file, and checks of its mock rules."""

import builtins
from collections.abc import Iterator
from typing import Any, Final, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.chat.finding import Finding
from workbench.chat.json_value import as_object, pointer
from workbench.chat.near_names import nearest_name
from workbench.errors import BadInput
from workbench.toolbox.mock_templates import template_problem
from workbench.toolbox.mock_world import (
    MOST_EFFECTS,
    WORLD,
    pointer_problem,
    template_problems,
    world_problems,
)
from workbench.toolbox.mocks import MAX_LATENCY_MS
from workbench.toolspec.budget import REQUEST_STEPS, budget
from workbench.toolspec.check import spec_errors, undeclared_argument
from workbench.toolspec.conditions import (
    ALL_ARGUMENTS,
    condition_problem,
    first_violation,
    schema_problem,
)
from workbench.toolspec.form_faults import form_faults
from workbench.toolspec.spec import ToolSpec
from workbench.toolspec.world.effects import Effect, EffectKind
from workbench.toolspec.yaml_text import compose_yaml, load_yaml

_NEAR_ARGUMENT: Final = 0.75
"""How similar the name in a condition must be to an argument's to count as a mistake. Models do invent arguments, so a
rule may have a condition on an argument that the tool does not declare."""
_ANSWERS: Final = ("result", "template", "error", "sequence")


class EffectFile(BaseModel):
    """One effect of a mock rule, as it is written in a catalog file."""

    model_config = ConfigDict(extra="forbid")
    set: str | None = None
    append: str | None = None
    remove: str | None = None
    increment: str | None = None
    value: Any = None
    by: int | float | str = 1

    @model_validator(mode="after")
    def _one_kind(self) -> "EffectFile":
        kinds = self.model_fields_set & set(EffectKind)
        if len(kinds) != 1:
            raise ValueError(f"give exactly one of {', '.join(EffectKind)} with a JSON Pointer")
        [kind] = kinds
        needed = {"set": {"value"}, "append": {"value"}}.get(kind, builtins.set[str]())
        given = self.model_fields_set - kinds
        if needed - given:
            raise ValueError(f"{kind} needs value")
        if given - needed - ({"by"} if kind == EffectKind.INCREMENT else builtins.set[str]()):
            raise ValueError(f"{kind} has no {', '.join(sorted(given - needed))}")
        return self

    @property
    def effect(self) -> Effect:
        """The effect, with its templates."""
        [kind] = (EffectKind(name) for name in EffectKind if name in self.model_fields_set)
        value = self.by if kind is EffectKind.INCREMENT else self.value
        return Effect(kind=kind, place=getattr(self, kind), value=value)


class StepFile(BaseModel):
    """One answer of a mock rule, as it is written in a catalog file."""

    model_config = ConfigDict(extra="forbid")
    result: Any = None
    template: str = ""
    error: str = ""
    latency_ms: int = Field(default=0, ge=0, le=MAX_LATENCY_MS)
    effects: list[EffectFile] = Field(default_factory=list[EffectFile], max_length=MOST_EFFECTS)

    @model_validator(mode="after")
    def _one_answer(self) -> "StepFile":
        if len(self.model_fields_set & set(_ANSWERS)) != 1:
            choices = [name for name in _ANSWERS if name in type(self).model_fields]
            raise ValueError(f"give exactly one of {', '.join(choices[:-1])} and {choices[-1]}")
        if self.effects and not {"result", "template"} & self.model_fields_set:
            raise ValueError("effects need a result or a template; a call that fails changes nothing")
        return self


class RuleFile(StepFile):
    """One mock rule, as it is written in a catalog file."""

    when: dict[str, Any] = Field(default_factory=dict)
    sequence: list[StepFile] | None = Field(default=None, min_length=1)


class ToolFile(BaseModel):
    """One tool, as it is written in a catalog file."""

    model_config = ConfigDict(extra="forbid")
    function: dict[str, Any]
    emoji: str = ""
    returns: dict[str, Any] | None = None
    mocks: list[RuleFile] = Field(default_factory=list[RuleFile])


class WorldFile(BaseModel):
    """The world of a toolset, as it is written in a catalog file."""

    model_config = ConfigDict(extra="forbid")
    world: Any = None
    world_schema: dict[str, Any] | None = None


class ToolsetFile(WorldFile):
    """A catalog file."""

    toolset: str = Field(min_length=1)
    description: str = ""
    includes: list[str] = Field(default_factory=list[str])
    include_tools: list[str] = Field(default_factory=list[str])
    tools: list[ToolFile] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _something(self) -> "ToolsetFile":
        if self.tools is None and not self.includes and not self.include_tools:
            raise ValueError("give tools, includes or include_tools")
        return self


def rule_fields(loaded: Any) -> dict[str, Any]:
    """Return loaded rules as an object with `returns` and `mocks`; a list is taken as `mocks`.

    Raises:
        BadInput: The value is neither an object nor a list.
    """
    if isinstance(loaded, dict):
        return cast(dict[str, Any], loaded)
    if loaded is None or isinstance(loaded, list):
        return {"mocks": loaded or []}
    raise BadInput("rules", "not a list of rules", "write a list, or `returns:` and `mocks:`")


def tool_problems(tool: ToolFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each invalid place in the rules of a tool, with the problem."""
    if tool.returns is not None and (problem := schema_problem(tool.returns)):
        yield ("returns",), problem
        return
    for number, rule in enumerate(tool.mocks):
        place = ("mocks", number)
        for name, condition in rule.when.items():
            if name == WORLD:
                for inner, problem in world_problems(condition):
                    yield (*place, "when", name, *inner), problem
            elif problem := condition_problem(condition) or _misspelled_argument(tool, name):
                yield (*place, "when", name), problem
        steps = rule.sequence or [rule]
        for index, step in enumerate(steps):
            inner = (*place, "sequence", index) if rule.sequence else place
            if step.template and (problem := template_problem(step.template)):
                yield (*inner, "template"), problem
            for count, effect in enumerate(step.effects):
                if problem := pointer_problem(effect.effect.place) or template_problems(effect.effect.value):
                    yield (*inner, "effects", count), problem
            if (
                "result" in step.model_fields_set
                and tool.returns
                and not uses_world(rule)
                and (problem := first_violation(tool.returns, step.result))
            ):
                yield (*inner, "result"), f"it does not match `returns`: {problem}"


def uses_world(rule: RuleFile) -> bool:
    """Whether a rule can only be used in a toolset with a world."""
    return WORLD in rule.when or any(step.effects for step in (rule, *(rule.sequence or ())))


def _misspelled_argument(tool: ToolFile, name: str) -> str:
    """Say that a rule has a condition on an argument that is almost one of the tool's. Empty otherwise."""
    parameters = as_object(tool.function.get("parameters"))
    properties = as_object(parameters.get("properties"))
    if name == ALL_ARGUMENTS or not undeclared_argument(parameters, name):
        return ""
    near = nearest_name(name, properties, cutoff=_NEAR_ARGUMENT)
    return f"the tool has no argument {name[:60]!r}; did you mean {near!r}?" if near else ""


def check_rules(spec: ToolSpec, rules_text: str) -> tuple[Finding, ...]:
    """Return a finding, with line and pointer, for each problem that makes rules invalid."""
    try:
        loaded = load_yaml(rules_text)
        tree = compose_yaml(rules_text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        return (_fault(str(problem), (), (mark.line + 1) if mark else 1),)
    is_list = isinstance(loaded, list)
    try:
        file = ToolFile.model_validate({**rule_fields(loaded), "function": dict(spec.function)})
        with budget(REQUEST_STEPS):
            faults = list(tool_problems(file)) if not spec_errors(spec) else []
    except BadInput as error:
        return (_fault(error.problem, (), 1),)
    except ValidationError as error:
        faults = list(form_faults(error, ToolFile))
    # If the text is only a list of rules, there is no `mocks` in it that a pointer could lead through.
    places = [
        (place[1:] if is_list and place[:1] == ("mocks",) else place, problem) for place, problem in faults
    ]
    return tuple(_fault(problem, place, _line_of(tree, place)) for place, problem in places)


def _fault(problem: str, place: tuple[str | int, ...], line: int) -> Finding:
    return Finding(
        code="rules-unsound", message=" ".join(problem.split())[:200], pointer=pointer(list(place)), line=line
    )


def _line_of(tree: Any, place: tuple[str | int, ...]) -> int:
    """Return the line, counted from 1, of a place in a YAML tree, or of its nearest parent that exists."""
    node, line = tree, 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            child = next((value for key, value in node.value if key.value == str(part)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            child = node.value[part]
        else:
            child = None
        if child is None:
            break
        node, line = child, child.start_mark.line + 1
    return line
