"""Rename, share, copy, delete and export sessions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.export import export_sharegpt
from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, json_text_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.sessions import DownloadView, SessionBarView, read_filter, show_bar
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import PAGE, TabState
from workbench.ui.tabs.play.screen import Screen, list_sessions
from workbench.ui.tabs.play.session_events import SessionEvents


@dataclass(frozen=True, slots=True)
class ListEvents:
    """Handlers of the session list and of the bar above the conversation."""

    services: Services
    sessions: SessionEvents

    @needs(Permission.WORK)
    def on_rename(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Rename the open session."""
        title = text_of(event, "title")
        return self._change(state, request, lambda own, open_id: own.sessions.rename_session(open_id, title))

    @needs(Permission.WORK)
    def on_tag(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Set the tags of the open session, given as comma-separated text."""
        tags = tuple(dict.fromkeys(tag.strip() for tag in text_of(event, "tags").split(",") if tag.strip()))
        return self._change(state, request, lambda own, open_id: own.sessions.tag_session(open_id, tags))

    @needs(Permission.WORK)
    def on_share(self, state: TabState, request: gr.Request) -> Screen:
        """Create a link that shows the open session to others."""
        return self._change(state, request, lambda own, open_id: own.sharing.share(open_id))

    @needs(Permission.WORK)
    def on_unshare(self, state: TabState, request: gr.Request) -> Screen:
        """Remove the link of the open session."""
        return self._change(state, request, lambda own, open_id: own.sharing.unshare(open_id))

    @needs(Permission.WORK)
    def on_copy(self, state: TabState, request: gr.Request) -> Screen:
        """Copy a read-only session into the user's own sessions, and open the copy."""
        services = services_of(self.services, state, request)
        try:
            if state.share_key is not None:
                copy = services.sharing.copy_shared(state.share_key)
            else:
                copy = services.sessions.copy_session(state.session_id or "")
        except WorkbenchError as error:
            return self.sessions.start(services, state.at_home(), problem(error))
        return self.sessions.open(services, state.at_home(), copy.id)

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_delete(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Delete a session. If it is open, show an empty page."""
        services, session_id = services_of(self.services, state, request), id_of(event)
        deleted = services.sessions.find_session(session_id)
        services.sessions.delete_session(session_id)
        is_open = state.session_id == session_id
        listed = replace(state, session_id=None) if is_open else state
        view = list_sessions(services, listed, undo_id=session_id)
        if not is_open:
            return Screen(sessions=view)
        screen = self.sessions.start(
            services,
            state.at_home(),
            setup=deleted.setup if deleted else None,
            keeps_setup=True,
            is_replaced=True,
        )
        return screen._replace(sessions=view)

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_restore(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Restore a deleted session."""
        services = services_of(self.services, state, request)
        services.sessions.restore_session(id_of(event))
        return Screen(sessions=list_sessions(services, state), notice=CLEAR)

    @needs(Permission.WORK)
    def on_scope(self, state: TabState, request: gr.Request) -> Screen:
        """Switch an admin's list between all users' sessions and their own."""
        return self._listed(replace(state, all_owners=not state.all_owners), request)

    @needs(Permission.WORK)
    def on_search(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Search the sessions by words and by the filter beside the search field."""
        try:
            search_filter = read_filter(json_text_of(event, "filter"))
        except BadInput as error:
            return Screen(notice=problem(error))
        return self._listed(
            replace(state, query=text_of(event, "query"), search_filter=search_filter, listed=PAGE), request
        )

    @needs(Permission.WORK)
    def on_more(self, state: TabState, request: gr.Request) -> Screen:
        """Show another page of the list."""
        return self._listed(replace(state, listed=state.listed + PAGE), request)

    @needs(Permission.WORK)
    def on_export_open(
        self, state: TabState, request: gr.Request
    ) -> tuple[DownloadView | Update, NoticeView]:
        """Export the open session as a file."""
        if state.session_id is None:
            return SAME, advice("Nothing to export yet. Send a message first.")
        if state.share_key is not None:
            return SAME, advice("You can only export your own sessions. Copy this one first.")
        return _export(services_of(self.services, state, request), [state.session_id])

    @needs(Permission.WORK)
    def on_export_all(self, state: TabState, request: gr.Request) -> tuple[DownloadView | Update, NoticeView]:
        """Export all sessions of the user as a file."""
        return _export(services_of(self.services, state, request), None)

    def _listed(self, state: TabState, request: gr.Request) -> Screen:
        services = services_of(self.services, state, request)
        try:
            return Screen(state=state, sessions=list_sessions(services, state))
        except WorkbenchError as error:
            return Screen(notice=problem(error))

    def _change(
        self, state: TabState, request: gr.Request, change: Callable[[Services, str], object]
    ) -> Screen:
        """Change the open session, then refresh the bar and the list."""
        services = services_of(self.services, state, request)
        try:
            change(services, state.session_id or "")
            session = services.sessions.find_session(state.session_id or "")
            bar = show_bar(session, is_by_link=False) if session else SessionBarView()
            return Screen(bar=bar, sessions=list_sessions(services, state), notice=CLEAR)
        except WorkbenchError as error:
            return Screen(notice=problem(error))


def _export(
    services: Services, session_ids: Sequence[str] | None
) -> tuple[DownloadView | Update, NoticeView]:
    try:
        exported = export_sharegpt(services, session_ids)
    except WorkbenchError as error:
        return SAME, problem(error)
    if not exported.row_count:
        return SAME, advice("; ".join(exported.left_out) or "Nothing to export yet. Send a message first.")
    name = f"session-{session_ids[0]}.jsonl" if session_ids else "sessions.jsonl"
    view = DownloadView(name=name, text=exported.text, serial=services.calendar.seconds())
    return view, advice("; ".join(exported.left_out))
