"""The current choices of dropdowns for a user."""

from collections.abc import Iterable, Mapping

import gradio as gr

from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.toolbox.catalog import Catalog
from workbench.toolspec.spec import OfferedTools


def toolsets_of(services: Services) -> Mapping[str, OfferedTools]:
    """Return the toolsets by name, including those that the user saved.

    If the saved ones cannot be read, which the Tools tab reports, return the catalog's own.
    """
    try:
        return services.tools.toolsets()
    except WorkbenchError:
        return services.catalog.toolsets()


def catalog_of(services: Services) -> Catalog:
    """Return the catalog with the user's saved toolsets, or without them if they cannot be read."""
    try:
        return services.tools
    except WorkbenchError:
        return services.catalog


def list_choices(names: Iterable[str], *chosen: str | None) -> Mapping[str, object]:
    """Return the sorted choices of a field, including the chosen ones, which stay chosen."""
    return gr.update(choices=sorted({*names, *filter(None, chosen)}))
