"""Open the page: what its address names, with the user's account, presets and first steps."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.demo import is_demo_loaded
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.owners import browser_key_of, services_of
from workbench.ui.permissions import needs
from workbench.ui.present.guide import DemoView, TourView
from workbench.ui.present.notices import CLEAR, advice, problem
from workbench.ui.present.place import Place, parse_place
from workbench.ui.present.presets import PresetBarView, stored_setup
from workbench.ui.present.sessions import AccountView
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.preset_events import SHARED, PresetEvents, asked_preset, default_setup
from workbench.ui.tabs.play.screen import Screen
from workbench.ui.tabs.play.session_events import LOADING, SessionEvents


@dataclass(frozen=True, slots=True)
class OpeningEvents:
    """The handler of the loaded page."""

    services: Services
    sessions: SessionEvents

    @needs(Permission.WORK)
    def on_page(self, secret: str, stored: str, query: str, request: gr.Request) -> Screen:
        """Open the page with the session, message, preset or shared link in the address.

        Args:
            secret: The secret of the browser.
            stored: The setup that the browser stored, as `stored_setup` reads it.
            query: The query string of the address of what Play should show.
            request: The request.
        """
        state = TabState(browser_key=browser_key_of(secret))
        services = services_of(self.services, state, request)
        account = AccountView(name=services.owner.name if services.settings.accounts else "")
        try:
            place = parse_place(query)
        except BadInput as error:
            shown = self.sessions.start(services, state, problem(error), request=LOADING)
            preset_id = None
        else:
            shown, preset_id = self._requested(services, state, place, stored)
        tour, demo = _first_steps(services, shown.state)
        return shown._replace(account=account, presets=self._bar(services, preset_id), tour=tour, demo=demo)

    def _requested(
        self, services: Services, state: TabState, place: Place, stored: str
    ) -> tuple[Screen, str | None]:
        """Return what the address asks for, and the id of the preset that it names, if it is an own one."""
        if place.get("shared") or place.get("session"):
            return self.sessions.open_place(services, state, place, LOADING), None
        notice, preset_id, preset = CLEAR, None, None
        try:
            setup = stored_setup(stored, default_setup(services), services.settings)
            preset = asked_preset(services, place.values)
            if preset is not None:
                setup = preset.setup
                preset_id = preset.listed.id if preset.is_own else None
                notice = CLEAR if preset.is_own else advice(SHARED)
        except WorkbenchError as error:
            setup, notice = None, problem(error)
        is_preset = preset is not None
        shown = self.sessions.start(
            services, state, notice, setup=setup, is_preset=is_preset, request=LOADING
        )
        return shown, preset_id

    def _bar(self, services: Services, preset_id: str | None) -> PresetBarView | Update:
        try:
            return PresetEvents(self.services, self.sessions.setups).bar(
                services, open_id=preset_id, is_filled=preset_id is not None
            )
        except WorkbenchError:
            # The session list has shown the error.
            return SAME


def _first_steps(services: Services, state: object) -> tuple[TourView, DemoView]:
    """Offer the tour to users without sessions, and show the demo buttons."""
    try:
        has_session = isinstance(state, TabState) and state.session_id is not None
        is_empty = not has_session and not services.sessions.list_sessions(limit=1)
        return TourView(is_empty=is_empty, serial=1), DemoView(is_loaded=is_demo_loaded(services))
    except WorkbenchError:
        # The page itself has shown the error.
        return TourView(), DemoView()
