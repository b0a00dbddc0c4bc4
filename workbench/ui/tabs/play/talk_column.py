"""The middle column: transcript, live pane and composer."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.ui.components.drawn import Drawn
from workbench.ui.components.number_field import NumberField, number_field
from workbench.ui.components.text_field import TextField
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

    bar: Drawn
    branches: Drawn
    transcript: Drawn
    live: Drawn
    asking: WaitingParts
    message_pane: Drawn
    copied: Drawn
    execution: gr.Dropdown
    samples: NumberField
    notice: Drawn
    composer: TextField
    send: gr.Button
    stop: gr.Button


def build_talk() -> TalkParts:
    """Builds the column, empty."""
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
        Drawn("keys", elem_id="play-keys")
        Drawn("editor_names", EDITORS, elem_id="play-editor-names")
    return TalkParts(
        bar=bar, branches=branches, transcript=transcript, live=live, asking=asking,
        message_pane=message_pane, copied=copied,
        notice=notice, composer=composer, send=send, stop=stop, execution=execution, samples=samples,
    )  # fmt: skip
