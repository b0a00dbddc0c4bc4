"""Open, check, edit and call a tool in the editors."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import gradio as gr

from workbench.app.services import Services
from workbench.app.token_sheet import tool_sizes
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import VersionKind
from workbench.toolbox.catalog_file import parse_world, render_world
from workbench.toolbox.entry import ToolDraft
from workbench.toolspec.tools_text import parse_tools
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, json_text_of, number_of, optional_number_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import DocumentChange, EditorsView
from workbench.ui.present.mcp_servers import McpServersView, RemovedServer, show_servers
from workbench.ui.present.notices import CLEAR, NoticeView, problem
from workbench.ui.present.tool_import import import_offer
from workbench.ui.present.tools import (
    ToolListView,
    TrialView,
    read_arguments,
    show_draft,
    show_grid,
    show_rules,
    show_sizes,
    show_tools,
    show_tried,
    write_grid,
    write_rules,
)
from workbench.ui.present.versions import VersionsView, show_versions
from workbench.ui.present.words import CALL_NUMBER, SEED
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.stored_text import compare_number

SHOWN: Final = 30
"""The most versions in the list; `workbench versions history` shows all."""


def list_tools(services: Services, open_name: str, *, wants_open: bool = False) -> ToolListView:
    """Return the list of all tools, including the owner's saved ones."""
    tools = services.tools
    return show_tools(
        tools.availability(),
        tools.problems(),
        open_name=open_name,
        serial=services.calendar.seconds(),
        wants_open=wants_open,
        included={toolset.name: toolset.include_tools for toolset in tools.files() if toolset.include_tools},
    )


def list_servers(
    services: Services,
    *,
    removed: RemovedServer | None = None,
    problems: Sequence[str] = (),
    editing: str = "",
) -> McpServersView:
    """Return the list of MCP servers. It is empty for somebody who may not add any."""
    may_add = services.owner.may(Permission.ADD_SERVERS)
    states = services.catalog.servers.states() if may_add else ()
    serial = services.calendar.seconds()
    return show_servers(states, serial, removed=removed, problems=problems, editing=editing)


EDITORS: Final = EditorsView(
    names=(
        ("tools-spec", "Spec (JSON)"),
        ("tools-rules", "Mock rules (YAML)"),
        ("tools-world", "World (YAML)"),
        ("tools-arguments", "Arguments (JSON)"),
        ("tools-file", "Catalog file"),
    )
)
_FIELDS: Final = {
    "tool": "tools-spec",
    "mocks": "tools-rules",
    "arguments": "tools-arguments",
    "toolset": "tools-toolset",
}
"""The fields that show the documents of a tool, by their kinds."""
_RESTORED: Final = "The restored version replaced your draft."


def tool_key(name: str, toolset: str) -> str:
    """Return the name of a tool's documents. A new tool has no name yet."""
    return f"{toolset}/{name}" if name else "new"


def toolset_changes(was: str, toolset: str, *, is_renamed: bool) -> list[DocumentChange]:
    """Return the changes of the open tool's documents after another toolset was chosen for it.

    Args:
        was: The name of the documents.
        toolset: The toolset.
        is_renamed: Whether the tool's own toolset has this name now, which is a part of the documents' name.
    """
    key = tool_key(was.rpartition("/")[2], toolset) if is_renamed and "/" in was else was
    moved = [
        DocumentChange(how="moved", document=f"{kind}:{key}", was=f"{kind}:{was}")
        for kind in _FIELDS
        if key != was
    ]
    chosen = DocumentChange(how="choose", field=_FIELDS["toolset"], document=f"toolset:{key}", text=toolset)
    return [*moved, chosen]


def saved_changes(was: str, key: str, draft: ToolDraft, toolset: str) -> list[DocumentChange]:
    """Return the changes of a tool's documents after the tool was saved.

    Args:
        was: The name of the documents before; saving can rename a tool.
        key: Their name now.
        draft: What was saved.
        toolset: The toolset that has the tool.
    """
    texts = {"tool": draft.spec_text, "mocks": draft.rules_text, "toolset": toolset}
    saved = [
        DocumentChange(
            how="saved", field=_FIELDS[kind], document=f"{kind}:{key}", was=f"{kind}:{was}", text=text
        )
        for kind, text in texts.items()
    ]
    return [*saved, DocumentChange(how="moved", document=f"arguments:{key}", was=f"arguments:{was}")]


def is_run_by_code(services: Services, draft: ToolDraft) -> bool:
    """Whether the draft is an unchanged tool that is implemented in code. Saving it would lose the code.

    Raises:
        BadInput: The tool is implemented in code, and the draft changes its spec without adding mock rules.
        StoreError: The versions cannot be read.
    """
    names = parse_tools(f"[{draft.spec_text}]").names
    if draft.rules_text.strip() or not names:
        return False
    try:
        # Only tools in the catalog's own files can have code. Looking there first avoids reading the saved ones.
        services.studio.open_tool(names[0])
        saved = services.studio.open_tool(names[0], services.saved_toolsets())
    except BadInput:
        return False
    if saved.rules_text:
        return False
    if parse_tools(f"[{saved.spec_text}]") != parse_tools(f"[{draft.spec_text}]"):
        raise BadInput(
            f"tool {names[0]!r}",
            "it is implemented in code, so its spec cannot be changed",
            "rename the tool, or add mock rules",
        )
    return True


def version_line(services: Services, draft: ToolDraft, toolset: str) -> VersionsView | None:
    """Return the version line of a toolset with the draft in it, or None if the draft cannot be saved."""
    now = services.calendar.now().astimezone()
    try:
        if is_run_by_code(services, draft):
            return None
        history = services.versions.history(VersionKind.TOOLS, toolset, limit=SHOWN)
        before = history[0].text if history else None
        text = services.studio.merged_text(draft, toolset=toolset, before=before)
    except WorkbenchError:
        return None
    deleted = services.version_names.deleted_names(VersionKind.TOOLS)
    return show_versions(toolset, text, history, now=now, can_compare=True, deleted=deleted)


def file_text(services: Services, draft: ToolDraft, toolset: str) -> str:
    """Return the file of a toolset with the draft in it: all of its tools, as saving the draft would write them.

    Empty if the draft or the file cannot be used.
    """
    try:
        newest = services.versions.find(VersionKind.TOOLS, toolset)
        before = newest.text if newest else services.files.find(VersionKind.TOOLS, toolset)
        if is_run_by_code(services, draft):
            return before or ""
        return services.studio.merged_text(draft, toolset=toolset, before=before)
    except WorkbenchError:
        return ""


FIRST_TOOL: Final = "get_flumbuster"
NEW_SPEC: Final = json.dumps(
    {"name": "my_tool", "description": "", "parameters": {"type": "object", "properties": {}}}, indent=2
)
MINE: Final = "mine"
"""The toolset of a new tool."""


@dataclass(frozen=True, slots=True)
class ToolEditEvents:
    """Handlers of the editors."""

    services: Services

    @needs(Permission.WORK)
    def on_page(self, state: TabState, request: gr.Request) -> tuple[ToolListView, Update, McpServersView]:
        """Fill the list of tools, and show the MCP servers to users who may add them.

        The browser then opens the tool that it had open.
        """
        services = services_of(self.services, state, request)
        tools = list_tools(services, FIRST_TOOL, wants_open=True)
        may_add = services.owner.may(Permission.ADD_SERVERS)
        return tools, gr.update(visible=may_add), list_servers(services)

    @needs(Permission.WORK)
    def on_open_tool(self, state: TabState, request: gr.Request, event: gr.EventData) -> tuple[object, ...]:
        """Open the chosen tool, or a new one. The browser shows its draft if it has one.

        An address may name a version of its toolset, which is compared with the draft.
        """
        services = services_of(self.services, state, request)
        opened = self.opened(services, id_of(event, "name"), id_of(event, "toolset"))
        view, name, editors, notice, tried, _ = opened
        number = optional_number_of(event, "version")
        if number is None or notice != CLEAR or not isinstance(editors, EditorsView):
            return opened
        texts = {change.document.partition(":")[0]: change.text for change in editors.changes}
        toolset = texts["toolset"]
        draft = ToolDraft(
            spec_text=text_of(event, "spec") or texts["tool"],
            rules_text=text_of(event, "rules") or texts["mocks"],
        )

        def text_now() -> str:
            newest = services.versions.find(VersionKind.TOOLS, toolset)
            before = newest.text if newest else services.files.find(VersionKind.TOOLS, toolset)
            return services.studio.merged_text(draft, toolset=toolset, before=before)

        diff, notice = compare_number(services, VersionKind.TOOLS, toolset, number, text_now)
        return view, name, editors, notice, tried, diff

    def opened(
        self, services: Services, name: str, toolset: str = "", *, is_restored: bool = False
    ) -> tuple[object, ...]:
        """Return a tool in the editors, with the list. An open comparison is closed.

        Args:
            name: The tool; empty for a new one.
            toolset: The toolset of a tool that is not saved.
            is_restored: Whether an old version was restored, which replaces drafts.
        """
        draft, notice = ToolDraft(spec_text=NEW_SPEC), CLEAR
        how: Literal["open", "create", "restored"] = "restored" if is_restored else "open"
        try:
            if name:
                draft = services.studio.open_tool(name, services.saved_toolsets())
        except WorkbenchError as error:
            # Without a toolset, it is not a draft of the browser.
            how, notice = ("create", CLEAR) if toolset else ("open", problem(error))
        found = (tool.toolset for tool in services.tools.availability() if tool.name == name)
        toolset = next(found, toolset) or MINE
        key = tool_key(name, toolset)
        texts = {
            "tool": draft.spec_text,
            "mocks": draft.rules_text,
            "arguments": draft.arguments_text,
            "toolset": toolset,
        }
        changes = [
            DocumentChange(how=how, field=_FIELDS[kind], document=f"{kind}:{key}", text=text, note=_RESTORED)
            for kind, text in texts.items()
        ]
        # The tools of a toolset share its world.
        world = render_world(services.tools.registry.worlds().get(toolset))
        how = "restored" if is_restored else "open"
        shared = replace(changes[0], how=how, field="tools-world", document=f"world:{toolset}", text=world)
        editors = EDITORS.changed(services.calendar.seconds(), *changes, shared)
        return list_tools(services, name), name, editors, notice, None, None

    @needs(Permission.WORK)
    def on_draft(
        self, state: TabState, spec_text: str, rules_text: str, toolset: str, request: gr.Request
    ) -> tuple[object, ...]:
        """Check the draft as it is typed; return findings, sizes, file, grid, version line and offer to import."""
        services = services_of(self.services, state, request)
        draft = ToolDraft(spec_text=spec_text, rules_text=rules_text)
        spec, rules, lint = show_draft(self.services.studio.check_draft(draft))
        text = file_text(services, draft, toolset or MINE)
        line = version_line(services, draft, toolset)
        offer = import_offer(spec_text, fewest=2) if spec.lines else ""
        button = gr.update(value=offer or "Import", visible=bool(offer))
        grids = show_grid(spec_text), show_rules(rules_text)
        return spec, rules, lint, self._sizes(spec_text), text, *grids, line, button

    @needs(Permission.WORK)
    def on_grid(
        self, state: TabState, request: gr.Request, event: gr.EventData
    ) -> tuple[EditorsView | Update, NoticeView | Update]:
        """Update the JSON after a change in the grid."""
        return self._with_rows(state, request, event, write_grid, "tools-spec")

    @needs(Permission.WORK)
    def on_rules(
        self, state: TabState, request: gr.Request, event: gr.EventData
    ) -> tuple[EditorsView | Update, NoticeView | Update]:
        """Update the YAML after a change in the rows of the mock rules."""
        return self._with_rows(state, request, event, write_rules, "tools-rules")

    def _with_rows(
        self,
        state: TabState,
        request: gr.Request,
        event: gr.EventData,
        write: Callable[[str, str], str],
        field: str,
    ) -> tuple[EditorsView | Update, NoticeView | Update]:
        """Return the change of an editor after a change of its rows."""
        services, before = services_of(self.services, state, request), text_of(event, "text")
        try:
            text = write(before, json_text_of(event, "rows"))
        except BadInput as error:
            return SAME, problem(error)
        change = DocumentChange(
            how="edit",
            field=field,
            document=id_of(event, "document"),
            text=text,
            before=before,
            number=number_of(event, "number"),
            note="The rows replaced what you typed meanwhile.",
        )
        return EDITORS.changed(services.calendar.seconds(), change), SAME

    @needs(Permission.WORK)
    def on_call(
        self,
        state: TabState,
        spec_text: str,
        rules_text: str,
        world_text: str,
        arguments: str,
        seed: float | None,
        call_number: float | None,
        request: gr.Request,
    ) -> tuple[NoticeView, TrialView | None]:
        """Call the drafted tool once, in the drafted world."""
        services = services_of(self.services, state, request)
        draft = ToolDraft(spec_text=spec_text, rules_text=rules_text)
        try:
            world = parse_world(world_text, where="world")
            call_arguments = read_arguments(arguments)
            number = CALL_NUMBER.whole(call_number)
            run = services.studio.try_draft(
                draft,
                call_arguments,
                call_number=number,
                seed=SEED.whole(seed),
                toolbox=services.tools.toolbox(),
                world=world,
            )
        except BadInput as error:
            return problem(error), None
        return CLEAR, show_tried(run, world)

    def _sizes(self, spec_text: str) -> NoticeView:
        """Return the sizes of the spec. Tokens are counted if the default model is loaded."""
        text = spec_text if spec_text.lstrip().startswith("[") else f"[{spec_text}]"
        try:
            tools = parse_tools(text)
        except BadInput:
            return CLEAR
        models, model = self.services.models, self.services.settings.model
        count = models.engine(model).count_tokens if models.status(model).is_loaded else None
        return show_sizes(tool_sizes(tools, count))
