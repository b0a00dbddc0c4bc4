"""Add, retry, edit, remove and restore MCP servers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import gradio as gr

from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.owner import Permission
from workbench.toolbox.mcp.config_import import parse_config, read_servers
from workbench.ui.gradio_parts.update import SAME, Update
from workbench.ui.incoming.fields import id_of, text_of
from workbench.ui.owners import services_of
from workbench.ui.permissions import needs
from workbench.ui.present.mcp_servers import McpServersView, RemovedServer, config_text
from workbench.ui.present.notices import NoticeLine, NoticeView, advice, problem
from workbench.ui.present.tools import ToolListView
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.tools.edit_events import list_servers, list_tools

ServersResult = tuple[ToolListView | Update, McpServersView]


@dataclass(frozen=True, slots=True)
class McpServerEvents:
    """Handlers of the MCP servers, which everybody's tools come from."""

    services: Services

    @needs(Permission.ADD_SERVERS)
    @shows_error(SAME, NOTICE, SAME)
    def on_server(
        self, state: TabState, name: str, address: str, request: gr.Request
    ) -> tuple[ToolListView | Update, NoticeView, McpServersView | Update]:
        """Add an MCP server, or those of another program's JSON."""
        services = services_of(self.services, state, request)
        known = {tool.name for tool in services.tools.availability()}
        imported = read_servers(name.strip(), address)
        added = services.catalog.servers.add_all(imported.servers)
        found = (tool.name for tool in services.tools.availability() if tool.name not in known)
        first = next(found, "")
        lines = [line for error in (*imported.errors, *added.errors) for line in problem(error).lines]
        if added.names:
            noun = "MCP server" if len(added.names) == 1 else "MCP servers"
            names = ", ".join(map(repr, added.names))
            lines = [*advice(f"Connected {noun} {names}. The new tools are in the list.").lines, *lines]
        lines += [NoticeLine(word="not used", text=line) for line in (*imported.notes, *added.problems)]
        tools = replace(list_tools(services, first), opens=True) if first else SAME
        return tools, NoticeView(lines=tuple(lines)), list_servers(services)

    @needs(Permission.ADD_SERVERS)
    def on_retry_server(
        self, state: TabState, open_name: str, request: gr.Request, event: gr.EventData
    ) -> ServersResult:
        """Connect to a server again. If that fails, its line says why."""
        services = services_of(self.services, state, request)
        name = id_of(event, "name")
        return self._done(
            services, open_name, lambda: services.catalog.servers.retry(name), shows_errors=False
        )

    @needs(Permission.ADD_SERVERS)
    def on_edit_server(
        self, state: TabState, open_name: str, request: gr.Request, event: gr.EventData
    ) -> ServersResult:
        """Replace the configuration or the name of a server, if it then answers."""
        services = services_of(self.services, state, request)
        name, new_name = id_of(event, "name"), id_of(event, "new_name").strip()

        def edit() -> Sequence[str]:
            server = parse_config(new_name, text_of(event, "text"))
            return services.catalog.servers.add(new_name, server, replaces=name)

        return self._done(services, open_name, edit, editing=name)

    @needs(Permission.ADD_SERVERS)
    def on_remove_server(
        self, state: TabState, open_name: str, request: gr.Request, event: gr.EventData
    ) -> ServersResult:
        """End a server and remove it from the settings file. The browser can restore it."""
        services = services_of(self.services, state, request)
        name = id_of(event, "name")
        servers = services.catalog.servers
        try:
            removed = RemovedServer(name=name, text=config_text(servers.config(name)))
            servers.remove(name)
        except WorkbenchError as error:
            return SAME, list_servers(services, problems=[str(error)])
        return list_tools(services, open_name), list_servers(services, removed=removed)

    @needs(Permission.ADD_SERVERS)
    def on_restore_server(
        self, state: TabState, open_name: str, request: gr.Request, event: gr.EventData
    ) -> ServersResult:
        """Write a removed server to the settings file again, whether it answers or not."""
        services = services_of(self.services, state, request)

        def restore() -> Sequence[str]:
            name = id_of(event, "name")
            services.catalog.servers.restore(name, parse_config(name, text_of(event, "text")))
            return ()

        return self._done(services, open_name, restore)

    def _done(
        self,
        services: Services,
        open_name: str,
        work: Callable[[], Sequence[str]],
        *,
        editing: str = "",
        shows_errors: bool = True,
    ) -> ServersResult:
        """Run an action, and show the servers and tools after it."""
        problems: Sequence[str] = ()
        try:
            problems, editing = work(), ""
        except WorkbenchError as error:
            problems = [str(error)] if shows_errors else []
        # Listing the tools may start servers.
        tools = list_tools(services, open_name)
        return tools, list_servers(services, problems=problems, editing=editing)
