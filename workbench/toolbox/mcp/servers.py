"""Which MCP servers there are: `mcp_servers` in the tools' settings file."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.errors import BadInput
from workbench.toolspec.yaml_text import load_yaml


class Server(BaseModel):
    """One server as it stands in the file: a program of this machine, or an address."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: str = ""
    """The program; its standard streams are the line to it."""
    args: tuple[str, ...] = ()
    """Its arguments."""
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Variables beside the few that every program gets."""
    url: str = ""
    """Address of a streamable HTTP server."""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Sent with every request."""
    timeout: float = Field(default=60, gt=0, le=3600)
    """Seconds that a call, or the first answer, may take."""
    enabled: bool = True
    """False leaves it alone."""

    @model_validator(mode="after")
    def _one_line(self) -> "Server":
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        return self


class _ToolsFile(BaseModel):
    model_config = ConfigDict(extra="ignore")
    mcp_servers: dict[str, Server] = Field(default_factory=dict[str, Server])


def load_servers(path: Path) -> dict[str, Server]:
    """The servers of a settings file that are enabled, by name; none where there is no file.

    Raises:
        BadInput: The file cannot be read, or a server in it is not well described.
    """
    try:
        loaded: Any = load_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadInput(str(path), " ".join(str(error).split())[:300]) from error
    try:
        servers = _ToolsFile.model_validate(loaded or {}).mcp_servers
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}, {'.'.join(map(str, first['loc']))}", first["msg"]) from error
    return {name: server for name, server in servers.items() if server.enabled}
