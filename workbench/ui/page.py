"""Build the page: all tabs, their events, and the options to launch it."""

import json
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypedDict

import gradio as gr

from workbench.app.services import Services
from workbench.label.page import tab as label
from workbench.records.owner import NOBODY, Permission
from workbench.ui.api import offer_api
from workbench.ui.file_owners import FileOwners
from workbench.ui.frame import build_frame
from workbench.ui.gradio_parts.event_queue import open_queue
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.gradio_parts.page_scripts import gradio_scripts
from workbench.ui.guide import build_guide, wire_guide
from workbench.ui.owners import serves_others
from workbench.ui.page_checks import PageChecks
from workbench.ui.present.empty_places import EMPTY_PLACES
from workbench.ui.present.glossary_terms import TERMS
from workbench.ui.present.place import names_for_browser
from workbench.ui.present.sampling_form import declared_fields
from workbench.ui.request_scope import address_of
from workbench.ui.script_files import charts_address, head_script, scripts_address
from workbench.ui.style_files import styles_address
from workbench.ui.tab_loader import LAZY_TABS, TabLoader
from workbench.ui.tabs import contracts_tab as contracts
from workbench.ui.tabs import inspect
from workbench.ui.tabs import models_tab as models
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.compare import parts as compare
from workbench.ui.tabs.compare.tab import wire as wire_compare
from workbench.ui.tabs.contracts_tab import wire as wire_contracts
from workbench.ui.tabs.data import tab as data
from workbench.ui.tabs.model_servers import wire_picker
from workbench.ui.tabs.play import tab as play
from workbench.ui.tabs.play.row_events import wire_rows
from workbench.ui.tabs.suites import parts as suites
from workbench.ui.tabs.suites.tab import wire as wire_suites
from workbench.ui.tabs.tab_work import TabWork
from workbench.ui.tabs.tools import tab as tools
from workbench.ui.tabs.tools.tab import wire as wire_tools
from workbench.ui.theme import WorkbenchTheme

TITLE: Final = "Hermes Workbench"
HEAD_SCRIPTS: Final = (
    *(
        text.replace("SCRIPTS_ADDRESS", scripts_address())
        .replace("CHARTS_ADDRESS", charts_address())
        .replace("PLACE_NAMES", json.dumps(names_for_browser()))
        for text in (*gradio_scripts(), *map(head_script, ("router", "browser", "setups")))
    ),
    f"hermesWorkbench.terms = {json.dumps(dict(TERMS))};",
    f"hermesWorkbench.emptyPlaces = {json.dumps({name: asdict(place) for name, place in EMPTY_PLACES.items()})};",
    f"hermesWorkbench.samplingFields = {json.dumps(declared_fields())};",
)
"""Scripts that run before Gradio's own."""
FILE_CLEANUP: Final = (3600, 86_400)
"""When uploaded and served files are deleted: the interval between checks and the maximum age, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page, and the work that must be stopped when it closes."""

    blocks: PageBlocks
    """The Gradio app, to be launched or mounted with `launch_options`."""
    files: FileOwners
    """The owners of uploaded and offered files."""
    work: TabWork
    """What the open tabs are busy with."""
    suite_runs: ActiveRuns
    """Running suite runs."""


def build_page(services: Services) -> Page:
    """Build the whole page, without serving it."""
    if serves_others(services.settings):
        # Services that are not bound to the sender of an event get the fewest permissions.
        services = services.of(NOBODY)
    work, suite_runs = TabWork(), ActiveRuns()
    checks = PageChecks.of(services)
    with PageBlocks(
        checks,
        lazy_tabs=LAZY_TABS,
        title=TITLE,
        fill_width=True,
        analytics_enabled=False,
        delete_cache=FILE_CLEANUP,
    ) as blocks:
        frame = build_frame(services.settings)
        guide = build_guide()
        with gr.Tabs(elem_id="page-tabs", overflow_behavior="wrap") as tabs:
            with gr.Tab("Play", elem_id="page-tab-play", id="play") as play_tab:
                play_parts = play.PlayParts(services, frame, guide.tour)
            with gr.Tab("Inspect", elem_id="page-tab-inspect", id="inspect") as inspect_tab:
                inspect_parts = inspect.build(services)
            with gr.Tab("Compare", elem_id="page-tab-compare", id="compare") as compare_tab:
                compare_parts = compare.build(services)
            with gr.Tab("Contracts", elem_id="page-tab-contracts", id="contracts") as contracts_tab:
                contracts_parts = contracts.build(services)
            with gr.Tab("Tools", elem_id="page-tab-tools", id="tools"):
                tools_parts = tools.build(takes_servers=services.owner.may(Permission.ADD_SERVERS))
            with gr.Tab("Suites", elem_id="page-tab-suites", id="suites") as suites_tab:
                suites_parts = suites.build(services)
            with gr.Tab("Label", elem_id="page-tab-label", id="label") as label_tab:
                label_parts = label.build()
            data_parts = data.build(services)
            with gr.Tab("Models", elem_id="page-tab-models", id="models") as models_tab:
                models_parts = models.build(services)
        later = [tab for tab in tabs.children if isinstance(tab, gr.Tab) and tab.elem_id in LAZY_TABS]
        TabLoader(frame.tab_loader, later).wire()
        play.wire(blocks, play_parts, services, work, frame, tab=play_tab)
        wire_guide(guide, services, play_parts)
        inspect.wire(inspect_parts, services, play_parts.state, tab=inspect_tab)
        wire_compare(blocks, compare_parts, services, work, tabs=tabs, tab=compare_tab, play=play_parts)
        setup = play_parts.setup
        wire_contracts(
            contracts_parts,
            services,
            play_parts.state,
            tab=contracts_tab,
            tabs=tabs,
            play=[setup.contract_name, play_parts.conversation.editors],
            measure=[suites_parts.grid.contracts, suites_parts.grid.further, suites_parts.improve.fold],
            download=play_parts.sessions.download,
        )
        wire_tools(
            blocks,
            tools_parts,
            services,
            play_parts.state,
            tabs=tabs,
            play=[play_parts.setup.toolset, play_parts.conversation.editors],
            download=play_parts.sessions.download,
        )
        label.wire(
            label_parts,
            services,
            work,
            play_parts.state,
            tab=label_tab,
        )
        wire_rows(play_parts, services, suite_runs)
        data.wire(data_parts, services, play_parts.state, play_parts.sessions.sessions)
        wire_suites(suites_parts, services, suite_runs, play_parts, tab=suites_tab)
        model = play_parts.setup.model
        chosen = wire_picker(frame.picker, services, play_parts.state, model)
        opened = models.wire(models_parts, services, play_parts.state, tab=models_tab, tabs=tabs, model=model)
        for used in (chosen, *opened):
            play.warm_after(used.then, play_parts, services, frame.header)
        offer_api(services, work)
    open_queue(blocks, most=services.limits.requests_at_once, address_of=address_of)
    return Page(blocks=blocks, files=checks.files, work=work, suite_runs=suite_runs)


def page_head() -> str:
    """Return what the page's HTML needs in its head: our scripts, which run before Gradio's own, and styles.

    Gradio's option `head` would add them only while its own scripts run.
    """
    return "".join(
        (
            *(f"<script>{text}</script>" for text in HEAD_SCRIPTS),
            f'<link rel="stylesheet" href="{styles_address()}">',
            f'<link rel="modulepreload" href="{scripts_address()}">',
        )
    )


class LaunchOptions(TypedDict):
    """The options that `launch` and `mount_gradio_app` need in addition to the page."""

    theme: WorkbenchTheme
    footer_links: list[Literal["api", "gradio", "settings", "runs"] | dict[str, str]]
    run_history: bool


def launch_options() -> LaunchOptions:
    """Return the options: our theme, no footer links, and no record of calls in the browser."""
    return LaunchOptions(theme=WorkbenchTheme(), footer_links=[], run_history=False)
