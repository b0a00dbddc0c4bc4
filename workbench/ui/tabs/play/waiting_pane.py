"""The pane above the composer where a waiting call is answered."""

from dataclasses import dataclass

import gradio as gr

from workbench.records.owner import Permission, is_granted
from workbench.rollout.ports import Approval
from workbench.rollout.steps import Step, StepKind
from workbench.settings import Settings
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.text_field import TextField
from workbench.ui.listen import listen
from workbench.ui.owners import role_of
from workbench.ui.permitted import needs
from workbench.ui.tabs.play.runs import Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingParts:
    """The pane's parts."""

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
    """Builds the pane, hidden."""
    with gr.Column(elem_id="play-waiting", min_width=0):
        waiting = Drawn("waiting", elem_id="play-waiting-call")
        with gr.Group(visible=False, elem_id="play-step") as step_pane:
            result = TextField(
                label="Result or error of your own", show_label=False, container=False, lines=2, max_lines=8,
                placeholder="A result of your own, as JSON or text", elem_id="play-step-result",
            )  # fmt: skip
            with gr.Row():
                use = gr.Button("Use the mock", variant="primary", size="sm", elem_id="play-step-use")
                give = gr.Button("Give this result", size="sm", elem_id="play-step-give")
                fail = gr.Button("Fail with this", size="sm", elem_id="play-step-fail")
        with gr.Group(visible=False, elem_id="play-approval") as approval_pane, gr.Row():
            deny = gr.Button("Deny", variant="primary", size="sm", elem_id="play-approval-deny")
            once = gr.Button("Allow once", size="sm", elem_id="play-approval-once")
            session = gr.Button("For this session", size="sm", elem_id="play-approval-session")
            always = gr.Button("Always", size="sm", elem_id="play-approval-always")
    return WaitingParts(
        waiting=waiting, step_pane=step_pane, approval_pane=approval_pane, result=result, use=use, give=give,
        fail=fail, once=once, session=session, always=always, deny=deny,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class WaitingEvents:
    """Handlers of the pane."""

    settings: Settings
    """Say who may do what."""
    runs: Runs
    """Turns under way."""

    @needs(Permission.WORK)
    def on_use(self, request: gr.Request) -> str:
        """The toolbox runs the call; the field is emptied for the next one."""
        return self._step(request, Step())

    @needs(Permission.WORK)
    def on_give(self, text: str, request: gr.Request) -> str:
        """The call comes to what was written."""
        return self._step(request, Step(kind=StepKind.WRITE, text=text))

    @needs(Permission.WORK)
    def on_fail(self, text: str, request: gr.Request) -> str:
        """The call fails with what was written."""
        return self._step(request, Step(kind=StepKind.FAIL, text=text))

    @needs(Permission.WORK)
    def on_once(self, request: gr.Request) -> None:
        """This call may run."""
        self.runs.answer(request.session_hash or "", Approval.ONCE)

    @needs(Permission.WORK)
    def on_session(self, request: gr.Request) -> None:
        """Calls of this kind may run in this session."""
        self.runs.answer(request.session_hash or "", Approval.SESSION)

    @needs(Permission.WORK)
    def on_always(self, request: gr.Request) -> None:
        """Calls of this kind may run from now on; for this session only, unless settings may be changed."""
        may_keep = is_granted(Permission.CHANGE_SETTINGS, role_of(self.settings, request))
        self.runs.answer(request.session_hash or "", Approval.ALWAYS if may_keep else Approval.SESSION)

    @needs(Permission.WORK)
    def on_deny(self, request: gr.Request) -> None:
        """The call may not run."""
        self.runs.answer(request.session_hash or "", Approval.DENY)

    def _step(self, request: gr.Request, step: Step) -> str:
        self.runs.answer(request.session_hash or "", step)
        return ""


def wire_waiting(parts: WaitingParts, settings: Settings, runs: Runs) -> None:
    """Lets the pane answer.

    Args:
        parts: The pane.
        settings: Say who may allow something for good.
        runs: Turns under way.
    """
    events = WaitingEvents(settings, runs)
    result = [parts.result]
    listen(parts.use.click, events.on_use, [], result, is_queued=False)
    listen(parts.give.click, events.on_give, result, result, is_queued=False)
    listen(parts.fail.click, events.on_fail, result, result, is_queued=False)
    listen(parts.once.click, events.on_once, is_queued=False)
    listen(parts.session.click, events.on_session, is_queued=False)
    listen(parts.always.click, events.on_always, is_queued=False)
    listen(parts.deny.click, events.on_deny, is_queued=False)
