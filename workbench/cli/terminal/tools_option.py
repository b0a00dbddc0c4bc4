"""What `--tools`, or a row's own `tools`, offers."""

from collections.abc import Mapping, Sequence
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.toolspec.spec import OfferedTools, ToolSpec

TOOLS_HELP = "Toolset, tool or JSON file; repeatable."
"""Help of the option, the same for all verbs."""


def select_tools(selectors: Sequence[str] | None) -> OfferedTools | None:
    """The tools of toolsets, tools and files; None where none are named.

    Raises:
        BadInput: A selector is neither a toolset, a tool nor a readable file.
    """
    if not selectors:
        return None
    from workbench.library.homes import find_folder
    from workbench.toolbox.catalog import FileCatalog

    settings = read_settings()
    # Without MCP servers: reading a text should not start programs.
    catalog = FileCatalog(find_folder("tools_catalog", settings.home), environment=settings.environment)
    return catalog.select(selectors)


def tools_of_row(fields: JsonObject) -> OfferedTools | None:
    """The tools that a row brings along, sound or not; None where it has none.

    What is wrong with a spec is told where it matters: as a finding of the reading or of the prompt.

    Raises:
        BadInput: They are no list of objects.
    """
    given = fields.get("tools")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(entry, Mapping) for entry in given):
        raise BadInput("tools", "no list of objects", "write [{…}, {…}]")
    return OfferedTools(specs=tuple(_spec(entry) for entry in cast(list[JsonObject], given)))


def _spec(entry: JsonObject) -> ToolSpec:
    function: JsonValue = entry.get("function")
    return ToolSpec(document=entry) if isinstance(function, Mapping) else ToolSpec.of_function(entry)
