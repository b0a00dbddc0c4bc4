"""The settings as one value, with secrets that never appear in text."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal


class Secret:
    """A key or token: it lives in memory, and no way of showing a value shows it.

    >>> Secret("sk-1")
    Secret(…)
    >>> f"{Secret('sk-1')}", Secret("sk-1").reveal()
    ('…', 'sk-1')
    """

    # No dataclass: `asdict` would take it apart.
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
        """The value itself; for the request that needs it and nothing else."""
        return self._value

    def struck_out(self, text: str) -> str:
        """`text` without the value, wherever it stands in it."""
        return text.replace(self._value, "…") if self._value else text


def read_secret(name: str, environment: Mapping[str, str] | None = None) -> Secret | None:
    """A key that a variable of any name holds; None where it is not set.

    Args:
        name: The variable.
        environment: Variables by name; None takes the process's own.
    """
    value = (os.environ if environment is None else environment).get(name, "").strip()
    return Secret(value) if value else None


FlashAttention = Literal["auto", "on", "off"]
KV_TYPES: Final = ("f32", "f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Types that the keys and values of a context may have, the most exact first."""


class Variables(Mapping[str, str]):
    """Variables of the process, which no way of showing them shows: some are secrets.

    Args:
        given: By name.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def __getitem__(self, name: str) -> str:
        return self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __repr__(self) -> str:
        return f"{len(self)} variables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this workbench is set up; each field is a variable of `docs/reference/settings.md`."""

    model: str
    """The model to begin with, as `--model` takes it."""
    contract: str
    tools: tuple[str, ...]
    """Toolsets, tools or files to begin with."""
    host: str
    """Address that the page listens on."""
    port: int
    """Port that the page listens on."""
    data: Path
    """Folder for what is kept."""
    database_url: str
    """SQLAlchemy URL of the store."""
    bucket: Path | None
    """Folder that outlives this machine, for snapshots of the database; None where there is none."""
    snapshot_minutes: int
    """Time from one snapshot to the next."""
    dataset: str
    """Dataset repository for finished labels; empty where they go to none."""
    home: Path
    """Folder that may hold `prompts/` and `tools_catalog/`."""
    context_tokens: int
    """Context that a local model is loaded with; 0 takes what it was trained with."""
    threads: int
    """Threads that a local model may use; 0 takes one a core."""
    gpu_layers: int
    """Layers of a local model that go to the GPU; -1 all, when the build can."""
    flash_attention: FlashAttention
    """Whether a local model uses it; `auto` where the device can."""
    kv_type: str
    """Type of the keys and values of a local model's context; one of `KV_TYPES`."""
    lora: tuple[tuple[Path, float], ...]
    """GGUF files of adapters that are laid over a local model, each with its scale."""
    has_embedded_adapter: bool
    """Whether the shipped adapter is laid over the embedded model where `lora` names none."""
    prefix_cache_mb: int
    """Memory for evaluated prompts of a local model that are not under way, in megabytes."""
    max_rounds: int
    """Completions that a turn may take."""
    openai_base_url: str
    """Where `openai:NAME` is asked; empty where no server is named."""
    openai_api_key: Secret | None
    """Key of that server; None where it wants none."""
    openai_kind: str
    """What software that server is; tells which sampling it takes."""
    openai_mode: str
    """`chat` or `raw`."""
    remote_timeout_s: int
    """How long a server may be silent."""
    tools_file: Path
    """YAML file of MCP servers and of commands that are allowed always; it may not be there."""
    tool_timeout_s: float
    """A tool that gives nothing for so long has failed."""
    terminal: str
    """Where commands run: `mock`, `local`, `docker:IMAGE` or `ssh:HOST`."""
    judge: str
    """The model that looks at risky commands first; empty where the person is asked at once."""
    approval_timeout_s: float
    """A person who does not answer for so long has said no."""
    environment: Variables = field(repr=False, compare=False)
    """Every variable of the process, for tools that require one."""
    accounts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, hash=False)
    """Password hash by name of those who may log in; empty where nobody has to."""
    admins: frozenset[str] = frozenset()
    is_on_space: bool = False
    """True on a Hugging Face Space, where strangers come: each has data of their own, nothing runs but mocks."""
    has_hugging_face_login: bool = False
    """True on a Space that lets people sign in with Hugging Face."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names that the page answers to besides its own addresses; `*` is any name."""
    frame_ancestors: tuple[str, ...] = ()
    """Origins whose pages may show this page in a frame, besides huggingface.co on a Space."""
    may_skip_login: bool = False
    """True if the page may be reached from other machines without any account."""
    login_hours: int = 12
    """A login that is not used for this long ends."""
    max_upload_mb: int = 100
    """Size of the largest file that can be uploaded, in megabytes of 1,000,000 bytes."""
    max_open_pages: int = 500
    """Browser tabs and API calls whose state is kept in memory at the same time."""
