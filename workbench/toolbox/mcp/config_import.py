"""Read configurations of MCP servers that were written for other programs, or typed by a person."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

from pydantic import ValidationError

from workbench.errors import BadInput
from workbench.toolbox.mcp.config import MOST_TIMEOUT_S, McpServerConfig
from workbench.toolspec.form_faults import first_fault

_WHERE: Final = "MCP servers"


class ImportedServers(NamedTuple):
    """Servers that were read from a text."""

    servers: Mapping[str, McpServerConfig]
    """By name."""
    notes: tuple[str, ...] = ()
    """One line for each setting that could not be carried over as it was."""
    errors: tuple[BadInput, ...] = ()
    """Why the other servers of the text cannot be used."""


def read_servers(name: str, text: str) -> ImportedServers:
    """Read the address of a server, a command line, or the JSON of one or several servers.

    Args:
        name: Name of the server. It may be empty for JSON that contains the names.

    Raises:
        BadInput: The text cannot be read as one of these, or a server has no name.
    """
    text = text.strip()
    if text.startswith("{"):
        return import_servers(text, name)
    if not name.strip():
        raise BadInput("MCP server", "it has no name", "enter a name")
    return ImportedServers({name: parse_address(name, text)})


def parse_address(name: str, address: str) -> McpServerConfig:
    """Parse the address of a server or the command line of a program.

    Raises:
        BadInput: It is neither.
    """
    where = f"MCP server {name!r}"
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


def parse_config(name: str, text: str) -> McpServerConfig:
    """Parse the configuration of one server from JSON with the keys of the settings file.

    Raises:
        BadInput: The text is not JSON, or the configuration is invalid.
    """
    return validated_config(name, _json(text))


def import_servers(text: str, name: str = "") -> ImportedServers:
    """Read the JSON of Claude Desktop, Claude Code or Cursor (`mcpServers`), VS Code (`servers`), or of one server.

    Comments and trailing commas, which VS Code allows, are skipped.

    Args:
        name: Name of the server if the JSON is that of one server.

    Raises:
        BadInput: The text is not such JSON, or none of its servers is valid.
    """
    document = _json(text)
    # VS Code's settings.json has the servers below `mcp`.
    inner = cast(dict[str, Any], document["mcp"]) if isinstance(document.get("mcp"), dict) else document
    servers: object = inner.get("mcpServers", inner.get("servers"))
    if servers is None:
        if not name.strip():
            raise BadInput(_WHERE, "there is no key `mcpServers` or `servers`", "add it, or enter a name")
        servers = {name: document}
    if not isinstance(servers, dict) or not servers:
        raise BadInput(_WHERE, "the JSON lists no servers", 'write {"mcpServers": {"name": {…}}}')
    read: dict[str, McpServerConfig] = {}
    notes: list[str] = []
    errors: list[BadInput] = []
    for key, value in cast(dict[str, Any], servers).items():
        try:
            read[key] = _server(key, value, notes)
        except BadInput as error:
            errors.append(error)
    if not read:
        raise errors[0]
    return ImportedServers(read, tuple(notes), tuple(errors))


_NOT_DATA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def _json(text: str) -> dict[str, Any]:
    plain = _LAST_COMMA.sub(r"\1", _NOT_DATA.sub(r"\1", text))
    try:
        document = json.loads(plain)
    except (ValueError, RecursionError) as error:
        raise BadInput(_WHERE, f"not JSON: {error}"[:200], "paste the whole file") from error
    if not isinstance(document, dict):
        raise BadInput(_WHERE, "not a JSON object", 'write {"mcpServers": {"name": {…}}}')
    return cast(dict[str, Any], document)


_IGNORED: Final = frozenset(
    {
        "description",
        "name",
        "icon",
        "gallery",
        "version",
        "dev",
        "alwaysAllow",
        "autoApprove",
        "disabledTools",
    }
)
"""Fields that change nothing here: texts for people, and approvals of another program."""
_FIELDS: Final = frozenset(McpServerConfig.model_fields)


def _server(name: str, value: object, notes: list[str]) -> McpServerConfig:
    where = f"MCP server {name!r}"
    if not isinstance(value, dict):
        raise BadInput(where, "not a JSON object", 'write {"command": …} or {"url": …}')
    fields: dict[str, Any] = {}
    for key, field in cast(dict[str, Any], value).items():
        if key == "disabled":
            fields["enabled"] = not field
        elif key in ("serverUrl", "httpUrl"):
            fields["url"] = field
        elif key in ("type", "transport"):
            fields["type"] = "sse" if field == "sse" else "auto"
        elif key in ("env", "headers") and isinstance(field, dict):
            fields[key] = {entry: str(text) for entry, text in cast(dict[str, Any], field).items()}
        elif key == "timeout" and isinstance(field, int | float) and field > MOST_TIMEOUT_S:
            fields[key] = field / 1000
            notes.append(f"{where}: its timeout of {field:g} was read as milliseconds")
        elif key in _FIELDS:
            fields[key] = field
        elif key not in _IGNORED:
            notes.append(f"{where}: the setting {key[:40]!r} is not supported and was left out")
    fields = _with_variables(where, fields, notes)
    if fields.get("command") and fields.get("type"):
        del fields["type"]
    return validated_config(name, fields)


def validated_config(name: str, fields: Mapping[str, Any]) -> McpServerConfig:
    """Return the configuration of one server.

    Raises:
        BadInput: A field is invalid. The message says which one.
    """
    try:
        return McpServerConfig.model_validate(fields)
    except ValidationError as error:
        where = f"MCP server {name!r}"
        place, problem = first_fault(error, McpServerConfig)
        raise BadInput(f"{where}, {place}" if place else where, problem) from error


_FOREIGN: Final = re.compile(r"\$\{(?:env:([A-Za-z_]\w*)|input:([\w.-]+)|userHome)\}")


def _with_variables(where: str, fields: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """Replace the variables of other programs: `${env:KEY}` is `${KEY}`, `${input:my-key}` is `${MY_KEY}` here."""

    def ours(match: re.Match[str]) -> str:
        if match[1]:
            return f"${{{match[1]}}}"
        if not match[2]:
            return "${HOME}"
        variable = re.sub(r"\W", "_", match[2]).upper()
        notes.append(f"{where}: set the environment variable {variable}, which replaces {match[0]}")
        return f"${{{variable}}}"

    def changed(value: object) -> object:
        if isinstance(value, str):
            return _FOREIGN.sub(ours, value)
        if isinstance(value, list):
            return [changed(item) for item in cast(list[object], value)]
        if isinstance(value, dict):
            return {key: changed(item) for key, item in cast(dict[str, object], value).items()}
        return value

    return {key: changed(value) for key, value in fields.items()}
