"""Servers that speak the OpenAI protocol: address, mode and software of each, read from `servers.yaml`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from workbench.errors import BadInput
from workbench.settings import Secret


class Mode(StrEnum):
    """How a server is asked."""

    CHAT = "chat"
    """`/v1/chat/completions`: messages and tools; the server renders its own prompt."""
    RAW = "raw"
    """`/v1/completions`: our prompt, byte for byte."""


class ToolsBy(StrEnum):
    """Who tells the model of the tools, with mode `chat`."""

    SERVER = "server"
    """They are sent as `tools`, and the contract leaves them out."""
    CONTRACT = "contract"
    """The contract writes them into the system text, and `tools` is not sent."""


class ServerKind(StrEnum):
    """The software of a server."""

    OPENAI = "openai"
    """Anything; only the protocol's own sampling is sent."""
    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMA_SERVER = "llama-server"
    OLLAMA = "ollama"
    LM_STUDIO = "lm-studio"


DEFAULT_URLS: Final[Mapping[ServerKind, str]] = {
    ServerKind.VLLM: "http://127.0.0.1:8000/v1",
    ServerKind.SGLANG: "http://127.0.0.1:30000/v1",
    ServerKind.LLAMA_SERVER: "http://127.0.0.1:8080/v1",
    ServerKind.OLLAMA: "http://127.0.0.1:11434/v1",
    ServerKind.LM_STUDIO: "http://127.0.0.1:1234/v1",
}
"""Where each software listens unless told otherwise. *Source:* each one's documentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server."""

    name: str
    """As `models.yaml` names it; empty for the one of the settings."""
    base_url: str
    """Up to and with `/v1`."""
    key: Secret | None = None
    """None where it wants none."""
    key_variable: str = "WORKBENCH_OPENAI_API_KEY"
    """Where the key comes from, for a person."""
    needs_key: bool = False
    """True where nothing is sent without a key."""
    kind: ServerKind = ServerKind.OPENAI
    mode: Mode = Mode.CHAT
    tools_by: ToolsBy = ToolsBy.SERVER
    """Who writes the tools, with mode `chat`."""
    timeout_s: float = 120.0
    """How long it may be silent."""
    context_tokens: int = 0
    """Room for prompt and completion; 0 where it is not known."""
    models: tuple[str, ...] = ()
    """Models to offer on the page."""

    @property
    def place(self) -> str:
        """Where it is, for a person: no user, no password, no query."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"

    @property
    def plain_url(self) -> str:
        """The base URL without user, password and query, and without characters that a shell would expand."""
        parts = urlsplit(self.base_url)
        host = quote(parts.netloc.rpartition("@")[2], safe=":[]%")
        return f"{parts.scheme}://{host}{quote(parts.path, safe='/%:@+,;=~')}"

    @property
    def writes_tools(self) -> bool:
        """True where the server writes the tools into its prompt."""
        return self.mode is Mode.CHAT and self.tools_by is ToolsBy.SERVER

    def fingerprint(self, model: str) -> str:
        """Tells a model on a server from others; the server does not say which weights it has."""
        return sha256(f"{self.place}\n{model}\n{self.mode}".encode()).hexdigest()


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
