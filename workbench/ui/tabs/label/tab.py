"""The Label tab: its parts, built and wired."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.services import Services
from workbench.ui.components.drawn import Drawn
from workbench.ui.listen import Trigger, listen
from workbench.ui.tabs.label.events import LabelEvents
from workbench.ui.tabs.play.runs import Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelParts:
    """All parts of the tab."""

    desk: Drawn


def build() -> LabelParts:
    """Builds the tab; it is filled when it is opened."""
    return LabelParts(desk=Drawn("label_desk", elem_id="label-desk"))


def wire(
    parts: LabelParts,
    services: Services,
    runs: Runs,
    visitor: gr.State,
    *,
    blocks: gr.Blocks,
    tabs: gr.Tabs,
    tab: gr.Tab,
    open_label: Trigger,
) -> None:
    """Lets the desk answer.

    Args:
        parts: Of the tab.
        services: The edges.
        runs: Where messages that are written anew can be stopped.
        visitor: Tells whose browser it is.
        blocks: The page; it opens at this tab where the address bar says so.
        tabs: All tabs.
        tab: The tab itself; opening it asks for the queue.
        open_label: Of Play: a session is to be labelled.
    """
    events, desk = LabelEvents(services, runs), parts.desk
    listen(blocks.load, events.on_page, [visitor], [tabs, desk])
    listen(tab.select, events.on_open, [visitor], [desk])
    listen(open_label, events.on_open_from_play, [visitor], [tabs, desk])
    listen(desk.event("label_order"), events.on_order, [visitor], [desk])
    listen(desk.event("label_again"), events.on_again, [visitor], [desk], is_model_work=True)
    listen(desk.event("label_stop"), events.on_stop, is_queued=False)
