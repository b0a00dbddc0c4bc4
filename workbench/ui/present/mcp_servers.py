"""Show the MCP servers: what each does now, why it failed, and its configuration to edit."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.toolbox.mcp.config import McpServerConfig
from workbench.toolbox.mcp.state import ServerState, ServerStatus
from workbench.ui.present.words import count

_MEANINGS = {
    ServerStatus.READY: "starts when one of its tools is called",
    ServerStatus.STARTING: "is being started",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerLine:
    """One server."""

    name: str
    place: str
    """Its address, or the command that starts it."""
    status: str
    meaning: str
    """What the status means, or the number of its tools."""
    cause: str
    """Why it failed. Empty if it did not."""
    stderr: tuple[str, ...]
    """The last lines that its program wrote to standard error."""
    is_off: bool
    text: str
    """Its configuration as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedServer:
    """A server that can be restored."""

    name: str
    text: str
    """Its configuration as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServersView:
    """All servers of the settings file."""

    servers: tuple[McpServerLine, ...]
    removed: RemovedServer | None = None
    """The server that was removed just now."""
    problems: tuple[str, ...] = ()
    """Why the last action failed, or which tools cannot be used."""
    editing: str = ""
    """The server whose form stays open, because its changes could not be saved."""
    serial: float = 0.0
    """A new number for every answer of the server."""


def show_servers(
    states: Sequence[ServerState],
    serial: float,
    *,
    removed: RemovedServer | None = None,
    problems: Sequence[str] = (),
    editing: str = "",
) -> McpServersView:
    """Show the servers, and the result of the last action."""
    return McpServersView(
        servers=tuple(map(_line, states)),
        removed=removed,
        problems=tuple(problems),
        editing=editing,
        serial=serial,
    )


def config_text(server: McpServerConfig) -> str:
    """Return the configuration of a server as JSON, as a person edits it."""
    return json.dumps(server.fields, indent=2, ensure_ascii=False)


def _line(state: ServerState) -> McpServerLine:
    tools = count(len(state.tools), "tool") if state.tools else ""
    return McpServerLine(
        name=state.name,
        place=state.server.place,
        status=state.status.value,
        meaning=", ".join(filter(None, (tools, _MEANINGS.get(state.status, "")))),
        cause=state.cause,
        stderr=state.lines if state.status is ServerStatus.FAILED else (),
        is_off=state.status is ServerStatus.OFF,
        text=config_text(state.server),
    )
