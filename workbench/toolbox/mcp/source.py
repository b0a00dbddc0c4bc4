"""MCP servers as a source of tools."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.toolbox.mcp.servers import Server, load_servers
from workbench.toolbox.registry import Registry

if TYPE_CHECKING:
    from workbench.toolbox.mcp.connection import Connection

_NOT_OF_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")


class McpTools:
    """The tools of all servers of a settings file, each server's in the toolset `mcp-NAME`.

    Args:
        path: The settings file.
        is_space: True lets no server run: strangers come there.
    """

    def __init__(self, path: Path, *, is_space: bool = False) -> None:
        self._path = path
        self._is_space = is_space
        self._connections: list[Connection] = []

    def register_tools(self, registry: Registry) -> Sequence[str]:
        """Connects to each server, and registers its tools; a line about each that cannot be used."""
        try:
            servers = load_servers(self._path)
        except BadInput as error:
            return [str(error)]
        if servers and self._is_space:
            return [f"{self._path}: MCP servers are not used on a Space"]
        if servers and find_spec("mcp") is None:
            return [f"{self._path}: MCP servers need the extra mcp (pip install 'hermes-workbench[mcp]')"]
        if not servers:
            return []
        # All at once: one that is slow to start should not hold the others up.
        with ThreadPoolExecutor(len(servers), "mcp-start") as pool:
            started = list(pool.map(_start, servers.items()))
        problems: list[str] = []
        for name, connection in zip(servers, started, strict=True):
            if isinstance(connection, str):
                problems.append(f"MCP server {name!r}: {connection}")
                continue
            self._connections.append(connection)
            problems += _register(name, connection, registry)
        return problems

    def close(self) -> None:
        """Ends all connections, and the programs behind them."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()


def _start(named: tuple[str, Server]) -> "Connection | str":
    """The open connection, or why there is none."""
    from workbench.toolbox.mcp.connection import Connection

    connection = Connection(*named)
    try:
        connection.open()
    except ConnectionError as error:
        connection.close()
        return str(error)
    return connection


def _register(server: str, connection: "Connection", registry: Registry) -> list[str]:
    toolset = f"mcp-{server}"
    registry.register_toolset(toolset, f"Tools of the MCP server {server}.")
    problems: list[str] = []
    for tool in connection.tools:
        name = _NOT_OF_A_NAME.sub("_", f"mcp_{server}_{tool.name}")[:64]
        schema: JsonObject = {"description": tool.description, "parameters": tool.schema}
        try:
            registry.register(
                name, toolset, dict(schema), _Handler(connection, tool.name), connection.check, emoji="🔌"
            )
        except BadInput as error:
            problems.append(f"MCP server {server!r}: {error}")
    return problems


class _Handler:
    """Runs the calls of one tool."""

    def __init__(self, connection: "Connection", tool: str) -> None:
        self._connection = connection
        self._tool = tool

    def __call__(self, arguments: Mapping[str, object]) -> object:
        return self._connection.call(self._tool, arguments)
