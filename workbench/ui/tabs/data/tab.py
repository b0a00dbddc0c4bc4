"""Build the pages Explore, Export and Import of the place Data, and connect their events."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.records.owner import Permission
from workbench.ui.components.drawn import Drawn
from workbench.ui.tabs.data import explore_page, export_page, import_page
from workbench.ui.tabs.data.form import Jobs

_CLASSES = ["hw-data-page"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataParts:
    """The components of the pages, and the tab that shows what is stored when it is opened."""

    explore_tab: gr.Tab
    explore: explore_page.ExploreParts
    export: export_page.ExportParts
    imports: import_page.ImportParts


def build(services: Services) -> DataParts:
    """Build the tabs. Nothing is read until the user presses a button."""
    with gr.Tab("Explore", elem_id="page-tab-explore", id="explore", elem_classes=_CLASSES) as explore_tab:
        explore = explore_page.build(takes_paths=services.owner.may(Permission.OPEN_ROW_FILES))
    # The addresses of this page are older than the other two pages.
    with gr.Tab("Export", elem_id="page-tab-data", id="data", elem_classes=_CLASSES):
        settings = services.settings
        can_push = settings.has_hugging_face_login or not settings.is_on_space
        export = export_page.build(takes_token=bool(settings.accounts), can_push=can_push)
    with gr.Tab("Import", elem_id="page-tab-import", id="import", elem_classes=_CLASSES):
        imports = import_page.build()
    return DataParts(explore_tab=explore_tab, explore=explore, export=export, imports=imports)


def wire(parts: DataParts, services: Services, state: gr.State, sessions: Drawn) -> None:
    """Connect the components with their handlers.

    Args:
        sessions: The session list of the Play tab, which shows imported sessions.
    """
    # A browser tab runs one job at a time, on whichever page it was started.
    jobs = Jobs()
    explore_page.wire(parts.explore, services, state, jobs, tab=parts.explore_tab)
    export_page.wire(parts.export, services, state, jobs)
    import_page.wire(parts.imports, services, state, jobs, sessions=sessions)
