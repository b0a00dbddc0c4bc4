"""Start, watch and stop a turn."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.opened_session import open_newest
from workbench.app.person import PersonAnswered
from workbench.app.services import Services
from workbench.app.turns import running_turn
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.records.run_config import RunConfig
from workbench.toolspec.tools_text import parse_tools, render_tools
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import PLAY_EDITORS, EditorsView, changes_back, tools_change
from workbench.ui.present.live import LiveView
from workbench.ui.present.notices import CLEAR, NoticeLine, NoticeView, advice, problem
from workbench.ui.present.questions import missing_toolset
from workbench.ui.present.sessions import AddressView
from workbench.ui.present.setup import SETUP_FIELDS, Activity, parse_setup
from workbench.ui.shown_errors import shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.late_answers import StateOf
from workbench.ui.tabs.play.message_events import message_view
from workbench.ui.tabs.play.screen import Screen, list_sessions
from workbench.ui.tabs.play.session_events import agreement_notice
from workbench.ui.tabs.play.setup_events import SetupEvents
from workbench.ui.tabs.play.starting import TurnFields, start_from_page
from workbench.ui.tabs.play.watching import turn_header, watch
from workbench.ui.tabs.tab_work import TabWork, tab_of

CROWDED = "Too many tabs show this answer, so this one stopped. Reload it to continue here."
"""Shown in a tab whose place another tab took."""


@dataclass(frozen=True, slots=True)
class TurnEvents:
    """Handlers of the conversation, the middle column."""

    services: Services
    work: TabWork
    """What each tab is busy with."""
    setups: SetupEvents
    """Shows the model's state in the header."""
    visitor_of: StateOf = lambda _tab: None

    @needs(Permission.ASK)
    @shows_error(Screen)
    def on_begin(
        self,
        state: TabState,
        text: str,
        execution: str,
        samples: object,
        request: gr.Request,
        signed_in: gr.OAuthToken | None,
        *setup: object,
    ) -> Screen:
        """Start a turn with the message and empty the composer. The page then watches the turn."""
        if state.is_read_only:
            return Screen(notice=advice("This session is read-only. Copy it to continue."))
        if not text.strip():
            return Screen(notice=advice("Write a message first."))
        if self.work.is_running(tab_of(request)):
            return Screen(notice=advice("Wait until the logprobs are computed, or stop that."))
        services = services_of(self.services, state, request)
        fields = TurnFields(execution=execution, samples=samples, setup=setup, signed_in=signed_in)
        # A second press of the button starts nothing, and the text stays.
        screen = start_from_page(services, self.work, state, request, fields, text=text)
        turn = self.work.sent_by(tab_of(request))
        if turn is None or screen.notice is SAME:
            return screen
        return screen._replace(notice=_offer(services, text, turn.request.setup))

    @needs(Permission.ASK)
    @shows_error(Screen)
    def on_example(
        self,
        state: TabState,
        execution: str,
        samples: object,
        request: gr.Request,
        event: gr.EventData,
        signed_in: gr.OAuthToken | None,
        *setup: object,
    ) -> Screen:
        """Send an example question, with the toolset that it needs."""
        services, toolset = services_of(self.services, state, request), text_of(event, "toolset")
        values = dict(zip(SETUP_FIELDS, setup, strict=True))
        if toolset:
            tools_text = render_tools(services.tools.select((toolset,)))
            values |= {"tools_text": tools_text, "disabled_tools": frozenset[str]()}
        filled = tuple(values.values())
        fields = TurnFields(execution=execution, samples=samples, setup=filled, signed_in=signed_in)
        screen = start_from_page(services, self.work, state, request, fields, text=text_of(event, "text"))
        editors = screen.editors
        if not toolset or not isinstance(editors, EditorsView):
            return screen
        tools = tools_change(state, str(values["tools_text"]))
        return screen._replace(
            editors=editors.changed(editors.serial, tools, *editors.changes),
            filled=self.setups.filled(services, parse_setup(filled)),
        )

    @needs(Permission.WORK)
    def on_watch(self, state: TabState, request: gr.Request, event: gr.EventData) -> Iterator[Screen]:
        """Show the turn of the open session from where it is until it ends.

        A turn that has just ended is shown only to a page that names it, because it has started the turn.
        """
        tab, services = tab_of(request), services_of(self.services, state, request)
        turn = services.turns.find(services.owner.key, state.session_id or "")
        if turn is None or state.is_read_only or (turn.over.is_set() and turn.id != id_of(event, "turn")):
            # A generator that yields nothing would empty every component.
            yield Screen()
            return
        with self.work.watching(tab) as gone:
            is_starter = self.work.sent_by(tab) is turn
            yield Screen(
                # Any other tab is here already.
                address=AddressView(session=turn.subject) if is_starter else SAME,
                header=turn_header(services, turn, Activity.WRITING),
            ).with_run(is_running=True)
            shown = state

            def current() -> TabState:
                return self.visitor_of(tab) or shown

            try:
                for screen in watch(services, current, turn, gone, is_starter=is_starter):
                    shown = screen.state if isinstance(screen.state, TabState) else shown
                    yield screen
            except WorkbenchError as error:
                if current().session_id == turn.subject:
                    yield _failed(services, current(), error)
                return
            if current().session_id != turn.subject or not self.work.is_watching(tab, gone):
                return
            if not turn.over.is_set():
                yield Screen(live=LiveView(), notice=advice(CROWDED))
                return
            if not turn.has_stored:
                yield _failed(services, current())
            elif turn.request.samples > 1:
                agreed = agreement_notice(services, current())
                yield Screen(notice=agreed if agreed.lines else SAME)

    @needs(Permission.WORK)
    def on_settle(self, state: TabState, model: str, request: gr.Request) -> Screen:
        """Reset the buttons after a turn, however it ended. Does nothing if the session's turn is running.

        The text of a turn that failed goes back into the composer, above what was typed meanwhile.
        """
        tab, services = tab_of(request), services_of(self.services, state, request)
        if self.work.is_running(tab) or running_turn(services, state.session_id):
            return Screen()
        screen = Screen(
            live=LiveView(),
            sessions=list_sessions(services, state),
            header=self.setups.header(services, model),
        )
        turn = self.work.sent_by(tab)
        unsent = turn.take_unsent() if turn is not None else ""
        if turn is not None and unsent:
            # It goes back to where it was written, even if the tab shows another session by now.
            written_in = replace(state, session_id=turn.request.session_id, share_key=None)
            screen = screen._replace(editors=message_view(services, written_in, "unsent", unsent))
        return screen.with_run(is_running=False).with_waiting(PersonAnswered())

    @needs(Permission.WORK)
    def on_stop(self, state: TabState, request: gr.Request) -> None:
        """Stop the turn of the open session, in whatever tab it was started. The text written so far is saved."""
        self.work.stop(tab_of(request))
        turn = running_turn(services_of(self.services, state, request), state.session_id)
        if turn is not None:
            turn.stop.set()

    @needs(Permission.WORK)
    def on_leave(self, request: gr.Request) -> None:
        """Release what a closed tab was busy with. Its turn goes on."""
        self.work.leave(tab_of(request))


def _offer(services: Services, text: str, setup: RunConfig) -> NoticeView:
    """Return a notice with the toolset that fits the message, if none of the offered tools does."""
    tools = parse_tools(setup.tools_text)
    enabled = tools.only(frozenset(tools.names) - setup.disabled_tools) if setup.disabled_tools else tools
    toolset = missing_toolset(text, enabled, lambda: services.tools.toolsets())
    if not toolset:
        return CLEAR
    words = f"None of the offered tools fits this message. The toolset {toolset!r} may."
    return NoticeView(lines=(NoticeLine(word="note", text=words, tone="quiet", toolset=toolset),))


def _failed(services: Services, state: TabState, error: WorkbenchError | None = None) -> Screen:
    """Show the error and the messages saved so far. Without an error, the turn was stopped before it began."""
    notice = problem(error) if error else advice("Stopped before the model started.")
    opened = open_newest(services, state.session_id or "", state.leaf_id)
    if opened is None:
        # The session was to be created by this turn.
        back = changes_back(state.session_id or "")
        return Screen(
            state=replace(state, session_id=None),
            editors=PLAY_EDITORS.changed(services.calendar.seconds(), *back),
            address=AddressView(session=None, is_replaced=True),
            notice=notice,
        )
    return Screen(notice=notice).with_opened(opened, state)
