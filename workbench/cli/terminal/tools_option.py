"""What `--tools` offers."""

from collections.abc import Sequence

from workbench.settings import read_settings
from workbench.toolspec.spec import OfferedTools

TOOLS_HELP = "Toolset, tool or JSON file; repeatable."
"""Help of the option, the same for all verbs."""


def select_tools(selectors: Sequence[str] | None) -> OfferedTools | None:
    """The tools of toolsets, tools and files; None where none are named.

    Raises:
        BadInput: A selector is neither a toolset, a tool nor a readable file.
    """
    if not selectors:
        return None
    from workbench.library.home_files import find_folder
    from workbench.toolbox.catalog import Catalog

    settings = read_settings()
    # Without MCP servers: reading a text should not start programs.
    catalog = Catalog(find_folder("tools_catalog", settings.home), environment=settings.environment)
    return catalog.select_files(selectors)
