"""What an MCP server does at the moment, for people. This needs no MCP SDK."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.toolbox.mcp.config import McpServerConfig


class ServerStatus(StrEnum):
    """What a server does at the moment."""

    OFF = "off"
    """It is not used: the settings file turns it off, or MCP servers cannot be used here."""
    READY = "ready"
    """It is not running, and starts when one of its tools is called."""
    STARTING = "starting"
    RUNNING = "running"
    FAILED = "failed"
    """It did not start, or it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """A server of the settings file, for people."""

    name: str
    server: McpServerConfig
    status: ServerStatus
    cause: str = ""
    """Why it failed, or why MCP servers cannot be used here."""
    tools: tuple[str, ...] = ()
    """Names of its tools, as the server spells them."""
    lines: tuple[str, ...] = ()
    """The last lines that its program wrote to standard error."""
