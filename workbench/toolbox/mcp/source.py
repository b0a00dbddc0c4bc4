"""The MCP servers of the settings file: register their tools, and add, change, retry and remove servers."""

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.chat.finding import Severity
from workbench.errors import BadInput, RemoteFailed, WorkbenchError
from workbench.names import known_name
from workbench.settings.extras import install_command
from workbench.toolbox.mcp.config import McpServerConfig, load_servers, remove_server, save_server
from workbench.toolbox.mcp.state import ServerState, ServerStatus
from workbench.toolbox.mcp.tool_lists import ToolLists
from workbench.toolbox.registry import PendingTools, Registry
from workbench.toolspec.check import check_spec

if TYPE_CHECKING:
    from workbench.chat.json_value import JsonObject
    from workbench.toolbox.mcp.connection import Connection
    from workbench.toolspec.spec import ToolSpec

_NOT_OF_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")
NEEDS_EXTRA: Final = f"MCP servers need the extra mcp ({install_command('mcp')})"


class AddedServers(NamedTuple):
    """The result of adding several servers."""

    names: tuple[str, ...]
    """Those that were added."""
    problems: tuple[str, ...]
    """One line for each of their tools that cannot be used."""
    errors: tuple[WorkbenchError, ...]
    """Why the others were not added."""


class McpTools:
    """The tools of all servers of a settings file. The tools of each server are the toolset `mcp-NAME`.

    A server whose tools are known from an earlier connection is started by the first call of one of them. Any other
    server is started when somebody asks for its tools, or for all tools.

    Args:
        path: The settings file; it need not exist.
        is_space: True on a Space, where no servers are used because anybody may visit.
        environment: Values of variables in the configuration of servers.
    """

    def __init__(
        self, path: Path, *, is_space: bool = False, environment: Mapping[str, str] | None = None
    ) -> None:
        self._path = path
        self._environment = dict(environment or {})
        self._lists = ToolLists(path.with_name("mcp-tools.json"))
        self._lock = RLock()
        self._connections: dict[str, Connection] = {}
        self._off: dict[str, McpServerConfig] = {}
        self._obstacle = _find_obstacle(is_space=is_space)
        self._registry = Registry()
        self._refused: dict[str, str] = {}
        """Why tools could not be registered, by the name that they would have."""

    def register_tools(self, registry: Registry) -> Sequence[str]:
        """Register the tools of all servers, without starting any. Return one line for each problem of the file."""
        self._registry = registry
        try:
            servers = load_servers(self._path)
        except BadInput as error:
            return [str(error)]
        used = {name: server for name, server in servers.items() if server.enabled and not self._obstacle}
        self._off = {name: server for name, server in servers.items() if name not in used}
        for name, server in used.items():
            self._include(name, server)
        has_unused = self._obstacle and any(server.enabled for server in servers.values())
        return [f"{self._path}: {self._obstacle}"] if has_unused else []

    def problems(self) -> Sequence[str]:
        """Return lines for servers that cannot be used, and for tools that are not offered or have unusual schemas."""
        lines: list[str] = []
        for name, connection in self._connections.copy().items():
            if cause := connection.state.cause:
                lines.append(f"MCP server {name!r}: {cause}")
            lines += (
                f"MCP server {name!r}, tool {tool.name[:60]!r}: {tool.problem}"
                for tool in connection.tools
                if tool.problem
            )
            lines += self._clashes(name, connection)
        return lines

    def states(self) -> Sequence[ServerState]:
        """Return all servers of the file, in the order in which they were added, without starting any."""
        running = [connection.state for connection in self._connections.copy().values()]
        off = [
            ServerState(
                name=name,
                server=server,
                status=ServerStatus.OFF,
                cause=self._obstacle if server.enabled else "",
            )
            for name, server in self._off.copy().items()
        ]
        return (*running, *off)

    def config(self, name: str) -> McpServerConfig:
        """Return the configuration of a server, as in the file.

        Raises:
            BadInput: There is no such server.
        """
        connection = self._connections.get(name)
        server = connection.server if connection else self._off.get(name)
        if server is None:
            known = ", ".join((*self._connections, *self._off)) or "none"
            raise BadInput(f"MCP server {name!r}", "there is none of this name", f"known servers: {known}")
        return server

    def add(self, name: str, server: McpServerConfig, *, replaces: str = "") -> Sequence[str]:
        """Connect to a server, register its tools, and write it to the settings file.

        Args:
            replaces: Name of the server whose place it takes; empty for a new one.

        Returns:
            One line for each of its tools that cannot be used.

        Raises:
            BadInput: The name is already used or has an invisible character, or MCP servers cannot be used here.
            RemoteFailed: The server does not answer. It is not written to the file.
        """
        where = f"MCP server {name!r}"
        if self._obstacle:
            raise BadInput(where, self._obstacle)
        if not name.strip():
            raise BadInput("MCP server", "it has no name", "enter a name")
        if replaces:
            self.config(replaces)
        known = {*self._connections, *load_servers(self._path)} - {replaces}
        name = known_name(name, known, "MCP server")
        if name in known:
            raise BadInput(where, "the name is already used", "choose another name, or edit that server")
        connection = self._connect(name, server) if server.enabled else None
        try:
            if replaces and replaces != name:
                remove_server(self._path, replaces)
            save_server(self._path, name, server)
        except BaseException:
            # The server is not registered anywhere, so nothing else would end it.
            if connection:
                connection.close()
            raise
        if replaces:
            self._forget(replaces)
        with self._lock:
            if connection is None:
                self._off[name] = server
                return []
            self._connections[name] = connection
            self._off.pop(name, None)
        self._register(name, connection, self._registry)
        self._lists.save(name, server, connection.tools)
        return [line for line in self.problems() if line.startswith(where)]

    def add_all(self, servers: Mapping[str, McpServerConfig]) -> AddedServers:
        """Add several servers. One that cannot be added does not keep the others from being added."""
        names: list[str] = []
        problems: list[str] = []
        errors: list[WorkbenchError] = []
        for name, server in servers.items():
            try:
                problems += self.add(name, server)
                names.append(name)
            except WorkbenchError as error:
                errors.append(error)
        return AddedServers(tuple(names), tuple(problems), tuple(errors))

    def retry(self, name: str) -> Sequence[str]:
        """Connect to a server again and list its tools. Return one line for each tool that cannot be used.

        Raises:
            BadInput: There is no such server, or it is turned off.
            RemoteFailed: It does not answer. The message says why.
        """
        self.config(name)
        where = f"MCP server {name!r}"
        connection = self._connections.get(name)
        if connection is None:
            raise BadInput(
                where, self._obstacle or "it is turned off", "" if self._obstacle else "set `enabled: true`"
            )
        try:
            connection.retry()
        except ConnectionError as error:
            raise RemoteFailed(where, str(error), "check its address or command line") from error
        self._announce(name, connection)
        return [line for line in self.problems() if line.startswith(where)]

    def remove(self, name: str) -> None:
        """End a server, remove its tools, and remove it from the settings file.

        Raises:
            BadInput: There is no such server, or the file cannot be written.
        """
        self.config(name)
        remove_server(self._path, name)
        self._forget(name)
        self._lists.remove(name)

    def restore(self, name: str, server: McpServerConfig) -> None:
        """Write a server that was removed to the settings file again, without starting it.

        Raises:
            BadInput: The name is used again, or the file cannot be written.
        """
        if name in load_servers(self._path):
            raise BadInput(f"MCP server {name!r}", "the name is already used")
        save_server(self._path, name, server)
        if server.enabled and not self._obstacle:
            self._include(name, server)
        else:
            self._off[name] = server

    def close(self) -> None:
        """End all connections and their programs at the same time."""
        for connection in self._connections.values():
            connection.begin_closing()
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _connect(self, name: str, server: McpServerConfig) -> "Connection":
        connection = self._connection(name, server)
        try:
            connection.open()
        except ConnectionError as error:
            raise RemoteFailed(
                f"MCP server {name!r}", str(error), "check its address or command line"
            ) from error
        return connection

    def _connection(self, name: str, server: McpServerConfig) -> "Connection":
        from workbench.toolbox.mcp.connection import Connection

        connection = Connection(
            name,
            server,
            lambda: self._announce(name, connection),
            known=self._lists.find(name, server),
            environment=self._environment,
        )
        return connection

    def _include(self, name: str, server: McpServerConfig) -> None:
        connection = self._connection(name, server)
        self._connections[name] = connection
        if connection.is_known:
            self._register(name, connection, self._registry)
            return
        self._registry.add_pending(
            PendingTools(
                toolset=_toolset(name),
                prefix=_tool_name(name, ""),
                load=lambda registry: self._load(name, connection, registry),
            )
        )

    def _load(self, name: str, connection: "Connection", registry: Registry) -> bool:
        """Start a server whose tools are not known, and register them. Return whether they are known now."""
        try:
            if connection.was_tried:
                # Only the first start is waited for.
                connection.check()
            else:
                connection.open()
        except ConnectionError:
            # `problems` and `states` report it.
            return False
        if self._connections.get(name) is connection and connection.is_known:
            self._register(name, connection, registry)
        return connection.is_known

    def _announce(self, name: str, connection: "Connection") -> None:
        """Register the tools that a server lists now, and remove those that it does not list any more."""
        if self._connections.get(name) is not connection:
            return
        self._lists.save(name, connection.server, connection.tools)
        names = {_tool_name(name, tool.name) for tool in connection.tools}
        self._register(name, connection, self._registry)
        self._unregister(name, keep=names)

    def _forget(self, name: str) -> None:
        with self._lock:
            connection = self._connections.pop(name, None)
            self._off.pop(name, None)
        if connection:
            connection.close()
        self._unregister(name)
        self._registry.unregister_toolset(_toolset(name))

    def _unregister(self, name: str, *, keep: set[str] | frozenset[str] = frozenset()) -> None:
        for entry in self._registry.entries():
            if entry.toolset == _toolset(name) and entry.name not in keep:
                self._registry.unregister(entry.name)

    def _register(self, name: str, connection: "Connection", registry: Registry) -> None:
        toolset = _toolset(name)
        registry.register_toolset(toolset, f"Tools of the MCP server {name}.")
        for tool in connection.tools:
            if tool.problem:
                continue
            schema: JsonObject = {"description": tool.description, "parameters": tool.schema}
            try:
                registry.register(
                    _tool_name(name, tool.name),
                    toolset,
                    dict(schema),
                    _Handler(connection, tool.name),
                    connection.check,
                    emoji="🔌",
                )
            except BadInput as error:
                # `_clashes` reports it.
                self._refused[_tool_name(name, tool.name)] = error.problem

    def _clashes(self, name: str, connection: "Connection") -> Sequence[str]:
        """Return lines for the tools that could not be registered, and for unusual schemas of the others."""
        lines: list[str] = []
        entries = {entry.name: entry for entry in self._registry.entries()}
        for tool in connection.tools:
            entry = entries.get(_tool_name(name, tool.name))
            if tool.problem:
                continue
            if entry is not None and entry.toolset == _toolset(name):
                lines += _unusual(f"MCP server {name!r}, tool {tool.name[:60]!r}", entry.spec)
                continue
            if entry is None:
                problem = self._refused.get(_tool_name(name, tool.name), "its schema is invalid")
            else:
                problem = f"toolset {entry.toolset!r} has its name"
            lines.append(f"MCP server {name!r}, tool {tool.name[:60]!r}: {problem}")
        return lines


def _find_obstacle(*, is_space: bool) -> str:
    """Return why MCP servers cannot be used here. Empty if they can."""
    if is_space:
        return "MCP servers are not used on a Space"
    return NEEDS_EXTRA if find_spec("mcp") is None else ""


def _unusual(where: str, spec: "ToolSpec") -> Sequence[str]:
    """Return one line for each part of an offered tool's schema that is read as something else, or not checked."""
    findings = (finding for finding in check_spec(spec) if finding.severity is Severity.WARNING)
    return [f"{where}: it is offered; {finding.message}" for finding in findings]


def _toolset(server: str) -> str:
    return f"mcp-{server}"


def _tool_name(server: str, tool: str) -> str:
    return _NOT_OF_A_NAME.sub("_", f"mcp_{server}_{tool}")[:64]


class _Handler:
    """Handler that runs the calls of one tool."""

    def __init__(self, connection: "Connection", tool: str) -> None:
        self._connection = connection
        self._tool = tool

    def __call__(self, arguments: Mapping[str, object]) -> object:
        return self._connection.call(self._tool, arguments)
