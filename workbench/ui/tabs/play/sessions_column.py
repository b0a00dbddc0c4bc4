"""The narrow column: sessions, new session, export."""

from dataclasses import dataclass

import gradio as gr

from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import heading


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsParts:
    """The column's parts, from top to bottom."""

    new: gr.Button
    sessions: Drawn
    export_open: gr.Button
    export_all: gr.Button
    notice: Drawn
    download: Drawn
    demo: Drawn


def build_sessions() -> SessionsParts:
    """Builds the column, empty."""
    with gr.Column(elem_id="play-sessions", elem_classes=["hw-column"], min_width=0):
        new = gr.Button("New session", size="sm", elem_id="play-new")
        sessions = Drawn("sessions", elem_id="play-session-list")
        with gr.Column(elem_id="play-export", min_width=0):
            heading("Export as ShareGPT")
            with gr.Row(elem_id="play-export-buttons"):
                export_open = gr.Button("This session", size="sm", min_width=0, elem_id="play-export-open")
                export_all = gr.Button("All", size="sm", min_width=0, elem_id="play-export-all")
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
