"""Servers that speak the OpenAI protocol: their addresses, modes and software."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Final
from urllib.parse import quote, urlsplit

from workbench.settings import Secret


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


class KeyPlace(StrEnum):
    """Where the API key of a server is kept."""

    VARIABLE = "variable"
    """In an environment variable, which `servers.yaml` names."""
    KEYRING = "keyring"
    """In the keyring of the operating system."""
    SESSION = "session"
    """Only in the memory of this process."""


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
    key_place: KeyPlace = KeyPlace.VARIABLE
    is_guest: bool = False
    """True for a server that somebody added who is not trusted with this machine: only public addresses are used."""
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
    def key_remedy(self) -> str:
        """What to do if the API key is missing or refused."""
        if self.key_place is KeyPlace.VARIABLE:
            return f"set {self.key_variable} and restart"
        return f"edit the server {self.name!r} on the Models tab, and enter its API key"

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
