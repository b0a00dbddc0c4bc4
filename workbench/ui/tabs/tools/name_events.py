"""Rename, duplicate, delete and restore toolsets."""

from dataclasses import dataclass

import gradio as gr

from workbench.records.owner import Permission
from workbench.toolbox.entry import ToolDraft
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.incoming.fields import text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.notices import CLEAR
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.tools.edit_events import EDITORS, list_tools, toolset_changes, version_line
from workbench.ui.tabs.version_events import NameEvents


@dataclass(frozen=True, slots=True)
class ToolsetNameEvents(NameEvents):
    """Handlers of the menu of the open toolset and of its list of versions. The tool in the editor stays open."""

    @needs(Permission.WORK)
    @shows_error(SAME, SAME, NOTICE, SAME)
    def on_change(
        self,
        state: TabState,
        key: str,
        spec: str,
        rules: str,
        toolset: str,
        request: gr.Request,
        event: gr.EventData,
    ) -> tuple[object, ...]:
        """Rename, duplicate, delete or restore a toolset. `key` is the name of the open tool's documents."""
        services = services_of(self.services, state, request)
        opened = self.changed(services, toolset, event)
        new_name = opened.name if opened is not None else toolset
        line = version_line(services, ToolDraft(spec_text=spec, rules_text=rules), new_name)
        is_renamed = text_of(event, "action") == "rename"
        changes = toolset_changes(key, new_name, is_renamed=is_renamed)
        editors = EDITORS.changed(services.calendar.seconds(), *changes)
        return list_tools(services, ""), line, CLEAR, editors
