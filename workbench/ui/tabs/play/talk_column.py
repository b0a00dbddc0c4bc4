"""The sessions column, the conversation with composer and approval pane, and the inspector."""

import json
from dataclasses import dataclass
from typing import Any, Final

import gradio as gr

from workbench.app.services import Services
from workbench.app.turn_request import Execution
from workbench.app.turns import running_turn
from workbench.records.owner import Permission, is_granted
from workbench.rollout.ports import Approval
from workbench.rollout.steps import Step, StepKind
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import NumberField, TextField, number_field
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
from workbench.ui.present.parsers import ask_differ
from workbench.ui.present.raw import RawView
from workbench.ui.present.timing import TimingView
from workbench.ui.present.tokens import TokensView
from workbench.ui.present.words import SAMPLES
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingParts:
    """The components of the pane where the turn waits for the user."""

    waiting: Drawn
    step_pane: gr.Group
    approval_pane: gr.Group
    result: TextField
    use: gr.Button
    give: gr.Button
    fail: gr.Button
    once: gr.Button
    session: gr.Button
    always: gr.Button
    deny: gr.Button


def build_waiting() -> WaitingParts:
    """Build the pane, hidden."""
    with gr.Column(elem_id="play-waiting", min_width=0):
        waiting = Drawn("waiting", elem_id="play-waiting-call")
        with gr.Group(visible=False, elem_id="play-step") as step_pane:
            result = TextField(
                label="Result or error", show_label=False, container=False, lines=2, max_lines=8,
                placeholder="Result or error message, as JSON or text", elem_id=STEP_RESULT,
            )  # fmt: skip
            with PlainRow():
                use = gr.Button("Run tool", variant="primary", size="sm", elem_id="play-step-use")
                give = gr.Button("Return result", size="sm", elem_id="play-step-give")
                fail = gr.Button("Return error", size="sm", elem_id="play-step-fail")
        with gr.Group(visible=False, elem_id="play-approval") as approval_pane, PlainRow():
            deny = gr.Button("Deny", variant="primary", size="sm", elem_id="play-approval-deny")
            once = gr.Button("Allow once", size="sm", elem_id="play-approval-once")
            session = gr.Button("Allow for this session", size="sm", elem_id="play-approval-session")
            always = gr.Button("Always allow", size="sm", elem_id="play-approval-always")
    return WaitingParts(
        waiting=waiting, step_pane=step_pane, approval_pane=approval_pane, result=result, use=use, give=give,
        fail=fail, once=once, session=session, always=always, deny=deny,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WaitingEvents:
    """Handlers of the pane where the turn waits for the user. Any tab of the turn's owner can answer."""

    services: Services

    @needs(Permission.WORK)
    def on_use(
        self, visitor: Visitor, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> EditorsView | Update:
        """Run the call in the toolbox, and empty the field for the next call."""
        return self._step(visitor, shown, request, text, StepKind.USE)

    @needs(Permission.WORK)
    def on_give(
        self, visitor: Visitor, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> EditorsView | Update:
        """Use the written text as the result of the call."""
        return self._step(visitor, shown, request, text, StepKind.WRITE)

    @needs(Permission.WORK)
    def on_fail(
        self, visitor: Visitor, shown: dict[str, Any] | None, text: str, request: gr.Request
    ) -> EditorsView | Update:
        """Let the call fail with the written text."""
        return self._step(visitor, shown, request, text, StepKind.FAIL)

    @needs(Permission.WORK)
    def on_once(self, visitor: Visitor, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Allow this call."""
        self._answer(visitor, shown, request, Approval.ONCE)

    @needs(Permission.WORK)
    def on_session(self, visitor: Visitor, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Allow calls of this kind in this session."""
        self._answer(visitor, shown, request, Approval.SESSION)

    @needs(Permission.WORK)
    def on_always(self, visitor: Visitor, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Allow calls of this kind from now on; in this session only if the user may not change settings."""
        may_keep = is_granted(Permission.CHANGE_SETTINGS, role_of(self.services.settings, request))
        self._answer(visitor, shown, request, Approval.ALWAYS if may_keep else Approval.SESSION)

    @needs(Permission.WORK)
    def on_deny(self, visitor: Visitor, shown: dict[str, Any] | None, request: gr.Request) -> None:
        """Deny the call."""
        self._answer(visitor, shown, request, Approval.DENY)

    def _step(
        self,
        visitor: Visitor,
        shown: dict[str, Any] | None,
        request: gr.Request,
        text: str,
        kind: StepKind,
    ) -> EditorsView | Update:
        """Answer, and empty the field of this text. If the call was answered in another tab, the text stays."""
        step = Step() if kind is StepKind.USE else Step(kind=kind, text=text)
        if not self._answer(visitor, shown, request, step) or visitor.session_id is None:
            return SAME
        sent = DocumentChange(
            how="sent", field=STEP_RESULT, document=result_document(visitor.session_id), text=text
        )
        return PLAY_EDITORS.changed(self.services.calendar.seconds(), sent)

    def _answer(
        self, visitor: Visitor, shown: dict[str, Any] | None, request: gr.Request, answer: Approval | Step
    ) -> bool:
        """Answer the question that the tab shows; return whether the turn was still waiting for it."""
        turn = running_turn(services_of(self.services, visitor, request), visitor.session_id)
        question = (shown or {}).get("question")
        return turn is not None and isinstance(question, int) and turn.person.answer(question, answer)


_WRITTEN: Final = (
    f"(visitor, shown) => [visitor, shown, hermesWorkbench.documents.textOf({json.dumps(STEP_RESULT)})]"
)


def wire_waiting(parts: WaitingParts, editors: Drawn, services: Services, visitor: gr.State) -> None:
    """Connect the pane's buttons with their handlers."""
    events = WaitingEvents(services)
    # The browser sends the question that it shows, which may already be answered in another tab.
    shown = [visitor, parts.waiting]
    for button, step in (
        (parts.use, events.on_use),
        (parts.give, events.on_give),
        (parts.fail, events.on_fail),
    ):
        listen(button.click, step, [*shown, parts.result], [editors], js=_WRITTEN, is_queued=False)
    listen(parts.once.click, events.on_once, shown, is_queued=False)
    listen(parts.session.click, events.on_session, shown, is_queued=False)
    listen(parts.always.click, events.on_always, shown, is_queued=False)
    listen(parts.deny.click, events.on_deny, shown, is_queued=False)


EXECUTIONS: Final = (
    ("Run", Execution.AUTO.value),
    ("Ask first", Execution.STEP.value),
    ("Don't run", Execution.STOP.value),
)
"""The choices of `Execution`, with their labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkParts:
    """The components of the conversation column, from top to bottom."""

    editors: Drawn
    bar: Drawn
    branches: Drawn
    transcript: Drawn
    live: Drawn
    asking: WaitingParts
    message_pane: Drawn
    copied: Drawn
    execution: gr.Dropdown
    samples: NumberField
    rows: Drawn
    """The button and the window for runs over rows."""
    notice: Drawn
    composer: TextField
    send: gr.Button
    stop: gr.Button


def build_talk() -> TalkParts:
    """Build the conversation column, empty."""
    with gr.Column(elem_id="play-talk", elem_classes=["hw-column"], min_width=0):
        Drawn("panes", elem_id="play-panes")
        bar = Drawn("session_bar", elem_id="play-bar")
        branches = Drawn("branches", elem_id="play-branches")
        transcript = Drawn("transcript", elem_id="play-transcript")
        live = Drawn("live", elem_id="play-live")
        asking = build_waiting()
        message_pane = Drawn("message_pane", elem_id="play-message-pane")
        notice = Drawn("notice", elem_id="play-notice")
        copied = Drawn("copied", elem_id="play-copied")
        with PlainRow(elem_id="play-compose"):
            composer = TextField(
                label="Message", show_label=False, container=False, lines=2, max_lines=10, scale=1,
                placeholder="Ask something that a tool can answer", elem_id="play-composer",
            )  # fmt: skip
            with gr.Column(elem_id="play-buttons", min_width=0, scale=0):
                send = gr.Button("Send", variant="primary", size="md", elem_id="play-send")
                stop = gr.Button("Stop", size="md", interactive=False, elem_id="play-stop")
        with PlainRow(elem_id="play-terms"):
            execution = gr.Dropdown(
                list(EXECUTIONS),
                value=Execution.AUTO.value,
                label="Tool calls",
                min_width=0,
                elem_id="play-execution",
            )
            samples = number_field(SAMPLES, "play-samples", 1)
            rows = Drawn("row_run", elem_id="play-rows")
            Drawn("keys", elem_id="play-keys-hint")
        editors = Drawn("editors", PLAY_EDITORS, elem_id="play-editors")
    return TalkParts(
        editors=editors, bar=bar, branches=branches, transcript=transcript, live=live, asking=asking,
        message_pane=message_pane, copied=copied,
        notice=notice, composer=composer, send=send, stop=stop, execution=execution, samples=samples, rows=rows,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorParts:
    """The components of the inspector, in its tabs."""

    raw: Drawn
    raw_notice: Drawn
    raw_diff: Drawn
    tokens: Drawn
    calls: Drawn
    fixes: Drawn
    fixes_tab: gr.Tab
    timing: Drawn
    decision: Drawn
    differ: Drawn


def build_inspector() -> InspectorParts:
    """Build the inspector with its empty states."""
    with (
        gr.Column(elem_id="play-inspector", elem_classes=["hw-column"], min_width=0),
        gr.Tabs(elem_id="play-inspector-tabs"),
    ):
        with gr.Tab("Raw", elem_id="play-tab-raw"):
            raw = Drawn("raw", RawView(), elem_id="play-raw")
            raw_notice = Drawn("notice", elem_id="play-raw-notice")
            raw_diff = Drawn("text_diff", elem_id="play-raw-diff")
        with gr.Tab("Tokens", elem_id="play-tab-tokens"):
            tokens = Drawn("tokens", TokensView(), elem_id="play-tokens")
        with gr.Tab("Calls", elem_id="play-tab-calls"):
            calls = Drawn("calls", CallsView(), elem_id="play-calls")
        with gr.Tab("Fixes", elem_id="play-tab-fixes") as fixes_tab:
            fixes = Drawn("fixes", FixesView(), elem_id="play-fixes")
        with gr.Tab("Decision", elem_id="play-tab-decision"):
            decision = Drawn("decision", DecisionView(), elem_id="play-decision")
        with gr.Tab("Parsers", elem_id="play-tab-differ"):
            differ = Drawn("differ", ask_differ(None), elem_id="play-differ")
        with gr.Tab("Timing", elem_id="play-tab-timing"):
            timing = Drawn("timing", TimingView(), elem_id="play-timing")
    return InspectorParts(
        raw=raw, raw_notice=raw_notice, raw_diff=raw_diff, tokens=tokens, calls=calls, fixes=fixes,
        fixes_tab=fixes_tab, timing=timing, decision=decision, differ=differ,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsParts:
    """The components of the sessions column, from top to bottom."""

    new: gr.Button
    sessions: Drawn
    export_open: gr.Button
    export_all: gr.Button
    notice: Drawn
    download: Drawn
    demo: Drawn


def build_sessions() -> SessionsParts:
    """Build the sessions column, empty."""
    with gr.Column(elem_id="play-sessions", elem_classes=["hw-column"], min_width=0):
        new = gr.Button("New session", size="sm", elem_id="play-new")
        sessions = Drawn("sessions", elem_id="play-session-list")
        with gr.Column(elem_id="play-export", min_width=0):
            heading("Export as ShareGPT")
            with PlainRow(elem_id="play-export-buttons"):
                export_open = gr.Button("This session", size="sm", min_width=0, elem_id="play-export-open")
                export_all = gr.Button("All sessions", size="sm", min_width=0, elem_id="play-export-all")
            notice = Drawn("notice", elem_id="play-export-notice")
            download = Drawn("download", elem_id="play-download")
        demo = Drawn("demo_bar", elem_id="play-demo")
    return SessionsParts(
        new=new,
        sessions=sessions,
        export_open=export_open,
        export_all=export_all,
        notice=notice,
        download=download,
        demo=demo,
    )
