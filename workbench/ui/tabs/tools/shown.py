"""The list of tools and the line of versions, as the owner has them now."""

from typing import Final

from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.versions import VersionKind
from workbench.toolbox.task import ToolDraft
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.present.tools import ToolListView, show_tools
from workbench.ui.present.versions import VersionsView, show_versions

SHOWN: Final = 30
"""Versions that the line shows; `workbench versions history` has all."""


def list_tools(
    services: Services, open_name: str, *, wants_open: bool = False, is_draft: bool = False
) -> ToolListView:
    """All tools, the owner's saved ones among them."""
    tools = services.tools
    return show_tools(
        tools.availability(),
        tools.problems(),
        open_name=open_name,
        serial=services.calendar.seconds(),
        wants_open=wants_open,
        is_draft=is_draft,
    )


def is_run_by_code(services: Services, draft: ToolDraft) -> bool:
    """Whether the draft is of a tool that code answers, and says nothing else: a saved one would lose the code.

    Raises:
        BadInput: Code answers the tool, and the draft changes its spec without rules of its own.
        StoreError: The versions cannot be read.
    """
    names = parse_tools(f"[{draft.spec_text}]").names
    if draft.rules_text.strip() or not names:
        return False
    try:
        # Code answers only tools of the catalog's own files: the saved ones, slow to read, need not be looked at.
        services.studio.open_tool(names[0])
        there = services.studio.open_tool(names[0], services.saved_toolsets())
    except BadInput:
        return False
    if there.rules_text:
        return False
    if parse_tools(f"[{there.spec_text}]") != parse_tools(f"[{draft.spec_text}]"):
        raise BadInput(
            f"tool {names[0]!r}", "code runs it, with the spec that it has", "rename it, or write mock rules"
        )
    return True


def version_line(services: Services, draft: ToolDraft, toolset: str) -> VersionsView | None:
    """The line of a toolset, with the draft in it; None where the draft cannot be saved."""
    try:
        if is_run_by_code(services, draft):
            return None
        history = services.versions.history(VersionKind.TOOLS, toolset, limit=SHOWN)
        before = history[0].text if history else None
        text = services.studio.merged_text(draft, toolset=toolset, before=before)
    except WorkbenchError:
        return None
    return show_versions(toolset, text, history, now=services.calendar.now().astimezone(), can_compare=True)
