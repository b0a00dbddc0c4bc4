"""Servers that speak the OpenAI protocol: their addresses, modes and software, parsed from `servers.yaml`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from workbench.errors import BadInput
from workbench.settings import Secret
from workbench.toolspec.form_faults import first_fault


class Mode(StrEnum):
    """Which API of a server is used."""

    CHAT = "chat"
    """`/v1/chat/completions` with messages and tools. The server renders its own prompt."""
    RAW = "raw"
    """`/v1/completions` with our prompt, byte for byte."""


class ToolsBy(StrEnum):
    """Who writes the tools into the prompt, with mode `chat`."""

    SERVER = "server"
    """The tools are sent as `tools`, and the contract leaves them out."""
    CONTRACT = "contract"
    """The contract writes the tools into the system text, and `tools` is not sent."""


class ServerKind(StrEnum):
    """The software of a server."""

    OPENAI = "openai"
    """Any software. Only the sampling fields of the protocol are sent."""
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
"""Default address of each software. *Source:* the documentation of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server."""

    name: str
    """Name in `servers.yaml`. Empty for the server of the settings."""
    base_url: str
    """Address, including `/v1`."""
    key: Secret | None = None
    """Access token. None if the server needs none."""
    key_variable: str = "WORKBENCH_OPENAI_API_KEY"
    """Where to set the API key, as a text for people."""
    needs_key: bool = False
    """True if requests without an API key fail at once."""
    kind: ServerKind = ServerKind.OPENAI
    mode: Mode = Mode.CHAT
    tools_by: ToolsBy = ToolsBy.SERVER
    timeout_s: float = 120.0
    """Maximum time without data."""
    context_tokens: int = 0
    """Size of the context; 0 if not known."""
    models: tuple[str, ...] = ()
    """Models to show on the page."""

    @property
    def place(self) -> str:
        """The address to show: without user, password and query."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"

    @property
    def plain_url(self) -> str:
        """The base URL without user, password, query, and characters that a shell would expand."""
        parts = urlsplit(self.base_url)
        host = quote(parts.netloc.rpartition("@")[2], safe=":[]%")
        return f"{parts.scheme}://{host}{quote(parts.path, safe='/%:@+,;=~')}"

    @property
    def writes_tools(self) -> bool:
        """True if the server writes the tools into its prompt."""
        return self.mode is Mode.CHAT and self.tools_by is ToolsBy.SERVER

    def completed(self, *, software: ServerKind | None, context_tokens: int = 0) -> "Server":
        """Return the server with what its list says about it. What the settings say takes precedence.

        Args:
            software: The software. None if the list does not show it.
            context_tokens: Size of the model's context; 0 if not known.
        """
        kind = (software or self.kind) if self.kind is ServerKind.OPENAI else self.kind
        return replace(self, kind=kind, context_tokens=self.context_tokens or context_tokens)

    def fingerprint(self, model: str) -> str:
        """Return a fingerprint of a model on this server. It does not depend on the weights, which are not known."""
        return sha256(f"{self.place}\n{model}\n{self.mode}".encode()).hexdigest()


FILE: Final = "servers.yaml"

ReadSecret = Callable[[str], Secret | None]
"""Returns the API key in a variable, or None if it is not set."""


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
            raise ValueError("an address must start with http:// or https://")
        return value


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    servers: dict[str, _Entry] = Field(default_factory=dict[str, _Entry])


def load_servers(folder: Path, *, timeout_s: float, read_secret: ReadSecret) -> Mapping[str, Server]:
    """Load the servers by name, in the order of the file. Empty if there is no file.

    Args:
        folder: The data folder.
        timeout_s: Timeout of servers that do not set one.
        read_secret: Reads the API key from a variable.

    Raises:
        BadInput: The file cannot be parsed, or a server has no address.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        file = _File.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(f"file {path}", " ".join(str(error).split())) from error
    except ValidationError as error:
        place, problem = first_fault(error, _File)
        raise BadInput(f"file {path}, {place or 'the file'}", problem) from None
    return {
        name: _server(name, entry, f"file {path}, servers.{name}", timeout_s, read_secret)
        for name, entry in file.servers.items()
    }


def _server(name: str, entry: _Entry, where: str, timeout_s: float, read_secret: ReadSecret) -> Server:
    base_url = entry.base_url or DEFAULT_URLS.get(entry.kind, "")
    if not base_url:
        raise BadInput(where, "base_url is missing", "add the address, such as https://host/v1")
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
