"""The catalog as the settings want it."""

from pathlib import Path

from workbench.settings import Settings
from workbench.toolbox.approval.allowlist import Allowlist
from workbench.toolbox.approval.gate import Judge
from workbench.toolbox.catalog import Catalog, ToolSource
from workbench.toolbox.dispatch import DispatchLimits
from workbench.toolbox.mcp.source import McpTools
from workbench.toolbox.terminal.environments import isolated, parse_environment
from workbench.toolbox.terminal.tool import Terminal


def open_catalog(folder: Path, settings: Settings, *, judge: Judge | None = None) -> Catalog:
    """The tools of a folder, with the terminal and the servers that the settings name.

    Args:
        folder: Holds the catalog's files.
        settings: As read from the environment.
        judge: Looks at risky commands before a person is asked.

    Raises:
        BadInput: A setting names no environment.
    """
    sources: list[ToolSource] = [McpTools(settings.tools_file, is_space=settings.is_on_space)]
    if (environment := parse_environment(settings.terminal)) is not None:
        sources.append(Terminal(isolated(environment, settings.data), settings.environment))
    return Catalog(
        folder,
        environment=settings.environment,
        limits=DispatchLimits(timeout_s=settings.tool_timeout_s),
        sources=sources,
        allowlist=Allowlist(settings.tools_file),
        judge=judge,
    )
