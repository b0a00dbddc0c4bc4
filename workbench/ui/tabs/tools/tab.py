"""The Tools tab: its wires."""

from collections.abc import Sequence
from typing import Final

import gradio as gr
from gradio.blocks import Block

from workbench.app.services import Services
from workbench.ui.listen import any_of, listen
from workbench.ui.tabs.tools.edit_events import ToolEditEvents
from workbench.ui.tabs.tools.keep_events import ToolStorageEvents
from workbench.ui.tabs.tools.parts import ToolsParts

_KEEP: Final = """(name, spec, rules) => {
  try { localStorage.setItem('hermes-workbench:tool:draft:' + name, JSON.stringify({ spec, rules })); }
  catch { /* forbidden */ }
  return [];
}"""


def wire(
    blocks: gr.Blocks,
    parts: ToolsParts,
    services: Services,
    visitor: gr.State,
    *,
    tabs: gr.Tabs,
    play: list[Block],
) -> None:
    """Lets the parts answer.

    Args:
        blocks: The page; the list is filled when it is opened.
        parts: Of the tab.
        services: The edges.
        visitor: Tells whose browser it is.
        tabs: All tabs.
        play: Play's toolset and its text.
    """
    edit, keep = ToolEditEvents(services), ToolStorageEvents(services)
    texts = [parts.spec, parts.rules]
    opened = [
        parts.tools, parts.open_name, *texts, parts.arguments, parts.toolset, parts.notice, parts.tried,
    ]  # fmt: skip
    listen(blocks.load, edit.on_page, [visitor], [parts.tools, parts.server])
    listen(parts.tools.event("open_tool"), edit.on_open_tool, [visitor], opened)
    # One listener for all: its last run has seen every text, whatever order they change in.
    listen(
        any_of(parts.spec.change, parts.rules.change, parts.toolset.change),
        edit.on_draft,
        [visitor, *texts, parts.toolset],
        [
            parts.spec_notice,
            parts.rules_notice,
            parts.lint,
            parts.sizes,
            parts.file,
            parts.grid,
            parts.versions,
        ],
        is_latest_only=True,
    )
    for text in texts:
        listen(text.change, None, [parts.open_name, *texts], js=_KEEP, is_queued=False)
    listen(parts.grid.event("edit_grid"), edit.on_grid, [parts.spec], [parts.spec, parts.spec_notice])
    listen(
        parts.call.click,
        edit.on_call,
        [visitor, *texts, parts.arguments, parts.seed, parts.call_number],
        [parts.notice, parts.tried],
    )
    _wire_keeping(parts, keep, visitor, opened, [*play, tabs])


def _wire_keeping(
    parts: ToolsParts,
    keep: ToolStorageEvents,
    visitor: gr.State,
    opened: Sequence[Block],
    play: Sequence[Block],
) -> None:
    line, edited = parts.versions, [visitor, parts.spec, parts.rules, parts.toolset]
    told = [parts.tools, line, parts.notice]
    listen(line.event("save_version"), keep.on_save, edited, told)
    listen(line.event("mark_version"), keep.on_mark, edited, told)
    listen(line.event("restore_version"), keep.on_restore, [visitor, parts.open_name], opened)
    listen(line.event("compare_version"), keep.on_compare, edited, [parts.diff, parts.notice])
    listen(parts.use.click, keep.on_use, edited, [*play, *told])
    listen(
        parts.import_file.upload, keep.on_file, [parts.import_file], [parts.import_text, parts.import_notice]
    )
    asked = [visitor, parts.import_text, parts.import_toolset]
    listen(parts.import_tools.click, keep.on_import, asked, [parts.tools, parts.import_notice])
    server = [visitor, parts.server_name, parts.server_address]
    listen(parts.server_add.click, keep.on_server, server, [parts.tools, parts.import_notice])
