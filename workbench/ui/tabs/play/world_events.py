"""The World pane of the inspector: load the world at a message, and change it on a new branch."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.app.turns import running_turn
from workbench.app.world_editing import edit_world, world_moment
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import advice, page_text
from workbench.ui.present.world import WorldView, no_world, show_world
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.message_events import check_own, opened_of, shown_at
from workbench.ui.tabs.play.screen import Screen, reopened
from workbench.ui.tabs.tab_work import TabWork, tab_of


@dataclass(frozen=True, slots=True)
class WorldEvents:
    """Handlers of the World pane."""

    services: Services
    work: TabWork
    """What each tab is busy with."""

    @needs(Permission.WORK)
    def on_ask_world(self, state: TabState, request: gr.Request, event: gr.EventData) -> WorldView | Update:
        """Return the world after a message and the results of its calls."""
        services = services_of(self.services, state, request)
        opened, message_id = reopened(services, state), id_of(event)
        if opened is None:
            return SAME
        try:
            moment = world_moment(services, opened.session.setup, opened.path, message_id)
        except WorkbenchError as error:
            return no_world(message_id, page_text(error))
        if moment is None:
            return no_world(message_id)
        can_edit = not state.is_read_only
        return show_world(message_id, moment.last.id, moment.before, moment.after, can_edit=can_edit)

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_edit_world(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Show a new branch that goes on with another world."""
        services = services_of(self.services, state, request)
        check_own(state)
        if self.work.is_running(tab_of(request)) or running_turn(services, state.session_id):
            return Screen(notice=advice("Wait until the model has answered. Your edit is not lost."))
        opened = opened_of(services, state)
        changed = edit_world(services, opened.session.id, opened.path, id_of(event), text_of(event, "text"))
        return shown_at(services, state, changed.id)
