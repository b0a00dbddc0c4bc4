"""Help for new users: the first example and the tour, demo sessions, command palette and shortcuts."""

from dataclasses import dataclass, replace
from typing import Final

import gradio as gr

from workbench.app.demo import (
    EXAMPLE,
    EXAMPLE_TAG,
    load_conversation,
    load_demo,
    remove_demo,
)
from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.records.session_tree import SearchFilter
from workbench.ui.components.drawn import Drawn
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import COMPOSER, DocumentChange, EditorsView, composer_of
from workbench.ui.present.guide import (
    KEYS,
    DemoView,
    HelpView,
    PaletteView,
    TourView,
    matching_items,
    session_items,
)
from workbench.ui.present.notices import NoticeView
from workbench.ui.present.sessions import SessionsView
from workbench.ui.present.words import count
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen, list_sessions
from workbench.ui.tabs.play.session_events import SessionEvents
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.tab import PlayParts

MOST_SESSIONS: Final = 20
"""The most sessions in the command palette."""
MOST_NAMED: Final = 30
"""The most contracts, tools and suites in the command palette."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideParts:
    """The components outside the tabs."""

    tour: Drawn
    palette: Drawn
    keys: Drawn


@dataclass(frozen=True, slots=True)
class GuideEvents:
    """Handlers of the tour, the demo sessions and the command palette."""

    services: Services
    sessions: SessionEvents

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_first_visit(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Open the example conversation, for the tour. Unless it was asked for, only if there is no session yet."""
        services, is_asked = services_of(self.services, state, request), bool(text_of(event, "asked"))
        if not is_asked and services.sessions.list_sessions(limit=1):
            return Screen()
        found = services.search.find("", SearchFilter(tag=EXAMPLE_TAG), limit=1)
        session_id = found[0].session.id if found else load_conversation(services, EXAMPLE, EXAMPLE_TAG)
        example = replace(state.at_home(), session_id=session_id)
        tour = TourView(is_ready=True, serial=int(services.calendar.seconds()))
        opened = self.sessions.open(services, state.at_home(), session_id)._replace(tour=tour)
        if is_asked:
            return opened
        # If a message was sent meanwhile, its session stays on the screen.
        is_sent = bool(services.turns.all_running(services.owner.key))
        if is_sent or len(services.sessions.list_sessions(limit=2)) > 1:
            return Screen(sessions=list_sessions(services, state))
        # Keep what was typed since the page opened.
        editors = opened.editors
        if not isinstance(editors, EditorsView):
            return opened
        others = (change for change in editors.changes if change.field != COMPOSER)
        typed = DocumentChange(how="moved", document=composer_of(example), was=composer_of(state))
        return opened._replace(editors=editors.changed(editors.serial, *others, typed))

    @needs(Permission.WORK)
    @shows_error(DemoView(), SAME, NOTICE)
    def on_load_demo(
        self, state: TabState, request: gr.Request
    ) -> tuple[DemoView, SessionsView | Update, NoticeView | Update]:
        """Create the demo sessions for the user."""
        services = services_of(self.services, state, request)
        added = len(load_demo(services))
        view = DemoView(is_loaded=True, note=f"Added {count(added, 'session')} with the tag demo.")
        return view, list_sessions(services, state), SAME

    @needs(Permission.WORK)
    @shows_error(DemoView(is_loaded=True), SAME, NOTICE)
    def on_remove_demo(
        self, state: TabState, request: gr.Request
    ) -> tuple[DemoView, SessionsView | Update, NoticeView | Update]:
        """Delete the demo sessions, which can be restored."""
        services = services_of(self.services, state, request)
        gone = remove_demo(services)
        view = DemoView(note=f"{count(gone, 'session')} deleted. Restore them under Deleted.")
        return view, list_sessions(services, state), SAME

    @needs(Permission.WORK)
    def on_find(self, state: TabState, request: gr.Request, event: gr.EventData) -> PaletteView:
        """Find contracts, tools, suites and sessions with all words typed into the palette."""
        services, query = services_of(self.services, state, request), text_of(event, "query")
        try:
            toolsets = services.tools.toolsets()
            tools = [
                item
                for toolset, offered in toolsets.items()
                for item in matching_items("tool", offered.names, query, note=toolset)
            ]
            named = [
                *matching_items("contract", services.contract_names(), query),
                *matching_items("suite", suite_names(services), query),
                *matching_items("preset", (preset.name for preset in services.presets.list_presets()), query),
                *{item.id: item for item in tools}.values(),
            ]
            found = session_items(services.search.find(query, limit=MOST_SESSIONS))
        except WorkbenchError:
            # The browser still finds tabs and commands.
            return PaletteView(query=query)
        items = (*named[:MOST_NAMED], *found) if query.strip() else tuple(found)
        return PaletteView(query=query, items=items)


def build_guide() -> GuideParts:
    """Build the components, which are hidden until they are needed."""
    Drawn("help", HelpView(), elem_id="page-help")
    return GuideParts(
        tour=Drawn("tour", TourView(), elem_id="page-tour"),
        palette=Drawn("palette", PaletteView(), elem_id="page-palette"),
        keys=Drawn("keys_help", KEYS, elem_id="page-keys"),
    )


def wire_guide(
    parts: GuideParts,
    services: Services,
    play: PlayParts,
) -> None:
    """Connect the components with their handlers.

    Args:
        parts: The components from `build_guide`.
        play: The Play tab, where sessions are opened.
    """
    events = GuideEvents(services, SessionEvents(services, SetupEvents(services)))
    state, own = [play.state], play.sessions
    opened = {**play.whole, "tour": parts.tour}
    listen(parts.tour.event("first_visit"), events.on_first_visit, state, opened)
    demo = [own.demo, own.sessions, own.notice]
    listen(own.demo.event("load_demo"), events.on_load_demo, state, demo)
    listen(own.demo.event("remove_demo"), events.on_remove_demo, state, demo)
    listen(parts.palette.event("find_any"), events.on_find, state, [parts.palette], is_latest_only=True)
