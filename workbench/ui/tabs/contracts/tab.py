"""The Contracts tab: its wires."""

from typing import Final

import gradio as gr
from gradio.blocks import Block

from workbench.app.services import Services
from workbench.ui.listen import any_of, listen
from workbench.ui.tabs.contracts.events import ContractEvents, contract_texts
from workbench.ui.tabs.contracts.parts import ContractsParts

_KEEP: Final = """(name, text) => {
  try { if (name) localStorage.setItem('hermes-workbench:contract:draft:' + name, text); } catch { /* forbidden */ }
  return [];
}"""


def wire(
    parts: ContractsParts,
    services: Services,
    visitor: gr.State,
    *,
    tab: gr.Tab,
    tabs: gr.Tabs,
    play: list[Block],
    measure: list[Block],
) -> None:
    """Lets the parts answer.

    Args:
        parts: Of the tab.
        services: The edges.
        visitor: Tells whose browser it is.
        tab: The tab itself; opening it asks the browser which contract was open.
        tabs: All tabs.
        play: Play's contract and its text.
        measure: The contracts of a run, and what is played besides.
    """
    texts = contract_texts(services)
    events = ContractEvents(services, texts)
    edited = [visitor, parts.name, parts.text]
    opened = [parts.contracts, parts.name, parts.text, parts.notice, parts.diff]
    listen(tab.select, texts.on_tab, [visitor, parts.name], [parts.contracts])
    listen(tab.select, events.on_toolset, [visitor, parts.name, parts.toolset], [parts.toolset])
    listen(parts.contracts.event("open_text"), texts.on_open, [visitor], opened)
    listen(parts.contracts.event("new_text"), texts.on_new, [visitor], opened)
    # Not `input`: the first one behind a change from here is swallowed.
    listen(parts.text.change, None, [parts.name, parts.text], js=_KEEP, is_queued=False)
    # One listener for all: its last run has seen every field, whatever order they change in.
    changed = any_of(parts.text.change, parts.name.change, parts.toolset.change, parts.variables.change)
    seen = [parts.versions, parts.lint, parts.preview]
    listen(changed, events.on_text, [*edited, parts.toolset, parts.variables], seen, is_latest_only=True)
    line, told = parts.versions, [parts.contracts, parts.versions, parts.notice]
    listen(line.event("save_version"), texts.on_save, edited, told)
    listen(line.event("mark_version"), texts.on_mark, edited, told)
    listen(line.event("restore_version"), texts.on_restore, edited, [parts.text, *told])
    listen(line.event("compare_version"), texts.on_compare, edited, [parts.diff, parts.notice])
    listen(parts.use.click, events.on_use, edited, [*play, tabs, parts.notice])
    listen(parts.measure.click, events.on_measure, edited, [*measure, tabs, parts.notice])
    looked = any_of(parts.measured_side.select, parts.name.change, tab.select)
    listen(
        looked, events.on_measures, [visitor, parts.name], [parts.measured, parts.notice], is_latest_only=True
    )
