"""The middle column: transcript, live pane and composer."""

from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.ui.components.editor_names import EditorNames
from workbench.ui.components.keys import Keys
from workbench.ui.components.live import Live
from workbench.ui.components.notice import Notice
from workbench.ui.components.panes import Panes
from workbench.ui.components.session_bar import SessionBar
from workbench.ui.components.transcript import Transcript
from workbench.ui.present.editors import EditorNamesView
from workbench.ui.tabs.play.waiting_pane import WaitingParts, build_waiting

EDITORS: Final = EditorNamesView(
    names=(("play-contract-text", "Contract text"), ("play-tools-text", "Tools as JSON"))
)
"""Stand in the left column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkParts:
    """The column's parts, from top to bottom."""

    bar: SessionBar
    transcript: Transcript
    live: Live
    asking: WaitingParts
    stepped: gr.Checkbox
    notice: Notice
    composer: gr.Textbox
    send: gr.Button
    stop: gr.Button


def build_talk() -> TalkParts:
    """Builds the column, empty."""
    with gr.Column(elem_id="play-talk", elem_classes=["hw-column"], min_width=0):
        Panes(elem_id="play-panes")
        bar = SessionBar(elem_id="play-bar")
        transcript = Transcript(elem_id="play-transcript")
        live = Live(elem_id="play-live")
        asking = build_waiting()
        notice = Notice(elem_id="play-notice")
        with gr.Row(elem_id="play-compose"):
            composer = gr.Textbox(
                label="Message", show_label=False, container=False, lines=2, max_lines=10, scale=1,
                placeholder="Ask something that a tool can answer", elem_id="play-composer",
            )  # fmt: skip
            with gr.Column(elem_id="play-buttons", min_width=0, scale=0):
                send = gr.Button("Send", variant="primary", size="md", elem_id="play-send")
                stop = gr.Button("Stop", size="md", interactive=False, elem_id="play-stop")
        stepped = gr.Checkbox(
            label="Step through the calls", container=False, min_width=0, elem_id="play-stepped"
        )
        gr.HTML(
            "<kbd>Ctrl</kbd>+<kbd>Enter</kbd> sends · <kbd>Esc</kbd> stops",
            apply_default_css=False, elem_id="play-keys-hint",
        )  # fmt: skip
        Keys(elem_id="play-keys")
        EditorNames(EDITORS, elem_id="play-editor-names")
    return TalkParts(
        bar=bar, transcript=transcript, live=live, asking=asking, stepped=stepped, notice=notice,
        composer=composer, send=send, stop=stop,
    )  # fmt: skip
