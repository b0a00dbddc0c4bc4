"""The form of one file of the catalog, and what may be wrong with its rules."""

from collections.abc import Iterator
from typing import Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workbench.errors import BadInput
from workbench.toolbox.mocking.templates import template_problem
from workbench.toolbox.mocks import MAX_LATENCY_MS
from workbench.toolspec.conditions import condition_problem, first_break, schema_problem

_ANSWERS: Final = ("result", "template", "error", "sequence")


class StepFile(BaseModel):
    """One answer as it stands in a file."""

    model_config = ConfigDict(extra="forbid")
    result: Any = None
    template: str = ""
    error: str = ""
    latency_ms: int = Field(default=0, ge=0, le=MAX_LATENCY_MS)

    @model_validator(mode="after")
    def _one_answer(self) -> "StepFile":
        if len(self.model_fields_set & set(_ANSWERS)) != 1:
            choices = [name for name in _ANSWERS if name in type(self).model_fields]
            raise ValueError(f"give exactly one of {', '.join(choices[:-1])} and {choices[-1]}")
        return self


class RuleFile(StepFile):
    """One rule as it stands in a file."""

    when: dict[str, Any] = Field(default_factory=dict)
    sequence: list[StepFile] | None = Field(default=None, min_length=1)


class ToolFile(BaseModel):
    """One tool as it stands in a file."""

    model_config = ConfigDict(extra="forbid")
    function: dict[str, Any]
    emoji: str = ""
    returns: dict[str, Any] | None = None
    mocks: list[RuleFile] = Field(default_factory=list[RuleFile])


class ToolsetFile(BaseModel):
    """One file of the catalog."""

    model_config = ConfigDict(extra="forbid")
    toolset: str = Field(min_length=1)
    description: str = ""
    includes: list[str] = Field(default_factory=list[str])
    tools: list[ToolFile] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _something(self) -> "ToolsetFile":
        if self.tools is None and not self.includes:
            raise ValueError("give tools, includes, or both")
        return self


def rule_fields(loaded: Any) -> dict[str, Any]:
    """The fields of what a person edits beside the spec: `{returns, mocks}`, or a list of rules alone.

    Raises:
        BadInput: It is neither.
    """
    if isinstance(loaded, dict):
        return cast(dict[str, Any], loaded)
    if loaded is None or isinstance(loaded, list):
        return {"mocks": loaded or []}
    raise BadInput("rules", "no list of rules", "write a list, or returns: and mocks:")


def tool_problems(tool: ToolFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each place of the rules that cannot be used, and why."""
    if tool.returns is not None and (problem := schema_problem(tool.returns)):
        yield ("returns",), problem
        return
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
