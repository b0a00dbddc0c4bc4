"""`tools_catalog/*.yaml` to toolsets and their mock rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.errors import BadInput
from workbench.toolbox.dispatch import MockToolbox
from workbench.toolbox.mocks import MockRule
from workbench.toolspec.check import check_spec
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import parse_tools


class _RuleFile(BaseModel):
    """One rule as it stands in a file."""

    model_config = ConfigDict(extra="forbid")
    when: dict[str, Any] = Field(default_factory=dict)
    result: Any = None
    template: str = ""
    error: str = ""

    @model_validator(mode="after")
    def _one_answer(self) -> "_RuleFile":
        if len(self.model_fields_set & {"result", "template", "error"}) != 1:
            raise ValueError("give exactly one of result, template and error")
        return self


class _ToolFile(BaseModel):
    """One tool as it stands in a file."""

    model_config = ConfigDict(extra="forbid")
    function: dict[str, Any]
    mocks: list[_RuleFile] = Field(default_factory=list[_RuleFile])


class _ToolsetFile(BaseModel):
    """One file of the catalog."""

    model_config = ConfigDict(extra="forbid")
    toolset: str = Field(min_length=1)
    description: str = ""
    tools: list[_ToolFile] = Field(min_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTool:
    """A tool of the catalog."""

    spec: ToolSpec
    """As a model is told of it."""
    rules: tuple[MockRule, ...]
    """Tried in order."""


class FileCatalog:
    """The toolsets of one folder, read at first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _toolsets(self) -> Mapping[str, tuple[CatalogTool, ...]]:
        found: dict[str, tuple[CatalogTool, ...]] = {}
        owner: dict[str, str] = {}
        for path in sorted(self._folder.glob("*.yaml")):
            name, tools = load_toolset(path)
            for tool in tools:
                if tool.spec.name in owner:
                    problem = f"tool {tool.spec.name!r} is declared in toolset {owner[tool.spec.name]!r} too"
                    raise BadInput(f"catalog {path.name}", problem)
                owner[tool.spec.name] = name
            found[name] = (*found.get(name, ()), *tools)
        return dict(sorted(found.items()))

    def toolsets(self) -> Mapping[str, OfferedTools]:
        """Each toolset's tools, by the toolset's name, sorted."""
        return {
            name: OfferedTools(specs=tuple(tool.spec for tool in tools))
            for name, tools in self._toolsets.items()
        }

    def select(self, selectors: Sequence[str]) -> OfferedTools:
        """The tools of toolsets, tools and files; see `workbench.desk.ports.Catalog`."""
        specs = [spec for selector in selectors for spec in self._specs(selector)]
        return OfferedTools(specs=tuple({spec.name: spec for spec in specs}.values()))

    def toolbox(self) -> MockToolbox:
        """Runs the catalog's mocks."""
        return MockToolbox(
            {tool.spec.name: tool.rules for tools in self._toolsets.values() for tool in tools}
        )

    def _specs(self, selector: str) -> Sequence[ToolSpec]:
        toolsets = self.toolsets()
        if selector in toolsets:
            return toolsets[selector].specs
        for tools in toolsets.values():
            if selector in tools.by_name:
                return (tools.by_name[selector],)
        path = Path(selector).expanduser()
        if path.suffix == ".json" and path.is_file():
            return parse_tools(path.read_text(encoding="utf-8")).specs
        remedy = f"a toolset ({', '.join(toolsets)}), a tool's name, or a JSON file"
        raise BadInput("tools", f"no {selector!r}", remedy)


def load_toolset(path: Path) -> tuple[str, tuple[CatalogTool, ...]]:
    """One file of the catalog: the toolset's name and its tools.

    Raises:
        BadInput: It is no YAML, has wrong fields, or holds an unsound spec.
    """
    where = f"catalog {path.name}"
    try:
        file = _ToolsetFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(where, " ".join(str(error).split())) from error
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{where}, {'.'.join(str(part) for part in first['loc'])}", first["msg"]) from error
    return file.toolset, tuple(_tool(where, tool) for tool in file.tools)


def _tool(where: str, tool: _ToolFile) -> CatalogTool:
    spec = ToolSpec.of_function(tool.function)
    for finding in check_spec(spec):
        raise BadInput(f"{where}, tool {spec.name!r}, {finding.pointer or '/'}", finding.message)
    rules = tuple(
        MockRule(when=r.when, result=r.result, template=r.template, error=r.error) for r in tool.mocks
    )
    return CatalogTool(spec=spec, rules=rules)
