"""`servers.yaml` of the data folder: servers by name; keys are named by their variables and never stand in it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from workbench.engines.remote.server import DEFAULT_URLS, Mode, Server, ServerKind, ToolsBy
from workbench.errors import BadInput
from workbench.settings import Secret

FILE: Final = "servers.yaml"

ReadSecret = Callable[[str], Secret | None]
"""The key that a variable holds; None where it is not set."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: ServerKind = ServerKind.OPENAI
    base_url: str = ""
    key_variable: str = ""
    mode: Mode = Mode.CHAT
    tools: ToolsBy = ToolsBy.SERVER
    timeout_s: float | None = Field(default=None, ge=1)
    context_tokens: int = Field(default=0, ge=0)
    models: list[str] = Field(default_factory=list[str])

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in ("http", "https"):
            raise ValueError("an address begins with http:// or https://")
        return value


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    servers: dict[str, _Entry] = Field(default_factory=dict[str, _Entry])


def load_servers(folder: Path, *, timeout_s: float, read_secret: ReadSecret) -> Mapping[str, Server]:
    """The servers by name, in the file's order; none where there is no file.

    Args:
        folder: The data folder.
        timeout_s: Of servers that do not say.
        read_secret: Reads a key.

    Raises:
        BadInput: The file cannot be read, or a server has no address.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        file = _File.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(f"file {path}", " ".join(str(error).split())) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"file {path}, {place or 'the file'}", first["msg"]) from None
    return {
        name: _server(name, entry, f"file {path}, servers.{name}", timeout_s, read_secret)
        for name, entry in file.servers.items()
    }


def _server(name: str, entry: _Entry, where: str, timeout_s: float, read_secret: ReadSecret) -> Server:
    base_url = entry.base_url or DEFAULT_URLS.get(entry.kind, "")
    if not base_url:
        raise BadInput(where, "it has no base_url", "write its address, such as https://host/v1")
    return Server(
        name=name,
        base_url=base_url,
        key=read_secret(entry.key_variable) if entry.key_variable else None,
        key_variable=entry.key_variable or f"key_variable of {name!r} in {FILE}",
        kind=entry.kind,
        mode=entry.mode,
        tools_by=entry.tools,
        timeout_s=entry.timeout_s or timeout_s,
        context_tokens=entry.context_tokens,
        models=tuple(entry.models),
    )
