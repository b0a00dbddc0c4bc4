"""The middle column: transcript, live pane and composer."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.ui.components.branches import Branches
from workbench.ui.components.copied import Copied
from workbench.ui.components.editor_names import EditorNames
from workbench.ui.components.keys import Keys
from workbench.ui.components.live import Live
from workbench.ui.components.message_pane import MessagePane
from workbench.ui.components.notice import Notice
from workbench.ui.components.number_field import NumberField, number_field
from workbench.ui.components.panes import Panes
from workbench.ui.components.session_bar import SessionBar
from workbench.ui.components.text_field import TextField
from workbench.ui.components.transcript import Transcript
from workbench.ui.present.editors import EditorNamesView
from workbench.ui.present.numbers import SAMPLES
from workbench.ui.tabs.play.waiting_pane import WaitingParts, build_waiting
from workbench.ui.tabs.play.watching import Execution

EXECUTIONS: Final = (
    ("run them", Execution.AUTO.value),
    ("ask me at each", Execution.STEP.value),
    ("stop after the call", Execution.STOP.value),
)
"""What becomes of calls, as the page says it."""
EDITORS: Final = EditorNamesView(
    names=(("play-contract-text", "Contract text"), ("play-tools-text", "Tools as JSON"))
)
"""Stand in the left column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkParts:
    """The column's parts, from top to bottom."""

    bar: SessionBar
    branches: Branches
    transcript: Transcript
    live: Live
    asking: WaitingParts
    message_pane: MessagePane
    copied: Copied
    execution: gr.Dropdown
    samples: NumberField
    notice: Notice
    composer: TextField
    send: gr.Button
    stop: gr.Button


def build_talk() -> TalkParts:
    """Builds the column, empty."""
    with gr.Column(elem_id="play-talk", elem_classes=["hw-column"], min_width=0):
        Panes(elem_id="play-panes")
        bar = SessionBar(elem_id="play-bar")
        branches = Branches(elem_id="play-branches")
        transcript = Transcript(elem_id="play-transcript")
        live = Live(elem_id="play-live")
        asking = build_waiting()
        message_pane = MessagePane(elem_id="play-message-pane")
        notice = Notice(elem_id="play-notice")
        copied = Copied(elem_id="play-copied")
        with gr.Row(elem_id="play-compose"):
            composer = TextField(
                label="Message", show_label=False, container=False, lines=2, max_lines=10, scale=1,
                placeholder="Ask something that a tool can answer", elem_id="play-composer",
            )  # fmt: skip
            with gr.Column(elem_id="play-buttons", min_width=0, scale=0):
                send = gr.Button("Send", variant="primary", size="md", elem_id="play-send")
                stop = gr.Button("Stop", size="md", interactive=False, elem_id="play-stop")
        with gr.Row(elem_id="play-terms"):
            execution = gr.Dropdown(
                list(EXECUTIONS),
                value=Execution.AUTO.value,
                label="Calls",
                min_width=0,
                elem_id="play-execution",
            )
            samples = number_field(SAMPLES, "play-samples", 1)
            gr.HTML(
                "<kbd>Ctrl</kbd>+<kbd>Enter</kbd> sends · <kbd>Esc</kbd> stops",
                apply_default_css=False, elem_id="play-keys-hint",
            )  # fmt: skip
        Keys(elem_id="play-keys")
        EditorNames(EDITORS, elem_id="play-editor-names")
    return TalkParts(
        bar=bar, branches=branches, transcript=transcript, live=live, asking=asking,
        message_pane=message_pane, copied=copied,
        notice=notice, composer=composer, send=send, stop=stop, execution=execution, samples=samples,
    )  # fmt: skip
