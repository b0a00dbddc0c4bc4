"""Check and try tools while they are edited, and write them into toolset files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from workbench.chat.finding import Finding
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.message import ToolCall
from workbench.errors import BadInput
from workbench.rollout.ports import Toolbox, ToolRun
from workbench.toolbox.async_bridge import AsyncBridge
from workbench.toolbox.catalog import Catalog
from workbench.toolbox.catalog_file import (
    CatalogTool,
    CatalogToolset,
    parse_tool,
    parse_toolset,
    parse_world,
    render_rules,
    render_toolset,
)
from workbench.toolbox.catalog_form import check_rules
from workbench.toolbox.dispatch import CallCounts, Dispatcher
from workbench.toolbox.entry import NO_SAVED_TOOLSETS, CallContext, DraftFindings, ToolDraft, ToolEntry
from workbench.toolbox.mock_samples import sample
from workbench.toolbox.mocks import MockTool
from workbench.toolbox.registry import Registry
from workbench.toolbox.rule_lint import lint_rules
from workbench.toolspec.budget import REQUEST_STEPS, BudgetExceeded, budget
from workbench.toolspec.lint import lint_tools
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.toolspec.tools_text import NO_TOOL, parse_tools, tool_errors
from workbench.toolspec.world.session_world import DeclaredWorld, SessionWorld

_WHERE: Final = "rules"
_TOOLSET: Final = "draft"


class ToolStudio:
    """Opens, checks, tries and saves drafts of tools.

    Args:
        catalog: Contains the tools that can be opened, and runs the tools with code.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._bridge = AsyncBridge()

    def open_tool(self, name: str, saved: Mapping[str, str] = NO_SAVED_TOOLSETS) -> ToolDraft:
        """Return a tool of the catalog as a draft, with generated arguments for a trial call.

        Args:
            saved: Saved toolsets that replace the files of the same name, as text by name.

        Raises:
            BadInput: There is no such tool.
        """
        catalog = self._catalog.with_toolsets(saved)
        entry = catalog.registry.find(name)
        if entry is None:
            raise BadInput(f"tool {name!r}", "no such tool", "choose one from the list")
        declared = catalog.declared(name) if isinstance(entry.handler, MockTool) else None
        spec_text = json.dumps(entry.spec.document, indent=2, ensure_ascii=False)
        try:
            arguments = sample(entry.spec.schema or {"type": "object"}, Random(0))
        except BudgetExceeded:
            # The schema describes a huge value. The draft starts without arguments.
            arguments: JsonValue = {}
        return ToolDraft(
            spec_text=spec_text,
            rules_text=render_rules(declared) if declared else "",
            arguments_text=json.dumps(arguments, indent=2, ensure_ascii=False),
        )

    def check_draft(self, draft: ToolDraft) -> DraftFindings:
        """Return all problems of a draft. It never raises for an invalid draft.

        Raises:
            BudgetExceeded: Checking it takes too much work.
        """
        with budget(REQUEST_STEPS):
            return self._checked(draft)

    def _checked(self, draft: ToolDraft) -> DraftFindings:
        if faults := tool_errors(_as_list(draft.spec_text)):
            return DraftFindings(spec=tuple(_without_index(fault) for fault in faults))
        tools = parse_tools(_as_list(draft.spec_text))
        if problem := _count_problem(tools):
            return DraftFindings(spec=(Finding(code=NO_TOOL, message=problem, line=1),))
        rules = check_rules(tools.specs[0], draft.rules_text) if draft.rules_text.strip() else ()
        return DraftFindings(
            rules=rules,
            lint=(
                *(_without_index(finding) for finding in (*tools.findings, *lint_tools(tools))),
                *lint_rules(draft.rules_text),
            ),
        )

    def try_draft(
        self,
        draft: ToolDraft,
        arguments: JsonObject,
        *,
        call_number: int,
        seed: int,
        toolbox: Toolbox,
        world: DeclaredWorld | None = None,
    ) -> ToolRun:
        """Run a trial call of a draft.

        Args:
            call_number: Number of the call, from 1, for rules with a sequence.
            seed: Seed for random values.
            toolbox: Runs the call if the draft has no rules and the tool is in the catalog, that is, if code answers.
            world: The world of the draft's toolset, as each session starts with it. None if it has none.

        Raises:
            BadInput: The spec or the rules are invalid.
        """
        spec = _spec(draft)
        call = ToolCall(name=spec.name, arguments=arguments)
        if not draft.rules_text.strip() and self._catalog.registry.find(spec.name):
            return toolbox.run(call)
        tool = _tool(spec, draft)
        registry, counts = Registry(), CallCounts()
        handler = MockTool(name=spec.name, rules=tool.rules, returns=tool.returns)
        registry.add(ToolEntry(spec=spec, toolset=_TOOLSET, handler=handler))
        for _ in range(call_number - 1):
            counts.next("", spec.name)
        context = CallContext(seed=seed)
        worlds = SessionWorld(declared={_TOOLSET: world} if world else {})
        return Dispatcher(registry, bridge=self._bridge, context=context, counts=counts, world=worlds).run(
            call
        )

    def merged_text(self, draft: ToolDraft, *, toolset: str, before: str | None) -> str:
        """Return the text of a toolset with one draft added or replaced. See `merged_texts`."""
        return self.merged_texts((draft,), toolset=toolset, before=before)

    def merged_texts(self, drafts: Sequence[ToolDraft], *, toolset: str, before: str | None) -> str:
        """Return the text of a toolset file with drafts added, or replaced where a tool has the same name.

        Args:
            toolset: Name of the toolset, for a new file and for errors.
            before: Current text of the file; None starts a new one. It is returned unchanged if no tool changes.

        Raises:
            BadInput: A draft or the current text is invalid.
        """
        existing = parse_toolset(before, where=f"toolset {toolset!r}") if before is not None else None
        old_tools = {tool.spec.name: tool for tool in existing.tools} if existing else {}
        merged = dict(old_tools)
        for draft in drafts:
            tool = _tool(_spec(draft), draft)
            old = old_tools.get(tool.spec.name)
            merged[tool.spec.name] = replace(tool, emoji=tool.emoji or old.emoji) if old else tool
        if before is not None and merged == old_tools:
            return before
        tools = tuple(merged.values())
        return render_toolset(
            replace(existing, tools=tools) if existing else CatalogToolset(name=toolset, tools=tools)
        )

    def world_text(self, text: str, *, toolset: str, before: str | None) -> str:
        """Return the text of a toolset file with another world.

        Args:
            text: The world, as `parse_world` reads it. Empty removes it.
            before: Current text of the file.

        Raises:
            BadInput: There is no file, the world is invalid, or a rule needs the world that would be removed.
            BudgetExceeded: Checking the world takes too much work.
        """
        where = f"toolset {toolset!r}"
        if before is None:
            raise BadInput(where, "none of its tools is in a file", "save one with mock rules first")
        changed = replace(parse_toolset(before, where=where), world=parse_world(text, where="world"))
        after = render_toolset(changed)
        parse_toolset(after, where=where)
        return after

    def included_text(self, name: str, *, toolset: str, before: str | None, is_included: bool) -> str:
        """Return the text of a toolset file with a tool of another toolset added to its list, or removed from it.

        Args:
            before: Current text of the file; None starts a new one.

        Raises:
            BadInput: The toolset declares the tool itself, or nothing would be left in it.
        """
        existing = parse_toolset(before, where=f"toolset {toolset!r}") if before is not None else None
        current = existing or CatalogToolset(name=toolset)
        if any(tool.spec.name == name for tool in current.tools):
            raise BadInput(
                f"toolset {toolset!r}", f"the tool {name!r} is declared in it", "choose another one"
            )
        others = tuple(other for other in current.include_tools if other != name)
        changed = replace(current, include_tools=(*others, name) if is_included else others)
        if not (changed.tools or changed.includes or changed.include_tools):
            raise BadInput(f"toolset {toolset!r}", "no tool would be left in it", "add another one first")
        return render_toolset(changed)

    def close(self) -> None:
        """Stop handlers that still run."""
        self._bridge.close()


def _as_list(spec_text: str) -> str:
    """Put a spec into brackets, because tools are parsed as a list. Line numbers do not change."""
    text = spec_text.strip()
    return spec_text if text.startswith("[") or not text else f"[{spec_text}]"


def _without_index(finding: Finding) -> Finding:
    """Remove the list index from the pointer of a finding."""
    return replace(finding, pointer=(finding.pointer or "").removeprefix("/0"))


def _spec(draft: ToolDraft) -> ToolSpec:
    for error in tool_errors(_as_list(draft.spec_text)):
        raise BadInput("spec", error.message)
    tools = parse_tools(_as_list(draft.spec_text))
    if problem := _count_problem(tools):
        raise BadInput("spec", problem)
    return tools.specs[0]


def _count_problem(tools: OfferedTools) -> str:
    """Say that a draft does not have exactly one tool. Empty if it does."""
    if not tools.specs:
        return "there is no tool: write an object with name, description and parameters"
    return f"there are {len(tools.specs)} tools: edit one tool at a time" if len(tools.specs) > 1 else ""


def _tool(spec: ToolSpec, draft: ToolDraft) -> CatalogTool:
    return parse_tool(spec, draft.rules_text, where=_WHERE)
