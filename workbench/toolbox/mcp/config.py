"""Configuration of MCP servers: the values, and the file `tools.yaml` that lists them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workbench.errors import BadInput
from workbench.toolspec.form_faults import first_fault
from workbench.toolspec.yaml_entries import with_entry, without_entry
from workbench.toolspec.yaml_text import load_yaml

SERVERS_KEY: Final = "mcp_servers"
"""The key of the servers in the file."""

MOST_TIMEOUT_S: Final = 3600
"""Maximum of `timeout`. Some programs count it in milliseconds: a higher value is one of theirs."""


class McpServerConfig(BaseModel):
    """Configuration of one server: a local program, or the address of a running server.

    Texts may contain `${VAR}` or `${VAR:-default}`; see `expanded`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: str = ""
    """Program that is started; it talks over its standard input and output."""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """Environment variables, in addition to the few that the SDK passes on."""
    cwd: str = ""
    """Working folder of the program. Empty for the folder of the workbench."""
    url: str = ""
    """Address of a running server."""
    type: Literal["auto", "http", "sse"] = "auto"
    """Transport of a running server: streamable HTTP, or the older SSE. `auto` tries SSE if HTTP is refused."""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """HTTP headers of every request."""
    timeout: float = Field(default=60, gt=0, le=MOST_TIMEOUT_S)
    """Seconds that a call, or connecting, may take."""
    enabled: bool = True
    """False if the server is not used."""

    @model_validator(mode="after")
    def _one_line(self) -> "McpServerConfig":
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        return self

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as in the file."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def place(self) -> str:
        """The address, or the program and its arguments, for people."""
        return self.url or " ".join((self.command, *self.args))


_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def expanded(server: McpServerConfig, environment: Mapping[str, str]) -> McpServerConfig:
    """Return the configuration with `${VAR}` and `${VAR:-default}` replaced by the values of environment variables.

    Raises:
        ConnectionError: A variable without a default is not set.
    """

    def value_of(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        value = environment.get(name) or default
        if value is None:
            raise ConnectionError(f"the environment variable {name} is not set")
        return value

    def text(value: str) -> str:
        return _VARIABLE.sub(value_of, value)

    return server.model_copy(
        update={
            "command": text(server.command),
            "args": tuple(map(text, server.args)),
            "env": {name: text(value) for name, value in server.env.items()},
            "cwd": text(server.cwd),
            "url": text(server.url),
            "headers": {name: text(value) for name, value in server.headers.items()},
        }
    )


class _ToolsFile(BaseModel):
    model_config = ConfigDict(extra="ignore")
    mcp_servers: dict[str, McpServerConfig] | None = None


def load_servers(path: Path) -> dict[str, McpServerConfig]:
    """Return the servers of a settings file by name. Empty if the file does not exist.

    Raises:
        BadInput: The file cannot be read, or the configuration of a server is invalid.
    """
    try:
        loaded: Any = load_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadInput(str(path), " ".join(str(error).split())[:300]) from error
    try:
        return _ToolsFile.model_validate(loaded or {}).mcp_servers or {}
    except ValidationError as error:
        place, problem = first_fault(error, _ToolsFile)
        raise BadInput(f"{path}, {place}", problem) from error


def save_server(path: Path, name: str, server: McpServerConfig) -> None:
    """Add a server to the file, or replace the one of this name. Comments in the file stay.

    Raises:
        BadInput: The file cannot be read or written.
    """
    _write(path, with_entry(_text(path), SERVERS_KEY, name, server.fields, where=str(path)))


def remove_server(path: Path, name: str) -> None:
    """Remove a server from the file. Comments in the file stay.

    Raises:
        BadInput: The file has no such server, or cannot be read or written.
    """
    servers = load_servers(path)
    if name not in servers:
        known = ", ".join(servers) or "none"
        raise BadInput(f"MCP server {name!r}", f"it is not in {path}", f"known servers: {known}")
    _write(path, without_entry(_text(path), SERVERS_KEY, name, where=str(path)))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        # Readable only for its owner, since it may contain keys.
        fresh.touch(mode=0o600)
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise BadInput(str(path), str(error.strerror or error)) from error
