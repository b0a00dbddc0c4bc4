"""The right column: one round as raw text, tokens, calls, fixes, decision, differ and timing."""

from dataclasses import dataclass

import gradio as gr

from workbench.ui.components.drawn import Drawn
from workbench.ui.present.decision import DecisionView
from workbench.ui.present.differ import ask_differ
from workbench.ui.present.inspect import CallsView, FixesView
from workbench.ui.present.raw import RawView
from workbench.ui.present.timing import TimingView
from workbench.ui.present.tokens import TokensView


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorParts:
    """The column's parts, a tab each."""

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
    """Builds the column with its empty states."""
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
        with gr.Tab("Differ", elem_id="play-tab-differ"):
            differ = Drawn("differ", ask_differ(None), elem_id="play-differ")
        with gr.Tab("Timing", elem_id="play-tab-timing"):
            timing = Drawn("timing", TimingView(), elem_id="play-timing")
    return InspectorParts(
        raw=raw, raw_notice=raw_notice, raw_diff=raw_diff, tokens=tokens, calls=calls, fixes=fixes,
        fixes_tab=fixes_tab, timing=timing, decision=decision, differ=differ,
    )  # fmt: skip
