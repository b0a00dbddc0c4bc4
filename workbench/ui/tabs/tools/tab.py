"""Build the Tools tab and connect its events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.records.versions import VersionKind
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import (
    CodeEditor,
    NumberField,
    TextField,
    number_field,
    text_editor,
)
from workbench.ui.components.heading import heading
from workbench.ui.gradio_parts.listen import any_of, listen
from workbench.ui.gradio_parts.names import Block
from workbench.ui.present.words import CALL_NUMBER, SEED
from workbench.ui.tabs.tools.edit_events import EDITORS, ToolEditEvents
from workbench.ui.tabs.tools.name_events import ToolsetNameEvents
from workbench.ui.tabs.tools.server_events import McpServerEvents
from workbench.ui.tabs.tools.storage_events import ToolStorageEvents

_UNLESS_IMPORTED: Final = (
    "(tools) => (tools?.opens ? hermesWorkbench.drop('the imported tool is opened') : [null])"
)
_EDITED: Final = "(state, name, ...rest) => [state, hermesWorkbench.documents.nameOf('tools-spec'), ...rest]"
"""Reads which tool is edited from its document, so that name and text belong together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsParts:
    """All components of the tab."""

    editors: Drawn
    tools: Drawn
    open_name: TextField
    spec: CodeEditor
    spec_notice: Drawn
    import_list: gr.Button
    """Imports several tools that were pasted as one."""
    list_notice: Drawn
    """The result of importing the list, until another tool is opened."""
    rules: CodeEditor
    rules_notice: Drawn
    world: CodeEditor
    world_save: gr.Button
    world_notice: Drawn
    lint: Drawn
    sizes: Drawn
    arguments: CodeEditor
    seed: NumberField
    call_number: NumberField
    call: gr.Button
    notice: Drawn
    tried: Drawn
    file: CodeEditor
    grid: Drawn
    rule_grid: Drawn
    toolset: TextField
    versions: Drawn
    diff: Drawn
    use: gr.Button
    import_text: TextField
    import_file: gr.UploadButton
    import_toolset: TextField
    import_tools: gr.Button
    import_notice: Drawn
    servers: Drawn
    server_name: TextField
    server_address: TextField
    server_add: gr.Button
    server_notice: Drawn
    server: gr.Column


def build(*, takes_servers: bool) -> ToolsParts:
    """Build the tab, empty.

    Args:
        takes_servers: Whether the form for MCP servers is visible before it is known who opens the page.
    """
    editors = Drawn("editors", EDITORS, elem_id="tools-editors")
    with gr.Row(elem_id="tools-columns"):
        with gr.Column(elem_id="tools-list", elem_classes=["hw-column"], min_width=0):
            tools = Drawn("tool_list", elem_id="tools-tools")
            open_name = TextField(label="Open tool", elem_id="tools-open-name")
            adding = _build_adding(takes_servers=takes_servers)
        with gr.Column(elem_id="tools-edit", elem_classes=["hw-column"], min_width=0):
            with gr.Row(elem_id="tools-keep"):
                toolset = TextField(
                    label="Toolset", max_lines=1, min_width=0, scale=1, elem_id="tools-toolset"
                )
                use = gr.Button("Use in Play", size="sm", min_width=0, scale=0, elem_id="tools-use")
            versions = Drawn("versions", elem_id="tools-versions")
            diff = Drawn("version_diff", elem_id="tools-diff")
            heading("Spec (JSON)", about="reference/tools")
            spec = text_editor("Spec (JSON)", "json", "tools-spec", is_wrapped=False, max_lines=18)
            spec_notice = Drawn("notice", elem_id="tools-spec-notice")
            import_list = gr.Button(
                "Import", variant="primary", size="sm", visible=False, elem_id="tools-import-list"
            )
            list_notice = Drawn("notice", elem_id="tools-import-list-notice")
            heading("Parameters", about="reference/tools")
            grid = Drawn("tool_grid", elem_id="tools-grid")
            heading("Mock rules", about="reference/tools#files-without-code")
            rule_grid = Drawn("mock_rules", elem_id="tools-rule-grid")
            heading("Mock rules (YAML)", about="reference/tools#files-without-code")
            rules = text_editor("Mock rules (YAML)", "yaml", "tools-rules", is_wrapped=False, max_lines=22)
            rules_notice = Drawn("notice", elem_id="tools-rules-notice")
            heading("World (YAML)", about="how-to/give-tools-a-world#declare-your-own")
            world = text_editor("World (YAML)", "yaml", "tools-world", is_wrapped=False, max_lines=14)
            world_save = gr.Button("Save world", size="sm", elem_id="tools-world-save")
            world_notice = Drawn("notice", elem_id="tools-world-notice")
            heading("Problems", about="reference/tools#lint")
            lint = Drawn("notice", elem_id="tools-lint")
            heading("Size in the prompt", about="reference/tools")
            sizes = Drawn("notice", elem_id="tools-sizes")
        with gr.Column(elem_id="tools-try", elem_classes=["hw-column"], min_width=0):
            heading("Try a call", about="how-to/mock-a-tool#edit-a-tool-on-the-page")
            arguments = text_editor(
                "Arguments (JSON)", "json", "tools-arguments", value="{}", is_wrapped=True
            )
            with gr.Row(elem_id="tools-terms"):
                seed = number_field(SEED, "tools-seed", 0)
                call_number = number_field(CALL_NUMBER, "tools-call-number", 1)
            call = gr.Button("Call tool", variant="primary", size="md", elem_id="tools-call")
            notice = Drawn("notice", elem_id="tools-notice")
            tried = Drawn("tried", elem_id="tools-tried")
            heading("As a file in tools_catalog/", about="how-to/add-a-tool-file")
            file = text_editor("Catalog file", "yaml", "tools-file", is_wrapped=False, max_lines=14)
    return ToolsParts(
        editors=editors, tools=tools, open_name=open_name, spec=spec, spec_notice=spec_notice,
        import_list=import_list, list_notice=list_notice, rules=rules, rules_notice=rules_notice,
        world=world, world_save=world_save, world_notice=world_notice, lint=lint, sizes=sizes,
        arguments=arguments, seed=seed, call_number=call_number,
        call=call, notice=notice, tried=tried, file=file, grid=grid, rule_grid=rule_grid, toolset=toolset,
        versions=versions, diff=diff,
        use=use, import_text=adding.text, import_file=adding.file, import_toolset=adding.toolset,
        import_tools=adding.save, import_notice=adding.notice, servers=adding.servers,
        server_name=adding.server_name, server_address=adding.server_address, server_add=adding.server_add,
        server_notice=adding.server_notice, server=adding.server,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Adding:
    text: TextField
    file: gr.UploadButton
    toolset: TextField
    save: gr.Button
    notice: Drawn
    servers: Drawn
    server_name: TextField
    server_address: TextField
    server_add: gr.Button
    server_notice: Drawn
    server: gr.Column


def _build_adding(*, takes_servers: bool) -> _Adding:
    with gr.Column(elem_id="tools-adding", min_width=0):
        heading("Import tools", about="how-to/add-a-tool-file#other-ways-to-add-tools")
        text = TextField(
            label="Tool definitions", show_label=False, container=False, lines=3, max_lines=8,
            placeholder="OpenAI, Anthropic, Gemini, MCP tools/list, OpenAPI 3, or a Python function",
            elem_id="tools-import-text",
        )  # fmt: skip
        toolset = TextField(
            "imported", label="Import into toolset", max_lines=1, elem_id="tools-import-toolset"
        )
        with gr.Row(elem_id="tools-import-buttons"):
            file = gr.UploadButton("Choose file", size="sm", min_width=0, elem_id="tools-import-file")
            save = gr.Button("Import tools", size="sm", min_width=0, elem_id="tools-import")
        notice = Drawn("notice", elem_id="tools-import-notice")
        with gr.Column(visible=takes_servers, elem_id="tools-server", min_width=0) as server:
            heading("MCP servers", about="how-to/use-tools-of-an-mcp-server")
            servers = Drawn("mcp_servers", elem_id="tools-servers")
            heading("Add MCP server", about="how-to/use-tools-of-an-mcp-server#add-a-server")
            name = TextField(label="Name", max_lines=1, elem_id="tools-server-name")
            address = TextField(
                label="URL or command", max_lines=1, placeholder="http://127.0.0.1:8000/mcp",
                elem_id="tools-server-address",
            )  # fmt: skip
            add = gr.Button("Connect server", size="sm", min_width=0, elem_id="tools-server-add")
            server_notice = Drawn("notice", elem_id="tools-server-notice")
    return _Adding(
        text=text, file=file, toolset=toolset, save=save, notice=notice, servers=servers, server_name=name,
        server_address=address, server_add=add, server_notice=server_notice, server=server,
    )  # fmt: skip


def wire(
    blocks: gr.Blocks,
    parts: ToolsParts,
    services: Services,
    state: gr.State,
    *,
    tabs: gr.Tabs,
    play: list[Block],
    download: Drawn,
) -> None:
    """Connect the components with their handlers.

    Args:
        blocks: The page; opening it fills the list of tools.
        play: The toolset and the editors of the Play tab.
        download: Saves texts as files.
    """
    edit, keep = ToolEditEvents(services), ToolStorageEvents(services)
    texts = [parts.spec, parts.rules]
    opened = [parts.tools, parts.open_name, parts.editors, parts.notice, parts.tried, parts.diff]
    listen(blocks.load, edit.on_page, [state], [parts.tools, parts.server, parts.servers])
    opens = parts.tools.event("open_tool")
    # Runs first, since the next event replaces the list that asked for the imported tool.
    listen(opens, None, [parts.tools], [parts.list_notice], js=_UNLESS_IMPORTED, is_queued=False)
    listen(opens, edit.on_open_tool, [state], opened, is_latest_only=True)
    # One listener for all texts, so that its last run has seen every change, in whatever order they come.
    listen(
        any_of(parts.spec.change, parts.rules.change, parts.toolset.change),
        edit.on_draft,
        [state, *texts, parts.toolset],
        [
            parts.spec_notice,
            parts.rules_notice,
            parts.lint,
            parts.sizes,
            parts.file,
            parts.grid,
            parts.rule_grid,
            parts.versions,
            parts.import_list,
        ],
        is_latest_only=True,
    )
    for edited, handler, notice in (
        (parts.grid.event("edit_grid"), edit.on_grid, parts.spec_notice),
        (parts.rule_grid.event("edit_rules"), edit.on_rules, parts.rules_notice),
    ):
        listen(edited, handler, [state], [parts.editors, notice])
    listen(
        parts.call.click,
        edit.on_call,
        [state, *texts, parts.world, parts.arguments, parts.seed, parts.call_number],
        [parts.notice, parts.tried],
    )
    _wire_keeping(parts, keep, state, opened, [*play, tabs], download)


def _wire_keeping(
    parts: ToolsParts,
    keep: ToolStorageEvents,
    state: gr.State,
    opened: Sequence[Block],
    play: Sequence[Block],
    download: Drawn,
) -> None:
    listen(parts.tools.event("include_tool"), keep.on_include, [state], [parts.tools])
    line, edited = parts.versions, [state, parts.open_name, parts.spec, parts.rules, parts.toolset]
    result = [parts.tools, parts.open_name, line, parts.notice, parts.editors]
    listen(line.event("save_version"), keep.on_save, edited, result, js=_EDITED)
    listen(line.event("mark_version"), keep.on_mark, edited, result, js=_EDITED)
    listen(line.event("restore_version"), keep.on_restore, [state, parts.open_name], opened, js=_EDITED)
    listen(
        parts.world_save.click,
        keep.on_save_world,
        [state, parts.open_name, parts.world, parts.spec, parts.rules, parts.toolset],
        [parts.world_notice, parts.editors, line],
        js=_EDITED.replace("tools-spec", "tools-world"),
    )
    for compared in (line, parts.diff):
        listen(
            compared.event("compare_version"), keep.on_compare, edited, [parts.diff, parts.notice], js=_EDITED
        )
    names = ToolsetNameEvents(keep.services, VersionKind.TOOLS)
    renamed = [parts.tools, line, parts.notice, parts.editors]
    listen(line.event("change_name"), names.on_change, edited, renamed, js=_EDITED)
    listen(line.event("download_version"), names.on_download, [state], [download, parts.notice])
    listen(parts.use.click, keep.on_use, edited, [*play, *result], js=_EDITED)
    listen(
        parts.import_file.upload, keep.on_file, [parts.import_file], [parts.import_text, parts.import_notice]
    )
    pasted = [state, parts.spec, parts.toolset]
    imported = [parts.tools, parts.spec_notice, parts.import_list, parts.list_notice]
    listen(parts.import_list.click, keep.on_import_list, pasted, imported)
    inputs = [state, parts.import_text, parts.import_toolset]
    listen(parts.import_tools.click, keep.on_import, inputs, [parts.tools, parts.import_notice])
    _wire_servers(parts, McpServerEvents(keep.services), state)


def _wire_servers(parts: ToolsParts, events: McpServerEvents, state: gr.State) -> None:
    server = [state, parts.server_name, parts.server_address]
    added = [parts.tools, parts.server_notice, parts.servers]
    listen(parts.server_add.click, events.on_server, server, added)
    for name, handler in (
        ("retry_server", events.on_retry_server),
        ("edit_server", events.on_edit_server),
        ("remove_server", events.on_remove_server),
        ("restore_server", events.on_restore_server),
    ):
        listen(parts.servers.event(name), handler, [state, parts.open_name], [parts.tools, parts.servers])
