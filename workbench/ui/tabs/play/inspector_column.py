"""The right column: raw text, calls, fixes, decision and timing of one round."""

from dataclasses import dataclass

import gradio as gr

from workbench.ui.components.calls import Calls
from workbench.ui.components.decision import DecisionPane
from workbench.ui.components.fixes import Fixes
from workbench.ui.components.raw import Raw
from workbench.ui.components.timing import Timing
from workbench.ui.present.decision import DecisionView
from workbench.ui.present.inspect import CallsView, FixesView, TimingView
from workbench.ui.present.raw import RawView


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorParts:
    """The column's parts, a tab each."""

    raw: Raw
    calls: Calls
    fixes: Fixes
    fixes_tab: gr.Tab
    timing: Timing
    decision: DecisionPane


def build_inspector() -> InspectorParts:
    """Builds the column with its empty states."""
    with (
        gr.Column(elem_id="play-inspector", elem_classes=["hw-column"], min_width=0),
        gr.Tabs(elem_id="play-inspector-tabs"),
    ):
        with gr.Tab("Raw ChatML", elem_id="play-tab-raw"):
            raw = Raw(RawView(), elem_id="play-raw")
        with gr.Tab("Calls", elem_id="play-tab-calls"):
            calls = Calls(CallsView(), elem_id="play-calls")
        with gr.Tab("Fixes", elem_id="play-tab-fixes") as fixes_tab:
            fixes = Fixes(FixesView(), elem_id="play-fixes")
        with gr.Tab("Decision", elem_id="play-tab-decision"):
            decision = DecisionPane(DecisionView(), elem_id="play-decision")
        with gr.Tab("Timing", elem_id="play-tab-timing"):
            timing = Timing(TimingView(), elem_id="play-timing")
    return InspectorParts(
        raw=raw, calls=calls, fixes=fixes, fixes_tab=fixes_tab, timing=timing, decision=decision
    )
