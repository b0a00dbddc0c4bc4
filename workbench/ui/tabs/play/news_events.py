"""Show what the gateway recorded since the page last looked: in the session list and in the open session."""

from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.opened_session import open_session
from workbench.app.services import Services
from workbench.app.turns import running_turn
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.ui.incoming.fields import text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.sessions import SessionsView
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen, list_sessions


@dataclass(frozen=True, slots=True)
class NewsEvents:
    """Handlers of a page that looks for news."""

    services: Services

    @needs(Permission.WORK)
    def on_look(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Refresh the list if the gateway has recorded something since, and show new messages of the open session.

        A new message is shown if it continues the branch that the page shows. Others are only counted there.
        """
        services, seen = services_of(self.services, state, request), text_of(event, "recorded")
        try:
            last = services.recordings.last_recorded()
            if last is None:
                return Screen()
            screen = Screen(sessions=list_sessions(services, state))
            if last.isoformat() != seen:
                screen = _with_session(services, state, screen)
            elif isinstance(screen.sessions, SessionsView) and screen.sessions.look_ms:
                # There is no news, but there may be soon.
                return Screen()
        except WorkbenchError:
            # Nobody asked for this. The next look may succeed.
            return Screen()
        return screen


def _with_session(services: Services, state: TabState, screen: Screen) -> Screen:
    """Add the open session to the screen, if it has changed and nothing else changes it right now."""
    session_id = state.session_id
    if session_id is None or state.share_key is not None or running_turn(services, session_id):
        return screen
    newest = open_session(services, session_id)
    if newest is None or newest.leaf_id == state.leaf_id:
        return screen
    if all(stored.id != state.leaf_id for stored in newest.path):
        # Another branch: the page stays at its own, and shows that there is one more.
        newest = open_session(services, session_id, leaf_id=state.leaf_id)
        return screen if newest is None else screen.with_opened(newest, state)
    return screen.with_opened(newest, replace(state, leaf_id=newest.leaf_id))
