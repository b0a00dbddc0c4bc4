"""Save tools as versions of their toolset, import tools, and offer them in Play."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import gradio as gr

from workbench.app.services import Services
from workbench.errors import BadInput, WorkbenchError
from workbench.records.owner import Permission
from workbench.records.versions import NewVersion, VersionKind
from workbench.toolbox.entry import ToolDraft
from workbench.toolspec.importers.read import import_tools
from workbench.toolspec.tools_text import MAX_SIZE_CHARS, parse_tools, render_tools
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.documents import PLAY_EDITORS, DocumentChange, EditorsView, tools_change
from workbench.ui.present.notices import CLEAR, NoticeLine, NoticeView, advice, problem
from workbench.ui.present.tools import ToolListView
from workbench.ui.present.version_diff import VersionDiffView
from workbench.ui.present.versions import VersionsView
from workbench.ui.present.words import count
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.stored_text import compare_versions
from workbench.ui.tabs.tools.edit_events import (
    EDITORS,
    MINE,
    ToolEditEvents,
    is_run_by_code,
    list_tools,
    saved_changes,
    tool_key,
    version_line,
)

_KIND: Final = VersionKind.TOOLS
ToolSaveResult = tuple[
    ToolListView | Update, str | Update, VersionsView | Update | None, NoticeView, EditorsView | Update
]
_FAILED: Final = (SAME, SAME, SAME)
"""The list, the name of the open tool and the version line stay unchanged."""


@dataclass(frozen=True, slots=True)
class ToolStorageEvents:
    """Handlers that save, import and use tools."""

    services: Services

    @needs(Permission.WORK)
    def on_save(
        self,
        state: TabState,
        key: str,
        spec: str,
        rules: str,
        toolset: str,
        request: gr.Request,
        event: gr.EventData,
    ) -> ToolSaveResult:
        """Save the toolset with the draft in it as a version.

        `key` is the name of the tool's documents in the browser (`tool_key`).
        """
        draft, message = ToolDraft(spec_text=spec, rules_text=rules), text_of(event, "message").strip()
        return self._saved(state, key, draft, toolset, request, message)

    @needs(Permission.WORK)
    @shows_error(NOTICE, SAME, SAME)
    def on_save_world(
        self,
        state: TabState,
        key: str,
        world: str,
        spec: str,
        rules: str,
        toolset: str,
        request: gr.Request,
    ) -> tuple[NoticeView, EditorsView | Update, VersionsView | Update | None]:
        """Save the toolset with another world as a version. `key` is the name of the world's document."""
        services = services_of(self.services, state, request)
        before = _newest(services, toolset)
        text = services.studio.world_text(world, toolset=toolset, before=before)
        _store(services, toolset, text, before, message="world changed")
        saved = DocumentChange(
            how="saved", field="tools-world", document=f"world:{toolset}", was=f"world:{key}", text=world
        )
        editors = EDITORS.changed(services.calendar.seconds(), saved)
        draft = ToolDraft(spec_text=spec, rules_text=rules)
        return advice(f"Saved the world of {toolset!r}."), editors, version_line(services, draft, toolset)

    @needs(Permission.WORK)
    @shows_error(*_FAILED, NOTICE, SAME)
    def on_mark(
        self,
        state: TabState,
        _key: str,
        spec: str,
        rules: str,
        toolset: str,
        request: gr.Request,
        event: gr.EventData,
    ) -> ToolSaveResult:
        """Name a version."""
        services = services_of(self.services, state, request)
        draft = ToolDraft(spec_text=spec, rules_text=rules)
        services.versions.tag(id_of(event), id_of(event, "mark"))
        return SAME, SAME, version_line(services, draft, toolset), CLEAR, SAME

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, SAME, NOTICE, SAME, SAME)
    def on_restore(
        self, state: TabState, key: str, request: gr.Request, event: gr.EventData
    ) -> tuple[object, ...]:
        """Save an old version of the toolset as the newest, and show its tool. A draft can be brought back."""
        services = services_of(self.services, state, request)
        services.versions.restore(id_of(event))
        toolset, _, name = key.rpartition("/") if "/" in key else ("", "", "")
        return ToolEditEvents(self.services).opened(services, name, toolset, is_restored=True)

    @needs(Permission.WORK)
    def on_compare(
        self,
        state: TabState,
        _key: str,
        spec: str,
        rules: str,
        toolset: str,
        request: gr.Request,
        event: gr.EventData,
    ) -> tuple[VersionDiffView | None, NoticeView]:
        """Compare two versions, or a version with the draft."""
        services = services_of(self.services, state, request)
        draft = ToolDraft(spec_text=spec, rules_text=rules)

        def text_now() -> str:
            return services.studio.merged_text(draft, toolset=toolset, before=_newest(services, toolset))

        return compare_versions(services, _KIND, event, toolset, text_now)

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, SAME, *_FAILED, NOTICE, SAME)
    def on_use(
        self, state: TabState, key: str, spec: str, rules: str, toolset: str, request: gr.Request
    ) -> tuple[object, ...]:
        """Save the draft if necessary, and choose its toolset in Play."""
        services = services_of(self.services, state, request)
        draft = ToolDraft(spec_text=spec, rules_text=rules)
        result = self._saved(state, key, draft, toolset, request, "used in Play")
        if result[3] != CLEAR:
            return SAME, SAME, SAME, *result
        tools = services.tools
        text, names = render_tools(tools.select((toolset,))), list(tools.toolsets())
        shown = PLAY_EDITORS.changed(services.calendar.seconds(), tools_change(state, text))
        return gr.update(choices=names, value=[toolset]), shown, gr.update(selected="play"), *result

    @needs(Permission.WORK)
    def on_include(self, state: TabState, request: gr.Request, event: gr.EventData) -> ToolListView:
        """Add a tool to the list of another toolset, or remove it from there."""
        services = services_of(self.services, state, request)
        name, toolset = id_of(event, "name"), id_of(event, "toolset").strip()
        is_included = id_of(event, "act") != "remove"
        try:
            _include(services, name, toolset, is_included=is_included)
            view = list_tools(services, name)
        except WorkbenchError as error:
            return replace(list_tools(services, name), note=str(error), is_problem=True)
        note = f"Added {name} to {toolset}." if is_included else f"Removed {name} from {toolset}."
        return replace(view, note=note)

    @needs(Permission.WORK)
    def on_file(self, path: str | None) -> tuple[str | Update, NoticeView]:
        """Put the text of a file into the field."""
        try:
            file = Path(path or "")
            if file.stat().st_size > MAX_SIZE_CHARS:
                return SAME, problem(BadInput(file.name, f"larger than {MAX_SIZE_CHARS:,} bytes", "split it"))
            return file.read_text(encoding="utf-8"), CLEAR
        except (OSError, UnicodeDecodeError) as error:
            return SAME, problem(BadInput("file", f"it cannot be read: {error}", "choose a text file"))

    @needs(Permission.WORK)
    def on_import_list(
        self, state: TabState, text: str, toolset: str, request: gr.Request
    ) -> tuple[ToolListView | Update, NoticeView, Update, NoticeView | Update]:
        """Import the tools that were pasted into the editor of one tool, whose draft is then discarded.

        The editor then shows the first imported tool with its own findings, so the result has a notice of its own.
        """
        shown, notice = self.on_import(state, text, toolset or MINE, request)
        if shown is SAME:
            return SAME, notice, SAME, SAME
        return shown, CLEAR, gr.update(visible=False), notice

    @needs(Permission.WORK)
    @shows_error(SAME, NOTICE)
    def on_import(
        self, state: TabState, text: str, toolset: str, request: gr.Request
    ) -> tuple[ToolListView | Update, NoticeView]:
        """Import tools in any known format into one of the user's toolsets."""
        services = services_of(self.services, state, request)
        imported = import_tools(text)
        drafts = [
            ToolDraft(spec_text=json.dumps(tool.document, ensure_ascii=False))
            for tool in imported.tools.specs
        ]
        _save(services, drafts, toolset, message=f"imported from {imported.form}")
        tools = services.tools
        found = [
            NoticeLine(word=finding.severity.value, code=finding.code, text=finding.message, tone="warning")
            for finding in imported.findings
        ]
        refused = [line for line in tools.problems() if repr(toolset) in line]
        saved = count(len(imported.tools.specs), "tool")
        done = f"Imported {saved} ({imported.form}) into toolset {toolset!r}."
        lines = (*advice(done).lines, *found, *(NoticeLine(word="not used", text=line) for line in refused))
        name = imported.tools.names[0] if imported.tools.names else ""
        return replace(list_tools(services, name), opens=bool(name)), NoticeView(lines=lines)

    def _saved(
        self, state: TabState, key: str, draft: ToolDraft, toolset: str, request: gr.Request, message: str
    ) -> ToolSaveResult:
        """Save the draft. Its documents get the saved name, and what was typed since stays a draft."""
        services = services_of(self.services, state, request)
        try:
            _save(services, [draft], toolset, message=message)
            name = parse_tools(f"[{draft.spec_text}]").names[0]
        except WorkbenchError as error:
            return *_FAILED, problem(error), SAME
        changes = saved_changes(key, tool_key(name, toolset), draft, toolset)
        editors = EDITORS.changed(services.calendar.seconds(), *changes)
        return list_tools(services, name), name, version_line(services, draft, toolset), CLEAR, editors


def _save(services: Services, drafts: Sequence[ToolDraft], toolset: str, *, message: str) -> None:
    """Save the toolset with the drafts in it as its newest version, unless nothing changed.

    Raises:
        BadInput: The draft or the toolset's name cannot be used, or another toolset has the tool.
        StoreError: The version cannot be written.
    """
    drafts = [draft for draft in drafts if not is_run_by_code(services, draft)]
    if not drafts:
        return
    before = _newest(services, toolset)
    text = services.studio.merged_texts(drafts, toolset=toolset, before=before)
    _store(services, toolset, text, before, message=message)


def _store(services: Services, toolset: str, text: str, before: str | None, *, message: str) -> None:
    """Save the text of a toolset as its newest version, unless nothing changed.

    Raises:
        BadInput: The toolset cannot be used.
        StoreError: The version cannot be written.
    """
    if text == before:
        return
    for line in services.catalog.with_toolsets({**services.saved_toolsets(), toolset: text}).problems():
        if line not in services.tools.problems():
            where = f"toolset {toolset!r}"
            raise BadInput(where, line.removeprefix(f"{where}: "))
    services.versions.save(NewVersion(kind=_KIND, name=toolset, text=text, message=message))


def _include(services: Services, name: str, toolset: str, *, is_included: bool) -> None:
    """Save the toolset with the tool in its list, or without it.

    Raises:
        BadInput: There is no such tool, or the toolset's name or text cannot be used.
        StoreError: The version cannot be written.
    """
    entry = services.tools.registry.find(name)
    if entry is None:
        raise BadInput(f"tool {name!r}", "no such tool", "save it first")
    if entry.toolset == toolset:
        raise BadInput(f"toolset {toolset!r}", f"the tool {name!r} is declared in it", "choose another one")
    before = _newest(services, toolset) or services.files.find(VersionKind.TOOLS, toolset)
    text = services.studio.included_text(name, toolset=toolset, before=before, is_included=is_included)
    if text != before:
        message = f"{name} {'added' if is_included else 'removed'}"
        services.versions.save(NewVersion(kind=_KIND, name=toolset, text=text, message=message))


def _newest(services: Services, toolset: str) -> str | None:
    found = services.versions.find(_KIND, toolset)
    return found.text if found else None
