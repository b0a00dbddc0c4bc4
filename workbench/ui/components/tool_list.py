"""All tools by toolset, and why one cannot be used."""

from workbench.ui.components.drawn import Drawn


class ToolList(Drawn):
    """All tools by toolset; one that is picked is opened (`open_tool`)."""

    script = "tool_list.js"
