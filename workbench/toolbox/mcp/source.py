"""Offer the tools of MCP servers to the registry."""

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
from workbench.toolspec.yaml_text import load_yaml

if TYPE_CHECKING:
    from workbench.toolbox.mcp.connection import Connection


_KEY: Final = "mcp_servers"


def parse_address(name: str, address: str) -> McpServerConfig:
    """A server from an address, or from the command line of a program.

    Raises:
        BadInput: It is neither.
    """
    where = f"MCP server {name!r}"
    if not name.strip():
        raise BadInput("MCP server", "it has no name", "give it one")
    try:
        if address.startswith(("http://", "https://")):
            return McpServerConfig(url=address)
        program, *arguments = shlex.split(address) or [""]
        return McpServerConfig(command=program, args=tuple(arguments))
    except ValidationError as error:
        raise BadInput(where, error.errors()[0]["msg"], "write an address or a command line") from error
    except ValueError as error:
        raise BadInput(where, f"the command line cannot be read: {error}", "close its quotes") from error


def save_server(path: Path, name: str, server: McpServerConfig) -> None:
    """Adds a server to the file; comments before the list of servers stay.

    Raises:
        BadInput: The file cannot be read or written, or has a server of that name.
    """
    if name in load_servers(path):
        raise BadInput(f"MCP server {name!r}", f"{path} has one of that name", "choose another name")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    fields = server.model_dump(mode="json", exclude_defaults=True)
    lines = text.splitlines()
    place = next((number for number, line in enumerate(lines) if line.rstrip() == f"{_KEY}:"), None)
    entry = ["  " + line for line in yaml.safe_dump({name: fields}, sort_keys=False).splitlines()]
    if place is not None:
        made = "\n".join([*lines[: place + 1], *entry, *lines[place + 1 :], ""])
    elif not isinstance(load_yaml(text) if text.strip() else None, dict) or _KEY not in load_yaml(text):
        made = "\n".join([*lines, f"{_KEY}:", *entry, ""])
    else:
        raise BadInput(f"{path}, {_KEY}", "it stands on one line", f"write `{_KEY}:` on a line of its own")
    _write(path, made)


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
    """The tools of all servers of a settings file, each server's in the toolset `mcp-NAME`.

    Args:
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
            begun = [pool.submit(_start, name, server, registry) for name, server in servers.items()]
            started = [one.result() for one in begun]
        problems: list[str] = []
        for name, connection in zip(servers, started, strict=True):
            if isinstance(connection, str):
                problems.append(f"MCP server {name!r}: {connection}")
                continue
            self._connections.append(connection)
            problems += _register(name, connection, registry)
        return problems

    def add(self, name: str, address: str, registry: Registry) -> Sequence[str]:
        """Connects to a server, registers its tools, and writes it into the settings file.

        Returns:
            A line about each of its tools that cannot be used.

        Raises:
            BadInput: There is one of that name, it does not answer, or servers are not used here.
        """
        if self._is_space:
            raise BadInput(f"MCP server {name!r}", "MCP servers are not used on a Space")
        if find_spec("mcp") is None:
            remedy = "pip install 'hermes-workbench[mcp]'"
            raise BadInput(f"MCP server {name!r}", "it needs the extra mcp", remedy)
        server = parse_address(name, address)
        if name in load_servers(self._path):
            raise BadInput(f"MCP server {name!r}", "there is one of that name", "choose another name")
        connection = _start(name, server, registry)
        if isinstance(connection, str):
            raise BadInput(f"MCP server {name!r}", connection, "look at its address or command line")
        try:
            save_server(self._path, name, server)
            problems = _register(name, connection, registry)
        except BaseException:
            # Whatever went wrong: nobody knows of this server, and nobody would end it.
            connection.close()
            raise
        self._connections.append(connection)
        return problems

    def close(self) -> None:
        """Ends all connections, and the programs behind them, all at once."""
        for connection in self._connections:
            connection.begin_closing()
        for connection in self._connections:
            connection.close()
        self._connections.clear()


def _start(name: str, server: McpServerConfig, registry: Registry) -> "Connection | str":
    """The open connection, or why there is none; tools that it lists later are registered then."""
    from workbench.toolbox.mcp.connection import Connection

    connection = Connection(name, server, lambda: _register_again(name, connection, registry))
    try:
        connection.open()
    except ConnectionError as error:
        return str(error)
    return connection


def _register_again(server: str, connection: "Connection", registry: Registry) -> None:
    """The tools that the server lists now, in place of those it listed before."""
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
    """Runs the calls of one tool."""

    def __init__(self, connection: "Connection", tool: str) -> None:
        self._connection = connection
        self._tool = tool

    def __call__(self, arguments: Mapping[str, object]) -> object:
        return self._connection.call(self._tool, arguments)
