"""The update that an event makes to the Play tab; parts that it leaves out stay unchanged."""

from dataclasses import replace
from typing import NamedTuple

import gradio as gr

from workbench.app.opened_session import OpenedSession, open_session, open_shared
from workbench.app.person import PersonAnswered, PersonAwaited
from workbench.app.services import Services
from workbench.records.owner import Permission
from workbench.records.session_tree import NO_FILTER
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.present.branches import BranchesView, ask_branches
from workbench.ui.present.contracts import DiffView
from workbench.ui.present.conversation import ReadRound, read_path
from workbench.ui.present.decision import DecisionView
from workbench.ui.present.documents import EditorsView
from workbench.ui.present.guide import DemoView, TourView
from workbench.ui.present.inspect import CallsView, FixesView, fixes_label
from workbench.ui.present.live import LiveView, WaitingView, show_waiting
from workbench.ui.present.message_pane import MessagePaneView
from workbench.ui.present.notices import NoticeView
from workbench.ui.present.parsers import ParserComparisonView
from workbench.ui.present.presets import PresetBarView
from workbench.ui.present.raw import RawView
from workbench.ui.present.session import SessionView, show_session, tools_of
from workbench.ui.present.sessions import (
    AccountView,
    AddressView,
    ClipboardView,
    SessionBarView,
    SessionsView,
    show_bar,
    show_sessions,
    with_news,
)
from workbench.ui.present.setup import HeaderView
from workbench.ui.present.timing import TimingView
from workbench.ui.present.tokens import TokensView
from workbench.ui.present.transcript import TranscriptView
from workbench.ui.present.world import WorldView
from workbench.ui.tab_state import TabState


class Screen(NamedTuple):
    """The values of components by name; omitted ones stay unchanged."""

    state: TabState | Update = SAME
    editors: EditorsView | Update = SAME
    composer: Update = SAME
    """Whether a message can be written. Its text is a document, which `editors` changes."""
    bar: SessionBarView | Update = SAME
    send: Update = SAME
    stop: Update = SAME
    live: LiveView | Update = SAME
    notice: NoticeView | Update = SAME
    transcript: TranscriptView | Update = SAME
    raw: RawView | Update = SAME
    raw_diff: DiffView | Update | None = SAME
    calls: CallsView | Update = SAME
    fixes: FixesView | Update = SAME
    fixes_tab: Update = SAME
    timing: TimingView | Update = SAME
    decision: DecisionView | Update = SAME
    tokens: TokensView | Update = SAME
    differ: ParserComparisonView | Update = SAME
    world: WorldView | Update = SAME
    sessions: SessionsView | Update = SAME
    header: HeaderView | Update = SAME
    address: AddressView | Update = SAME
    waiting: WaitingView | Update | None = SAME
    step_pane: Update = SAME
    approval_pane: Update = SAME
    message_pane: MessagePaneView | Update | None = SAME
    copied: ClipboardView | Update = SAME
    branches: BranchesView | Update = SAME
    filled: tuple[object, ...] = ()
    """The values of the setup's fields, its toolset, and the advice about its model (`SetupParts.filled`)."""
    presets: PresetBarView | Update = SAME
    account: AccountView | Update = SAME
    tour: TourView | Update = SAME
    demo: DemoView | Update = SAME

    def with_opened(self, opened: OpenedSession, state: TabState) -> "Screen":
        """Return the screen with everything that shows a session, including the state of the tab."""
        state = replace(state, session_id=opened.session.id, leaf_id=opened.leaf_id)
        view = show_session(
            opened.path,
            opened.session.setup,
            tree=opened.tree,
            message_id=state.message_id,
            call=state.call_index,
            can_edit=not state.is_read_only,
        )
        bar = show_bar(opened.session, is_by_link=state.share_key is not None)
        branches = ask_branches(opened.tree, opened.leaf_id, opened.deleted)
        return self.with_session(view)._replace(state=state, bar=bar, branches=branches)

    def with_session(self, view: SessionView) -> "Screen":
        """Return the screen with the transcript and inspector of `view`."""
        return self.with_round(view)._replace(transcript=view.transcript)

    def with_round(self, view: SessionView) -> "Screen":
        """Return the screen with the inspector of `view`; the transcript stays unchanged."""
        return self._replace(
            raw=view.raw,
            calls=view.calls,
            fixes=view.fixes,
            fixes_tab=gr.update(label=fixes_label(view.fixes)),
            timing=view.timing,
            decision=view.decision,
            tokens=view.tokens,
            differ=view.differ,
            world=view.world,
            raw_diff=None,
        )

    def with_waiting(self, question: PersonAwaited | PersonAnswered, session_id: str = "") -> "Screen":
        """Return the screen with the call that waits for the person and the buttons to answer it.

        Once the person has answered, both are hidden.

        Args:
            question: What the turn waits for, or that it waits no more.
            session_id: The session of the turn that waits.
        """
        is_waiting = isinstance(question, PersonAwaited)
        waiting = (
            show_waiting(question.call, question.reasons, question.question, session_id=session_id)
            if is_waiting
            else None
        )
        return self._replace(
            waiting=waiting,
            step_pane=gr.update(visible=is_waiting and not question.reasons),
            approval_pane=gr.update(visible=is_waiting and bool(question.reasons)),
        )

    def with_run(self, *, is_running: bool) -> "Screen":
        """Return the screen with the buttons for a running turn, or for none."""
        return self._replace(
            send=gr.update(interactive=not is_running), stop=gr.update(interactive=is_running)
        )


def reopened(services: Services, state: TabState) -> OpenedSession | None:
    """Return the open session up to the last message that the tab shows, or None if no session is open.

    Raises:
        StoreError: The session cannot be read.
    """
    if state.share_key is not None:
        return open_shared(services, state.share_key, leaf_id=state.leaf_id)
    if state.session_id is None:
        return None
    return open_session(services, state.session_id, leaf_id=state.leaf_id)


def round_at(opened: OpenedSession | None, message_id: str) -> ReadRound | None:
    """Return the completion with that id, or None if it is not on the shown path."""
    if opened is None:
        return None
    rounds = read_path(opened.path, tools_of(opened.session.setup))
    return next((read_round for read_round in rounds if read_round.stored.id == message_id), None)


DELETED = 200
"""The most deleted sessions in the list."""


def list_sessions(services: Services, state: TabState, *, undo_id: str | None = None) -> SessionsView:
    """Return the session list of a tab.

    Args:
        state: Holds the open session, the search, the length of the list, and whether an admin lists the
            sessions of all users.
        undo_id: The session that was just deleted, or None.

    Raises:
        StoreError: The sessions cannot be read.
    """
    is_admin = services.owner.may(Permission.READ_ALL)
    all_owners = state.all_owners and is_admin
    scope = "Show only my sessions" if all_owners else "Show all users' sessions"
    # Ask for one more than is shown, to know whether there are more.
    found = services.search.find(
        state.query, state.search_filter, limit=state.listed + 1, all_owners=all_owners
    )
    view = show_sessions(
        found[: state.listed],
        open_id=state.session_id,
        now=services.calendar.now().astimezone(),
        deleted=services.sessions.list_sessions(limit=DELETED, is_deleted=True),
        undo_id=undo_id,
        scope=scope if is_admin else "",
        query=state.query,
        is_filtered=state.search_filter != NO_FILTER,
        has_more=len(found) > state.listed,
    )
    return with_news(view, services.recordings.last_recorded(), services.calendar.now())
