"""Register the tools of MCP servers, and add servers to the settings file."""

import re
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml
from pydantic import ValidationError

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.toolbox.mcp.bounds import McpServerConfig, load_servers
from workbench.toolbox.registry import Registry
from workbench.toolspec.form_faults import first_fault
from workbench.toolspec.yaml_text import load_yaml

if TYPE_CHECKING:
    from workbench.toolbox.mcp.connection import Connection


_KEY: Final = "mcp_servers"


def parse_address(name: str, address: str) -> McpServerConfig:
    """Parse the address of a server or the command line of a program.

    Raises:
        BadInput: The name is blank, or the address is neither.
    """
    where = f"MCP server {name!r}"
    if not name.strip():
        raise BadInput("MCP server", "it has no name", "enter a name")
    try:
        if address.startswith(("http://", "https://")):
            return McpServerConfig(url=address)
        program, *arguments = shlex.split(address) or [""]
        return McpServerConfig(command=program, args=tuple(arguments))
    except ValidationError as error:
        raise BadInput(
            where, first_fault(error, McpServerConfig)[1], "enter an address or a command line"
        ) from error
    except ValueError as error:
        raise BadInput(where, f"the command line cannot be parsed: {error}", "close its quotes") from error


def save_server(path: Path, name: str, server: McpServerConfig) -> None:
    """Add a server to the file. Comments in the file stay.

    Raises:
        BadInput: The file cannot be read or written, or the name is already used.
    """
    if name in load_servers(path):
        raise BadInput(f"MCP server {name!r}", f"the name is already used in {path}", "choose another name")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    fields = server.model_dump(mode="json", exclude_defaults=True)
    lines = text.splitlines()
    place = next((number for number, line in enumerate(lines) if line.rstrip() == f"{_KEY}:"), None)
    entry = ["  " + line for line in yaml.safe_dump({name: fields}, sort_keys=False).splitlines()]
    if place is not None:
        edited = "\n".join([*lines[: place + 1], *entry, *lines[place + 1 :], ""])
    elif not isinstance(load_yaml(text) if text.strip() else None, dict) or _KEY not in load_yaml(text):
        edited = "\n".join([*lines, f"{_KEY}:", *entry, ""])
    else:
        raise BadInput(
            f"{path}, {_KEY}",
            "the key is not on its own line",
            f"write `{_KEY}:` on a line and the servers below it",
        )
    _write(path, edited)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise BadInput(str(path), str(error.strerror or error)) from error


_NOT_OF_A_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")


class McpTools:
    """The tools of all servers of a settings file. The tools of each server are the toolset `mcp-NAME`.

    Args:
        path: The settings file; it need not exist.
        is_space: True on a Space, where no servers are used because anybody may visit.
    """

    def __init__(self, path: Path, *, is_space: bool = False) -> None:
        self._path = path
        self._is_space = is_space
        self._connections: list[Connection] = []

    def register_tools(self, registry: Registry) -> Sequence[str]:
        """Connect to all servers and register their tools. Return one line for each problem."""
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
        # All servers start at the same time, so that a slow one does not delay the others.
        with ThreadPoolExecutor(len(servers), "mcp-start") as pool:
            futures = [pool.submit(_start, name, server, registry) for name, server in servers.items()]
            connections = [future.result() for future in futures]
        problems: list[str] = []
        for name, connection in zip(servers, connections, strict=True):
            if isinstance(connection, str):
                problems.append(f"MCP server {name!r}: {connection}")
                continue
            self._connections.append(connection)
            problems += _register(name, connection, registry)
        return problems

    def add(self, name: str, address: str, registry: Registry) -> Sequence[str]:
        """Connect to a server, register its tools, and write it to the settings file.

        Returns:
            One line for each of its tools that cannot be used.

        Raises:
            BadInput: The name is already used, the server does not answer, or MCP servers cannot be used here.
        """
        if self._is_space:
            raise BadInput(f"MCP server {name!r}", "MCP servers are not used on a Space")
        if find_spec("mcp") is None:
            remedy = "pip install 'hermes-workbench[mcp]'"
            raise BadInput(f"MCP server {name!r}", "it needs the extra mcp", remedy)
        server = parse_address(name, address)
        if name in load_servers(self._path):
            raise BadInput(f"MCP server {name!r}", "the name is already used", "choose another name")
        connection = _start(name, server, registry)
        if isinstance(connection, str):
            raise BadInput(f"MCP server {name!r}", connection, "check its address or command line")
        try:
            save_server(self._path, name, server)
            problems = _register(name, connection, registry)
        except BaseException:
            # The server is not registered anywhere, so nothing else would end it.
            connection.close()
            raise
        self._connections.append(connection)
        return problems

    def close(self) -> None:
        """End all connections and their programs at the same time."""
        for connection in self._connections:
            connection.begin_closing()
        for connection in self._connections:
            connection.close()
        self._connections.clear()


def _start(name: str, server: McpServerConfig, registry: Registry) -> "Connection | str":
    """Connect to a server. Return the connection, or the reason why it failed.

    When the server announces changed tools later, they are registered again.
    """
    from workbench.toolbox.mcp.connection import Connection

    connection = Connection(name, server, lambda: _register_again(name, connection, registry))
    try:
        connection.open()
    except ConnectionError as error:
        return str(error)
    return connection


def _register_again(server: str, connection: "Connection", registry: Registry) -> None:
    """Register the tools that the server lists now, and remove those that it does not list any more."""
    toolset = f"mcp-{server}"
    names = {_name(server, tool.name) for tool in connection.tools}
    _register(server, connection, registry)
    for entry in registry.entries():
        if entry.toolset == toolset and entry.name not in names:
            registry.unregister(entry.name)


def _name(server: str, tool: str) -> str:
    return _NOT_OF_A_NAME.sub("_", f"mcp_{server}_{tool}")[:64]


def _register(server: str, connection: "Connection", registry: Registry) -> list[str]:
    toolset = f"mcp-{server}"
    registry.register_toolset(toolset, f"Tools of the MCP server {server}.")
    problems: list[str] = []
    for tool in connection.tools:
        name = _name(server, tool.name)
        if tool.problem:
            problems.append(f"MCP server {server!r}, tool {tool.name[:60]!r}: {tool.problem}")
            continue
        schema: JsonObject = {"description": tool.description, "parameters": tool.schema}
        try:
            registry.register(
                name, toolset, dict(schema), _Handler(connection, tool.name), connection.check, emoji="🔌"
            )
        except BadInput as error:
            problems.append(f"MCP server {server!r}: {error}")
    return problems


class _Handler:
    """Handler that runs the calls of one tool."""

    def __init__(self, connection: "Connection", tool: str) -> None:
        self._connection = connection
        self._tool = tool

    def __call__(self, arguments: Mapping[str, object]) -> object:
        return self._connection.call(self._tool, arguments)
