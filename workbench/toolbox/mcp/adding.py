"""A server written into the tools' settings file."""

import shlex
from pathlib import Path
from typing import Final

import yaml
from pydantic import ValidationError

from workbench.errors import BadInput
from workbench.toolbox.mcp.servers import Server, load_servers
from workbench.toolspec.yaml_text import load_yaml

_KEY: Final = "mcp_servers"


def parse_address(name: str, address: str) -> Server:
    """A server from an address, or from the command line of a program.

    Raises:
        BadInput: It is neither.
    """
    where = f"MCP server {name!r}"
    if not name.strip():
        raise BadInput("MCP server", "it has no name", "give it one")
    try:
        if address.startswith(("http://", "https://")):
            return Server(url=address)
        program, *arguments = shlex.split(address) or [""]
        return Server(command=program, args=tuple(arguments))
    except ValidationError as error:
        raise BadInput(where, error.errors()[0]["msg"], "write an address or a command line") from error
    except ValueError as error:
        raise BadInput(where, f"the command line cannot be read: {error}", "close its quotes") from error


def save_server(path: Path, name: str, server: Server) -> None:
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
