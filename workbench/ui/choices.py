"""The choices of dropdowns, as a visitor has them now."""

from collections.abc import Iterable, Mapping

import gradio as gr

from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.toolspec.spec import OfferedTools


def toolsets_of(services: Services) -> Mapping[str, OfferedTools]:
    """The toolsets by name, with those that the visitor saved.

    Where those cannot be read, which the Tools tab tells, it is the catalog's own.
    """
    try:
        return services.tools.toolsets()
    except WorkbenchError:
        return services.catalog.toolsets()


def choices(names: Iterable[str], chosen: str | None) -> Mapping[str, object]:
    """The choices of a field, what is chosen among them; what is chosen stays."""
    return gr.update(choices=sorted({*names, *filter(None, [chosen])}))
