"""The current choices of dropdowns for a visitor."""

from collections.abc import Iterable, Mapping, Sequence

import gradio as gr

from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools, render_tools


def toolsets_of(services: Services) -> Mapping[str, OfferedTools]:
    """Return the toolsets by name, including those that the visitor saved.

    If the saved ones cannot be read, which the Tools tab reports, return the catalog's own.
    """
    try:
        return services.tools.toolsets()
    except WorkbenchError:
        return services.catalog.toolsets()


def catalog_of(services: Services) -> Catalog:
    """Return the catalog with the visitor's saved toolsets, or without them if they cannot be read."""
    try:
        return services.tools
    except WorkbenchError:
        return services.catalog


def choices(names: Iterable[str], *chosen: str | None) -> Mapping[str, object]:
    """Return the sorted choices of a field, including the chosen ones, which stay chosen."""
    return gr.update(choices=sorted({*names, *filter(None, chosen)}))


def toolsets_in(catalog: Catalog, tools_text: str) -> tuple[str, ...]:
    """Return the toolsets whose tools a text has, in the order of the text. Empty if it has others, or none.

    For example, the tools of `weather` followed by those of `calendar` that are not in `weather` give both names.
    """
    try:
        names = parse_tools(tools_text).names
        toolsets = {name: tools.names for name, tools in catalog.toolsets().items()}
        found = _partition(names, toolsets)
        return found if found and render_tools(catalog.select(found)) == tools_text else ()
    except BadInput:
        return ()


def _partition(names: Sequence[str], toolsets: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return toolsets that together have exactly these tools, each adding the tools that follow.

    The toolset that adds most is taken first, so the result is not always the one that was chosen, but it has the
    same tools.
    """
    chosen: list[str] = []
    done = 0
    while done < len(names):
        before = frozenset(names[:done])
        added = {
            toolset: [tool for tool in tools if tool not in before] for toolset, tools in toolsets.items()
        }
        fitting = [
            toolset for toolset, new in added.items() if new and list(names[done : done + len(new)]) == new
        ]
        if not fitting:
            return ()
        best = max(fitting, key=lambda toolset: len(added[toolset]))
        chosen.append(best)
        done += len(added[best])
    return tuple(chosen)
