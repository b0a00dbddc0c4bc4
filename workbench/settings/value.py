"""The `Settings` value, and types that keep secrets out of printed text."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, Literal


class Secret:
    """A key or access token that does not appear when it is printed, formatted or logged.

    >>> Secret("sk-1")
    Secret(…)
    >>> f"{Secret('sk-1')}", Secret("sk-1").reveal()
    ('…', 'sk-1')
    """

    # Not a dataclass: `asdict` would expose the value.
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def reveal(self) -> str:
        """Return the value. Use it only in the request that needs it."""
        return self._value

    def redact(self, text: str) -> str:
        """Return `text` with every occurrence of the value replaced by `…`."""
        return text.replace(self._value, "…") if self._value else text


def read_secret(name: str, environment: Mapping[str, str] | None = None) -> Secret | None:
    """Read a secret from an environment variable. Return None if it is unset or blank.

    Args:
        name: Name of the variable; it does not need the prefix WORKBENCH_.
        environment: Variables by name; None reads those of the process.
    """
    value = (os.environ if environment is None else environment).get(name, "").strip()
    return Secret(value) if value else None


FlashAttention = Literal["auto", "on", "off"]
GATEWAY_LEVELS: Final = ("strict", "tolerant", "lenient")
GATEWAY_CALLS: Final = ("offered", "always", "never")
KV_TYPES: Final = ("f32", "f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Types for the keys and values of a local model's context, the most exact first."""


class Variables(Mapping[str, str]):
    """Environment variables by name. Their values are not printed, because some are secrets."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{len(self)} variables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; most fields are a variable of `docs/reference/settings.md`."""

    model: str
    """Default model, in the form of the option `--model`."""
    contract: str
    """Name of the default contract."""
    tools: tuple[str, ...]
    """Default tools: names of toolsets or tools, or paths of files."""
    host: str
    """Address that the page listens on."""
    port: int
    """Port that the page listens on."""
    data: Path
    """Folder for the database and all other data."""
    database_url: str
    """SQLAlchemy URL of the store."""
    bucket: Path | None
    """Persistent folder for snapshots of the database, such as a mounted bucket, or None."""
    snapshot_minutes: int
    """Minutes between two snapshots."""
    dataset: str
    """Dataset repository that finished labels are uploaded to. Empty if they are not uploaded."""
    home: Path
    """Folder that may hold `prompts/` and `tools_catalog/`."""
    runs_local_code: bool
    """False if the Python files in `tools_catalog/` of the home never run."""
    trusted_folders: tuple[Path, ...]
    """Homes whose Python files run without a question."""
    trust_file: Path
    """File with the folders that the user trusts. It is never in the current folder."""
    context_tokens: int
    """Context size of a local model, in tokens; 0 uses the size that it was trained with."""
    threads: int
    """Threads of a local model; 0 uses one per core."""
    gpu_layers: int
    """Layers of a local model on the GPU; -1 puts all of them there if the build supports it."""
    flash_attention: FlashAttention
    """Whether a local model uses flash attention; `auto` uses it if the device supports it."""
    kv_type: str
    """Type of the keys and values of a local model's context; one of `KV_TYPES`."""
    lora: tuple[tuple[Path, float], ...]
    """GGUF adapters that are applied to a local model, each with its scale."""
    has_embedded_adapter: bool
    """Whether the shipped adapter is applied to the embedded model if `lora` is empty."""
    call_threshold: float | None
    """Call threshold of local models; 0 for none. None uses the one in the receipt of the model's adapter."""
    prefix_cache_mb: int
    """Memory for evaluated prompts of a local model that are not in use, in megabytes; 0 keeps none."""
    model_memory_mb: int
    """Memory for all loaded local models together, in megabytes; 0 uses three quarters of this machine's memory."""
    max_rounds: int
    """Maximum number of completions in a turn."""
    openai_base_url: str
    """Base URL of the server for models named `openai:NAME`; may be empty."""
    openai_api_key: Secret | None
    """API key of that server, or None if it needs none."""
    openai_kind: str
    """Software of that server, such as `vllm`. It decides which sampling fields are sent."""
    openai_mode: str
    """`chat` or `raw`."""
    remote_timeout_s: int
    """Seconds that a server may be silent while it answers."""
    tools_file: Path
    """YAML file of MCP servers and always allowed commands; it need not exist."""
    tool_timeout_s: float
    """Seconds after which a tool that has not answered fails."""
    terminal: str
    """Where commands run: `mock`, `local`, `local:FOLDER`, `docker:IMAGE` or `ssh:HOST`."""
    judge: str
    """Model that checks risky commands first. Empty if the person is asked right away."""
    approval_timeout_s: float
    """Seconds after which an unanswered question about a command counts as a no."""
    environment: Variables = field(repr=False, compare=False)
    """All environment variables of the process, for tools that require some."""
    accounts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, hash=False)
    """Password hashes by account name. Empty if nobody has to log in."""
    admins: frozenset[str] = frozenset()
    """Names of the accounts that are admins; on a Space, Hugging Face user names."""
    is_on_space: bool = False
    """True on a Hugging Face Space: anybody may visit, each visitor has their own data, and all tools are mocks."""
    has_hugging_face_login: bool = False
    """True on a Space where visitors can sign in with Hugging Face."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names, in addition to the page's own addresses, that requests may use; `*` allows any."""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Networks of the proxies whose `X-Forwarded-For` counts."""
    max_connections: int = 256
    """Open connections of one address that is not a trusted proxy."""
    frame_ancestors: tuple[str, ...] = ()
    """Origins that may show the page in a frame, in addition to huggingface.co on a Space."""
    may_skip_login: bool = False
    """True if other machines may reach the page although there are no accounts."""
    login_hours: int = 12
    """Hours after which an unused login expires."""
    max_upload_mb: int = 100
    """Size of the largest file that can be uploaded, in megabytes of 1,000,000 bytes."""
    max_open_pages: int = 500
    """Browser tabs and API calls whose state is kept in memory at the same time."""
    gateway_port: int = 7861
    """Port that the gateway listens on."""
    gateway_keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, hash=False)
    """Hashes of the gateway's API keys by their names. Empty if it needs no key."""
    gateway_requests: int = 128
    """Requests to the gateway that run or wait at the same time."""
    gateway_body_mb: int = 20
    """Size of the largest body of a request to the gateway, in megabytes of 1,000,000 bytes."""
    gateway_prompt_chars: int = 2_000_000
    """Length of the longest prompt of a request to the gateway, in characters."""
    gateway_retries: int = 0
    """How often the gateway asks a server again after a temporary failure."""
    gateway_level: str = "tolerant"
    """How much the gateway's reader may repair: strict, tolerant or lenient."""
    gateway_calls: str = "offered"
    """When the gateway takes calls out of the text: `offered` (the request offers tools), always or never."""
