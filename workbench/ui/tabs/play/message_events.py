"""The menu of a message: edit, copy, show as code, continue."""

from dataclasses import dataclass, replace
from typing import Literal

import gradio as gr

from workbench.app.as_code import code_of
from workbench.app.editing import edit_call, edit_text, place_of
from workbench.app.opened_session import OpenedSession
from workbench.app.regenerate import continuation_of
from workbench.app.runs.casting import OWN_SUITE
from workbench.app.runs.suites import suite_names
from workbench.app.services import Services
from workbench.app.turn_request import ResumePoint
from workbench.app.turns import running_turn
from workbench.chat.json_value import JsonObject, as_object
from workbench.chat.message import Role
from workbench.errors import BadInput, WorkbenchError
from workbench.hermes.written_out import written_out
from workbench.records.owner import Permission
from workbench.records.sessions import StoredMessage, index_on
from workbench.ui.incoming.fields import id_of, object_of, optional_number_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.call_form import read_form
from workbench.ui.present.documents import (
    PLAY_EDITORS,
    EditorsView,
    message_change,
)
from workbench.ui.present.message_pane import (
    CaseView,
    DeletedView,
    EditView,
    show_code,
    show_edit,
    show_edit_call,
)
from workbench.ui.present.notices import CLEAR, advice, problem
from workbench.ui.present.session import tools_of
from workbench.ui.present.sessions import AddressView, ClipboardView
from workbench.ui.present.words import count
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen, reopened, round_at
from workbench.ui.tabs.play.starting import TurnFields, start_from_page
from workbench.ui.tabs.tab_work import TabWork, tab_of


@dataclass(frozen=True, slots=True)
class MessageEvents:
    """Handlers of a message's menu and of the pane that it opens."""

    services: Services
    work: TabWork
    """What each tab is busy with."""

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_act(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Handle menu items that need no model: edit, branch, delete, copy, show as code."""
        services = services_of(self.services, state, request)
        opened = opened_of(services, state)
        stored = _of_path(opened, id_of(event))
        match id_of(event, "act"):
            case "edit":
                check_own(state)
                return Screen(
                    message_pane=edit_view(opened, stored.id, optional_number_of(event, "call")),
                    notice=CLEAR,
                )
            case "branch":
                check_own(state)
                return self._branched(services, state, opened, stored)
            case "delete":
                check_own(state)
                return self._deleted(services, state, opened, stored)
            case "code":
                code = code_of(services, opened.session.id, opened.session.setup, opened.path, stored.id)
                return Screen(message_pane=show_code(code), notice=CLEAR)
            case "case":
                pane = CaseView(suites=tuple(suite_names(services)), suite=OWN_SUITE)
                return Screen(message_pane=pane, notice=CLEAR)
            case _:
                copied = ClipboardView(text=written_out(stored.message), serial=services.calendar.seconds())
                return Screen(copied=copied, notice=CLEAR)

    @needs(Permission.WORK)
    def on_edit_again(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Open an edit again that was not finished. If its message is not on this branch, nothing happens."""
        services = services_of(self.services, state, request)
        try:
            opened = opened_of(services, state)
            check_own(state)
            return Screen(message_pane=edit_view(opened, id_of(event), optional_number_of(event, "call")))
        except WorkbenchError:
            return Screen()

    @needs(Permission.ASK)
    @shows_error(Screen)
    def on_begin(
        self,
        state: TabState,
        execution: str,
        samples: object,
        request: gr.Request,
        event: gr.EventData,
        signed_in: gr.OAuthToken | None,
        *setup: object,
    ) -> Screen:
        """Start a turn from the menu: regenerate or continue an answer, or run its calls."""
        services = services_of(self.services, state, request)
        fields = TurnFields(execution=execution, samples=samples, setup=setup, signed_in=signed_in)
        check_own(state)
        stored = _of_path(opened_of(services, state), id_of(event))
        resume = _resume_point(stored, id_of(event, "act"))
        return self._start(services, state, request, fields, resume)

    @needs(Permission.ASK)
    def on_save(
        self,
        state: TabState,
        execution: str,
        samples: object,
        request: gr.Request,
        event: gr.EventData,
        signed_in: gr.OAuthToken | None,
        *setup: object,
    ) -> Screen:
        """Save an edit as a branch, and start a turn from it if requested."""
        services, then = services_of(self.services, state, request), id_of(event, "then")
        fields = TurnFields(execution=execution, samples=samples, setup=setup, signed_in=signed_in)
        try:
            check_own(state)
            if then and self._is_busy(services, state, request):
                return Screen(notice=advice("Wait until the model has answered. Your edit is not lost."))
            opened = opened_of(services, state)
            if then == "continue":
                stored = _of_path(opened, id_of(event))
                resume = ResumePoint(
                    message_id=stored.parent_id or "", prefix=str(object_of(event, "edit").get("text", ""))
                )
                started = self._start(services, state, request, fields, resume)
                return started._replace(message_pane=None)
            last = _saved(
                services, opened, id_of(event), optional_number_of(event, "call"), object_of(event, "edit")
            )
            screen = shown_at(services, state, last.id)
        except WorkbenchError as error:
            return Screen(notice=problem(error))
        if not then or not isinstance(screen.state, TabState):
            return screen
        try:
            resume = ResumePoint(message_id=last.id)
            return self._start(services, screen.state, request, fields, resume, screen)
        except WorkbenchError as error:
            # The edit is saved and shown.
            return screen._replace(notice=problem(error))

    @needs(Permission.WORK)
    @shows_error(Screen)
    def on_restore(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Restore deleted messages and show them."""
        services = services_of(self.services, state, request)
        check_own(state)
        leaf_id = services.sessions.restore_message(state.session_id or "", id_of(event))
        return shown_at(services, state, leaf_id)

    @needs(Permission.WORK)
    def on_close(self) -> None:
        """Close the pane."""
        return

    def _is_busy(self, services: Services, state: TabState, request: gr.Request) -> bool:
        """Whether the session's turn is running, or the tab computes logprobs."""
        return self.work.is_running(tab_of(request)) or bool(running_turn(services, state.session_id))

    def _start(
        self,
        services: Services,
        state: TabState,
        request: gr.Request,
        fields: TurnFields,
        resume: ResumePoint,
        screen: Screen | None = None,
    ) -> Screen:
        if self._is_busy(services, state, request):
            return (screen or Screen())._replace(notice=advice("Wait until the model has answered."))
        started = start_from_page(services, self.work, state, request, fields, resume=resume)
        return (screen or Screen())._replace(
            state=started.state,
            live=started.live,
            notice=CLEAR,
            send=started.send,
            stop=started.stop,
            editors=started.editors,
        )

    def _branched(
        self, services: Services, state: TabState, opened: OpenedSession, stored: StoredMessage
    ) -> Screen:
        """End the path at the message, so that the next message starts a branch.

        For a user message, the path ends before it and its text goes back into the composer.
        """
        is_user = stored.message.role is Role.USER
        place = place_of(opened.path, stored.id)
        last = opened.path[place - 1] if is_user else stored
        explanation = (
            "Your next message starts a new branch. The messages after this point are kept in the old one."
        )
        screen = shown_at(services, state, last.id)._replace(notice=advice(explanation))
        if not is_user:
            return screen
        return screen._replace(editors=message_view(services, state, "replace", stored.message.text))

    def _deleted(
        self, services: Services, state: TabState, opened: OpenedSession, stored: StoredMessage
    ) -> Screen:
        """Delete the message and everything after it, and show the messages before it."""
        services.sessions.delete_message(opened.session.id, stored.id)
        following = len(opened.path) - place_of(opened.path, stored.id) - 1
        pane = DeletedView(message_id=stored.id, title=f"Deleted {count(following + 1, 'message')}.")
        return shown_at(services, state, stored.parent_id or "")._replace(message_pane=pane)


def shown_at(services: Services, state: TabState, leaf_id: str) -> Screen:
    """Show the session up to the message `leaf_id`."""
    chosen = replace(state, leaf_id=leaf_id, message_id=None, call_index=None)
    address = AddressView(session=chosen.session_id)
    screen = Screen(notice=CLEAR, address=address, message_pane=None)
    return screen.with_opened(opened_of(services, chosen), chosen)


def opened_of(services: Services, state: TabState) -> OpenedSession:
    """Return the open session of the tab.

    Raises:
        BadInput: No session is open.
    """
    opened = reopened(services, state)
    if opened is None:
        raise BadInput("message", "no session is open", "open one, or send a message first")
    return opened


def check_own(state: TabState) -> None:
    """Check that the user may change the open session.

    Raises:
        BadInput: It is read-only.
    """
    if state.is_read_only:
        raise BadInput("this session", "it is read-only", "copy it to continue")


def _of_path(opened: OpenedSession, message_id: str) -> StoredMessage:
    return opened.path[index_on(opened.path, message_id)]


def message_view(
    services: Services, state: TabState, how: Literal["replace", "unsent"], text: str
) -> EditorsView:
    """Return a change of the message that is being written in the session of the tab."""
    return PLAY_EDITORS.changed(services.calendar.seconds(), message_change(state, how, text))


def edit_view(opened: OpenedSession, message_id: str, call: object) -> EditView:
    """Return the pane that edits a message on the shown path, or one of its calls.

    Raises:
        BadInput: The message is not on the path, or cannot be edited.
    """
    stored = _of_path(opened, message_id)
    place_of(opened.path, stored.id)
    read_round = round_at(opened, stored.id)
    if isinstance(call, int) and read_round is not None and 0 <= call < len(read_round.reading.calls):
        return show_edit_call(stored, read_round.reading, call, tools_of(opened.session.setup))
    return show_edit(stored)


def _resume_point(stored: StoredMessage, act: str) -> ResumePoint:
    if act == "continue":
        return continuation_of(stored)
    if act == "regenerate":
        return ResumePoint(message_id=stored.parent_id or "", is_answer=True)
    return ResumePoint(message_id=stored.id, is_answer=act == "answer")


def _saved(
    services: Services, opened: OpenedSession, message_id: str, call: int | None, said: JsonObject
) -> StoredMessage:
    session_id, path = opened.session.id, opened.path
    if call is None:
        return edit_text(services, session_id, path, message_id, str(said.get("text", "")))
    tools = tools_of(opened.session.setup)
    texts = {name: str(text) for name, text in as_object(said.get("texts")).items()}
    filled = read_form(str(said.get("name")), texts, tools)
    return edit_call(services, session_id, path, message_id, (call, filled), tools)
