"""Select a message or call, and load the content of a pane when it becomes visible."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.opened_session import OpenedSession
from workbench.app.other_prompts import compare_prompt, other_texts
from workbench.app.services import Services
from workbench.app.token_sheet import CompletionLogprobs, count_sections, message_logprobs, tokens_of_message
from workbench.app.turns import running_turn
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, optional_number_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.contracts import DiffView, show_diff
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.decision import show_decision, show_logprobs
from workbench.ui.present.live import LiveView, show_note
from workbench.ui.present.notices import CLEAR, NoticeView, advice, problem
from workbench.ui.present.parsers import ParserComparisonView, show_round_differ
from workbench.ui.present.raw import OtherPrompt, RawView, section_spans, show_round, with_sizes
from workbench.ui.present.session import family_of, show_session, tools_of
from workbench.ui.present.sessions import AddressView
from workbench.ui.present.tokens import TokensView, ask_tokens, show_reported_tokens, show_tokens
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.screen import Screen, reopened, round_at
from workbench.ui.tabs.tab_work import TabWork


@dataclass(frozen=True, slots=True)
class InspectorEvents:
    """Handlers of the inspector, the right column."""

    services: Services

    @needs(Permission.WORK)
    def on_pick(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Show the message or call picked in the transcript, which already highlights it."""
        return self.on_pick_call(state, request, event)._replace(transcript=SAME)

    @needs(Permission.WORK)
    def on_pick_call(self, state: TabState, request: gr.Request, event: gr.EventData) -> Screen:
        """Show the call picked in another pane."""
        opened = reopened(services_of(self.services, state, request), state)
        if opened is None:
            return Screen()
        message_id, call = id_of(event), optional_number_of(event, "call")
        view = show_session(
            opened.path, opened.session.setup, tree=opened.tree, message_id=message_id, call=call
        )
        address = AddressView(session=state.session_id, shared=state.share_key, message=message_id)
        picked = replace(state, message_id=message_id, call_index=call)
        return Screen(state=picked, address=address, transcript=view.transcript).with_round(view)

    @needs(Permission.WORK)
    def on_ask_raw(self, state: TabState, request: gr.Request, event: gr.EventData) -> RawView | Update:
        """Return the raw pane with section sizes in tokens, and the texts its prompt can be compared with."""
        shown = self._shown_round(state, request, event)
        if shown is None:
            return SAME
        services, opened, read_round = shown
        setup = opened.session.setup
        try:
            found = other_texts(services, setup, opened.path, read_round.stored.id)
        except WorkbenchError:
            found = ()
        others = tuple(OtherPrompt(key=other.key, label=other.label) for other in found)
        view = show_round(
            opened.path, read_round, family=family_of(setup), call=state.call_index, others=others
        )
        return with_sizes(view, count_sections(services, setup.model, view.text, section_spans(view)))

    @needs(Permission.WORK)
    @shows_error(None, NOTICE)
    def on_compare(
        self, state: TabState, request: gr.Request, event: gr.EventData
    ) -> tuple[DiffView | None, NoticeView]:
        """Compare the prompt with the chosen text; return no diff if nothing is chosen."""
        services, key = services_of(self.services, state, request), id_of(event, "key")
        opened = reopened(services, state)
        if opened is None or not key:
            return None, CLEAR
        comparison = compare_prompt(services, opened.session.setup, opened.path, id_of(event), key)
        return show_diff(comparison.title, comparison.diff), CLEAR

    @needs(Permission.WORK)
    def on_ask_tokens(self, state: TabState, request: gr.Request, event: gr.EventData) -> TokensView | Update:
        """Return the tokens of a completion and of its prompt."""
        shown = self._shown_round(state, request, event)
        if shown is None:
            return SAME
        services, opened, read_round = shown
        setup = opened.session.setup
        try:
            sheet = tokens_of_message(services, setup.model, read_round.stored)
        except WorkbenchError as error:
            return show_reported_tokens(read_round, f"No exact tokens: {error}.")
        raw = show_round(opened.path, read_round, family=family_of(setup))
        return show_tokens(read_round, sheet, raw.sections[:-1])

    @needs(Permission.WORK)
    def on_ask_differ(
        self, state: TabState, request: gr.Request, event: gr.EventData
    ) -> ParserComparisonView | Update:
        """Return what other parsers would have read in the completion."""
        shown = self._shown_round(state, request, event)
        if shown is None:
            return SAME
        _, opened, read_round = shown
        return show_round_differ(read_round, tools_of(opened.session.setup))

    def _shown_round(
        self, state: TabState, request: gr.Request, event: gr.EventData
    ) -> tuple[Services, OpenedSession, ReadRound] | None:
        """Return the open session and the completion that a pane shows, or None if it no longer exists."""
        services = services_of(self.services, state, request)
        opened = reopened(services, state)
        read_round = round_at(opened, id_of(event))
        return None if opened is None or read_round is None else (services, opened, read_round)


@dataclass(frozen=True, slots=True)
class DecisionEvents:
    """Handlers of the Decision pane."""

    services: Services
    work: TabWork
    """What each tab is busy with; Stop also ends the computation of logprobs."""

    @needs(Permission.ASK)
    def on_weigh(self, state: TabState, event: gr.EventData, request: gr.Request) -> Iterator[Screen]:
        """Compute the logprobs of the completion with the event's id."""
        tab, message_id = request.session_hash or "", id_of(event)
        services = services_of(self.services, state, request)
        session = services.sessions.find_session(state.session_id) if state.session_id else None
        if session is None or running_turn(services, session.id) or not self.work.begin(tab):
            yield Screen(notice=advice("Wait until the model has answered."))
            return
        yield Screen(live=show_note("computing logprobs"), notice=CLEAR).with_run(is_running=True)
        read_round, shown = None, Screen()
        try:
            path = services.sessions.path(session.id, leaf_id=state.leaf_id)
            rounds = read_path(path, session.setup.offered_tools())
            read_round = next(
                (read_round for read_round in rounds if read_round.stored.id == message_id), None
            )
            stop = self.work.stop_of(tab)
            logprobs = read_round and message_logprobs(
                services, session.setup, read_round.stored, is_cancelled=stop
            )
            shown = self._shown(services, state, read_round, logprobs)
        except WorkbenchError as error:
            shown = Screen(notice=problem(error), decision=show_decision(read_round))
        finally:
            self.work.end(tab)
        yield shown._replace(live=LiveView()).with_run(is_running=False)

    def _shown(
        self,
        services: Services,
        state: TabState,
        read_round: ReadRound | None,
        logprobs: CompletionLogprobs | None,
    ) -> Screen:
        """Return the panes with the logprobs, or unchanged panes if the computation was stopped."""
        opened = reopened(services, state)
        if read_round is None or logprobs is None or opened is None:
            return Screen(decision=show_decision(read_round), tokens=ask_tokens(read_round))
        setup = opened.session.setup
        sheet = tokens_of_message(services, setup.model, read_round.stored)
        prompt = show_round(opened.path, read_round, family=family_of(setup)).sections[:-1]
        return Screen(
            decision=show_logprobs(read_round, logprobs),
            tokens=show_tokens(read_round, sheet, prompt, logprobs.tokens),
        )
