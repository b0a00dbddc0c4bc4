"""The list of tools and the line of versions, as the owner has them now."""

from typing import Final

from workbench.desk.ports.tools import ToolDraft
from workbench.desk.services import Services
from workbench.desk.versions.version import VersionKind
from workbench.errors import WorkbenchError
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


def version_line(services: Services, draft: ToolDraft, toolset: str) -> VersionsView | None:
    """The line of a toolset, with the draft in it; None where the draft cannot be saved."""
    try:
        history = services.versions.history(VersionKind.TOOLS, toolset, limit=SHOWN)
        before = history[0].text if history else None
        text = services.studio.merged_text(draft, toolset=toolset, before=before)
    except WorkbenchError:
        return None
    return show_versions(toolset, text, history, now=services.calendar.now().astimezone(), can_compare=True)
