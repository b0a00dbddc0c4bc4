"""The sessions column, the conversation with composer and approval pane, and the inspector."""

import json
from dataclasses import dataclass
from typing import Any, Final

import gradio as gr

from workbench.app.services import Services
from workbench.app.turns import running_turn
from workbench.errors import BadInput
from workbench.records.owner import Permission, is_granted
from workbench.rollout.ports import Approval
from workbench.rollout.steps import Step, StepKind
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField
from workbench.ui.components.heading import heading
from workbench.ui.components.layout import PlainRow
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.owners import role_of, services_of
from workbench.ui.permissions import needs
from workbench.ui.present.decision import DecisionView
from workbench.ui.present.documents import (
    PLAY_EDITORS,
    STEP_RESULT,
    DocumentChange,
    EditorsView,
    result_document,
)
from workbench.ui.present.inspect import CallsView, FixesView
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.parsers import ask_differ
from workbench.ui.present.raw import RawView
from workbench.ui.present.timing import TimingView
from workbench.ui.present.tokens import TokensView
from workbench.ui.present.tools import check_result, read_arguments
from workbench.ui.present.transcript import LOADING
from workbench.ui.present.world import WorldView
from workbench.ui.tab_state import TabState


class WaitingParts:
    """The pane where the turn waits for the user, hidden."""

    def __init__(self) -> None:
        with gr.Column(elem_id="play-waiting", min_width=0):
            self.waiting = Drawn("waiting", elem_id="play-waiting-call")
            with gr.Group(visible=False, elem_id="play-step") as self.step_pane:
                self.result = TextField(
                    label="Arguments, result or error", show_label=False, container=False, lines=2, max_lines=8,
                    placeholder="Result or error message, as JSON or text, or other arguments", elem_id=STEP_RESULT,
                )  # fmt: skip
                self.notice = Drawn("notice", elem_id="play-step-notice")
                with PlainRow():
                    self.use = gr.Button("Run tool", variant="primary", size="sm", elem_id="play-step-use")
                    self.edit = gr.Button("Run with these arguments", size="sm", elem_id="play-step-edit")
                    self.give = gr.Button("Return result", size="sm", elem_id="play-step-give")
                    self.fail = gr.Button("Return error", size="sm", elem_id="play-step-fail")
            with gr.Group(visible=False, elem_id="play-approval") as self.approval_pane, PlainRow():
                self.deny = gr.Button("Deny", variant="primary", size="sm", elem_id="play-approval-deny")
                self.once = gr.Button("Allow once", size="sm", elem_id="play-approval-once")
                self.session = gr.Button("Allow for this session", size="sm", elem_id="play-approval-session")
                self.always = gr.Button("Always allow", size="sm", elem_id="play-approval-always")


@dataclass(frozen=True, slots=True)
class WaitingEvents:
    """Handlers of the pane where the turn waits for the user. Any tab of the turn's owner can answer."""

    services: Services

    @needs(Permission.WORK)
    def on_use(
        self, state: TabState, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> EditorsView | Update:
        """Run the call in the toolbox, and empty the field for the next call."""
        return self._step(state, shown, request, text, StepKind.USE)

    @needs(Permission.WORK)
    def on_edit(
        self, state: TabState, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Run the call in the toolbox with the written arguments."""
        try:
            read_arguments(text)
        except BadInput as error:
            return SAME, problem(error)
        return self._step(state, shown, request, text, StepKind.EDIT), CLEAR

    @needs(Permission.WORK)
    def on_give(
        self, state: TabState, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> tuple[EditorsView | Update, NoticeView]:
        """Use the written text as the result of the call, unless it looks like JSON with a mistake."""
        try:
            check_result(text)
        except BadInput as error:
            return SAME, problem(error)
        return self._step(state, shown, request, text, StepKind.WRITE), CLEAR

    @needs(Permission.WORK)
    def on_fail(
        self, state: TabState, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> EditorsView | Update:
        """Let the call fail with the written text."""
        return self._step(state, shown, request, text, StepKind.FAIL)

    @needs(Permission.WORK)
    def on_once(self, state: TabState, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Allow this call."""
        self._answer(state, shown, request, Approval.ONCE)

    @needs(Permission.WORK)
    def on_session(self, state: TabState, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Allow calls of this kind in this session."""
        self._answer(state, shown, request, Approval.SESSION)

    @needs(Permission.WORK)
    def on_always(self, state: TabState, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Allow calls of this kind from now on; in this session only if the user may not change settings."""
        may_keep = is_granted(Permission.CHANGE_SETTINGS, role_of(self.services.settings, request))
        self._answer(state, shown, request, Approval.ALWAYS if may_keep else Approval.SESSION)

    @needs(Permission.WORK)
    def on_deny(self, state: TabState, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Deny the call."""
        self._answer(state, shown, request, Approval.DENY)

    def _step(
        self,
        state: TabState,
        shown: dict[str, Any] | None,
        request: gr.Request,
        text: str,
        kind: StepKind,
    ) -> EditorsView | Update:
        """Answer, and empty the field of this text. If the call was answered in another tab, the text stays."""
        step = Step() if kind is StepKind.USE else Step(kind=kind, text=text)
        if not self._answer(state, shown, request, step) or state.session_id is None:
            return SAME
        sent = DocumentChange(
            how="sent", field=STEP_RESULT, document=result_document(state.session_id), text=text
        )
        return PLAY_EDITORS.changed(self.services.calendar.seconds(), sent)

    def _answer(
        self, state: TabState, shown: dict[str, Any] | None, request: gr.Request, answer: Approval | Step
    ) -> bool:
        """Answer the question that the tab shows; return whether the turn was still waiting for it."""
        turn = running_turn(services_of(self.services, state, request), state.session_id)
        question = (shown or {}).get("question")
        return turn is not None and isinstance(question, int) and turn.person.answer(question, answer)


_WRITTEN: Final = (
    f"(state, shown) => [state, shown, hermesWorkbench.documents.textOf({json.dumps(STEP_RESULT)})]"
)


def wire_waiting(parts: WaitingParts, editors: Drawn, services: Services, state: gr.State) -> None:
    """Connect the pane's buttons with their handlers."""
    events = WaitingEvents(services)
    # The browser sends the question that it shows, which may already be answered in another tab.
    shown = [state, parts.waiting]
    for button, step in (
        (parts.use, events.on_use),
        (parts.fail, events.on_fail),
    ):
        listen(button.click, step, [*shown, parts.result], [editors], js=_WRITTEN, is_queued=False)
    for button, step in ((parts.edit, events.on_edit), (parts.give, events.on_give)):
        written = [*shown, parts.result]
        listen(button.click, step, written, [editors, parts.notice], js=_WRITTEN, is_queued=False)
    listen(parts.once.click, events.on_once, shown, is_queued=False)
    listen(parts.session.click, events.on_session, shown, is_queued=False)
    listen(parts.always.click, events.on_always, shown, is_queued=False)
    listen(parts.deny.click, events.on_deny, shown, is_queued=False)


class ConversationParts:
    """The conversation column, empty."""

    def __init__(self) -> None:
        with gr.Column(elem_id="play-talk", elem_classes=["hw-column"], min_width=0):
            Drawn("panes", elem_id="play-panes")
            self.bar = Drawn("session_bar", elem_id="play-bar")
            self.branches = Drawn("branches", elem_id="play-branches")
            self.transcript = Drawn("transcript", LOADING, elem_id="play-transcript")
            self.live = Drawn("live", elem_id="play-live")
            self.asking = WaitingParts()
            self.message_pane = Drawn("message_pane", elem_id="play-message-pane")
            self.notice = Drawn("notice", elem_id="play-notice")
            self.copied = Drawn("copied", elem_id="play-copied")
            with PlainRow(elem_id="play-compose"):
                self.composer = TextField(
                    label="Message", show_label=False, container=False, lines=2, max_lines=10, scale=1,
                    placeholder="Ask something that a tool can answer", elem_id="play-composer",
                )  # fmt: skip
                with gr.Column(elem_id="play-buttons", min_width=0, scale=0):
                    self.send = gr.Button("Send", variant="primary", size="md", elem_id="play-send")
                    self.stop = gr.Button("Stop", size="md", interactive=False, elem_id="play-stop")
            Drawn("keys", elem_id="play-keys-hint")
            self.editors = Drawn("editors", PLAY_EDITORS, elem_id="play-editors")


class InspectorParts:
    """The inspector, with its empty states."""

    def __init__(self) -> None:
        with (
            gr.Column(elem_id="play-inspector", elem_classes=["hw-column"], min_width=0),
            gr.Tabs(elem_id="play-inspector-tabs", overflow_behavior="wrap"),
        ):
            with gr.Tab("Raw", elem_id="play-tab-raw"):
                self.raw = Drawn("raw", RawView(), elem_id="play-raw")
                self.raw_notice = Drawn("notice", elem_id="play-raw-notice")
                self.raw_diff = Drawn("text_diff", elem_id="play-raw-diff")
            with gr.Tab("Tokens", elem_id="play-tab-tokens"):
                self.tokens = Drawn("tokens", TokensView(), elem_id="play-tokens")
            with gr.Tab("Calls", elem_id="play-tab-calls"):
                self.calls = Drawn("calls", CallsView(), elem_id="play-calls")
            with gr.Tab("Fixes", elem_id="play-tab-fixes") as self.fixes_tab:
                self.fixes = Drawn("fixes", FixesView(), elem_id="play-fixes")
            with gr.Tab("World", elem_id="play-tab-world"):
                self.world = Drawn("world", WorldView(), elem_id="play-world")
            with gr.Tab("Decision", elem_id="play-tab-decision"):
                self.decision = Drawn("decision", DecisionView(), elem_id="play-decision")
            with gr.Tab("Parsers", elem_id="play-tab-differ"):
                self.differ = Drawn("differ", ask_differ(None), elem_id="play-differ")
            with gr.Tab("Timing", elem_id="play-tab-timing"):
                self.timing = Drawn("timing", TimingView(), elem_id="play-timing")


class SessionsParts:
    """The sessions column, empty."""

    def __init__(self) -> None:
        with gr.Column(elem_id="play-sessions", elem_classes=["hw-column"], min_width=0):
            self.new = gr.Button("New session", size="sm", elem_id="play-new")
            self.sessions = Drawn("sessions", elem_id="play-session-list")
            with gr.Column(elem_id="play-export", min_width=0):
                heading("Export as ShareGPT", about="reference/formats#sharegpt")
                with PlainRow(elem_id="play-export-buttons"):
                    self.export_open = gr.Button(
                        "This session", size="sm", min_width=0, elem_id="play-export-open"
                    )
                    self.export_all = gr.Button(
                        "All sessions", size="sm", min_width=0, elem_id="play-export-all"
                    )
                self.notice = Drawn("notice", elem_id="play-export-notice")
                self.download = Drawn("download", elem_id="play-download")
            self.demo = Drawn("demo_bar", elem_id="play-demo")
