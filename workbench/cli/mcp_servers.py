"""`workbench mcp`: manage the MCP servers whose tools models can call, and serve agents over MCP."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.exit_code import ExitCode
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import count_of, write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.cli.terminal.visible import shown
from workbench.cli.tools import catalog_of_settings
from workbench.errors import BadInput, EngineError
from workbench.settings import read_settings

if TYPE_CHECKING:
    from workbench.toolbox.mcp.config import McpServerConfig
    from workbench.toolbox.mcp.source import McpTools
    from workbench.toolbox.mcp.state import ServerState

_STDERR_LINES: Final = 10
"""Lines of a failed program's standard error that are printed."""
ServerName = Annotated[str, typer.Argument(metavar="SERVER", help="Name of the server")]


@contextmanager
def _open_servers() -> "Generator[McpTools]":
    """Open the servers of the settings file, without starting any. Those that were started end with the command.

    Raises:
        BadInput: The file cannot be read.
    """
    from workbench.toolbox.mcp.config import load_servers

    # The catalog would only list this as a problem.
    load_servers(read_settings().tools_file)
    with catalog_of_settings() as catalog:
        yield catalog.servers


def list_servers(as_json: JsonOption = False) -> None:
    """List the MCP servers of tools.yaml, without starting any.

    `workbench mcp retry` starts them and shows which ones fail.
    """
    with _open_servers() as servers:
        _show(servers.states(), as_json=as_json)


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the server")],
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="URL|COMMAND", help="Address of the server, or the command that starts it, after --"
        ),
    ],
    env: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Environment variable of the program; repeatable"),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(metavar="HEADER", help="HTTP header of every request, as NAME: VALUE; repeatable"),
    ] = None,
    cwd: Annotated[str, typer.Option(metavar="FOLDER", help="Working folder of the program")] = "",
    transport: Annotated[
        str, typer.Option(metavar="TRANSPORT", help="Transport of a running server: auto, http or sse")
    ] = "auto",
    timeout: Annotated[float, typer.Option(help="Seconds that a call, or connecting, may take")] = 60,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the server of this name")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add an MCP server to tools.yaml, if it answers.

    `${VAR}` in a value, with single quotes around it, is the value of an environment variable at each start.
    """
    server = _server(
        name,
        command,
        env=_pairs(env or [], "=", "--env"),
        headers=_pairs(header or [], ":", "--header"),
        cwd=cwd,
        type=transport,
        timeout=timeout,
    )
    with _open_servers() as servers:
        problems = servers.add(name, server, replaces=name if replace else "")
        _show(_named(servers, [name]), problems, as_json=as_json)


def retry(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SERVER", help="Name of a server", show_default="all servers"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Start MCP servers and list their tools again.

    Exit code 3 if one of them fails.
    """
    from workbench.toolbox.mcp.state import ServerStatus

    with _open_servers() as servers:
        chosen = names or [state.name for state in servers.states() if state.status is not ServerStatus.OFF]
        problems: list[str] = []
        for name in chosen:
            # The state of a server that fails says why.
            with suppress(EngineError):
                problems += servers.retry(name)
        states = _named(servers, chosen)
        _show(states, problems, as_json=as_json)
    if any(state.status is ServerStatus.FAILED for state in states):
        raise typer.Exit(ExitCode.UNREACHABLE)


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE", help="JSON file to read, or - for standard input")],
    as_json: JsonOption = False,
) -> None:
    """Import MCP servers from the JSON of another program.

    Reads `mcpServers` of Claude Desktop, Claude Code and Cursor, and `servers` of VS Code. Adds the servers that
    answer. Exit code 2 if one of them is invalid, 3 if one of them does not answer.
    """
    from workbench.toolbox.mcp.config_import import import_servers

    imported = import_servers(read_text(source))
    with _open_servers() as servers:
        added = servers.add_all(imported.servers)
        _show(_named(servers, added.names), (*imported.notes, *added.problems), as_json=as_json)
    errors = (*imported.errors, *added.errors)
    for error in errors:
        print(f"workbench: {error}", file=sys.stderr)
    if errors:
        is_unreachable = any(isinstance(error, EngineError) for error in errors)
        raise typer.Exit(ExitCode.UNREACHABLE if is_unreachable else ExitCode.BAD_INPUT)


def remove(name: ServerName, as_json: JsonOption = False) -> None:
    """Remove an MCP server from tools.yaml."""
    with _open_servers() as servers:
        servers.remove(name)
    if as_json:
        write_json_line({"removed": name})
    else:
        print(shown(f"Removed {name}"))


def serve() -> None:
    """Serve an agent over MCP on standard input and output.

    Needs the extra mcp. Runs until the agent closes standard input.
    """
    from workbench.app.agents.server import serve_agents
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        serve_agents(services)


def _server(name: str, command: Sequence[str], **fields: Any) -> "McpServerConfig":
    from workbench.toolbox.mcp.config_import import parse_address, validated_config

    place = {"command": command[0], "args": command[1:]}
    if len(command) == 1:
        # One argument may be a whole command line in quotes.
        place = parse_address(name, command[0]).fields
    elif command[0].startswith(("http://", "https://")):
        raise BadInput(f"MCP server {name!r}", f"unexpected argument {command[1]!r}", "give only the address")
    return validated_config(name, {**place, **fields})


def _pairs(texts: Sequence[str], separator: str, option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, found, value = text.partition(separator)
        if not found or not name.strip():
            raise BadInput(option, f"{text[:40]!r} has no {separator!r}", f"write NAME{separator}VALUE")
        pairs[name.strip()] = value.strip() if separator == ":" else value
    return pairs


def _named(servers: "McpTools", names: Sequence[str]) -> "list[ServerState]":
    return [state for state in servers.states() if state.name in names]


def _show(states: "Sequence[ServerState]", problems: Sequence[str] = (), *, as_json: bool) -> None:
    if as_json:
        listed = [_fields(state) for state in states]
        write_json_line(cast(JsonObject, {"servers": listed, "problems": list(problems)}))
        return
    for state in states:
        tools = f", {count_of(len(state.tools), 'tool')}" if state.tools else ""
        print(shown(f"{state.name}  {state.status}{tools}  {state.server.place}"))
        if state.cause:
            print(shown(f"  {state.cause}"))
            for line in state.lines[-_STDERR_LINES:]:
                print(shown(f"  stderr: {line}"))
    for problem in problems:
        print(f"workbench: {problem}", file=sys.stderr)


def _fields(state: "ServerState") -> JsonObject:
    return {
        "name": state.name,
        "status": state.status.value,
        "cause": state.cause or None,
        "place": state.server.place,
        "tools": list(state.tools),
        "stderr": list(state.lines),
    }


GROUP: Final = {
    "list": list_servers,
    "add": add,
    "retry": retry,
    "import": import_,
    "remove": remove,
    "serve": serve,
}
"""The commands of `workbench mcp`."""
