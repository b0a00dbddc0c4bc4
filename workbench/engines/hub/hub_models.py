"""Models on the hub and in its cache, as the page and the verbs see them; and the port that finds and fetches them."""

from dataclasses import dataclass
from enum import StrEnum


class MemoryFit(StrEnum):
    """Whether a model can be held in this machine's memory, with room for its context."""

    YES = "fits"
    """It leaves a fifth of the memory free."""
    TIGHT = "tight"
    """Just so."""
    NO = "too large"
    """It does not."""
    UNKNOWN = "unknown"
    """The size of the file or of the memory is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRepository:
    """A repository that holds GGUF files."""

    id: str
    """`OWNER/NAME`."""
    downloads: int
    """In the last 30 days."""
    likes: int
    """Of all time."""
    is_gated: bool
    """True: its licence must be accepted on the hub first, and a token is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFile:
    """A model in a repository: one GGUF file, or the parts of one."""

    repository: str
    """`OWNER/NAME`."""
    parts: tuple[str, ...]
    """Paths in the repository, in order; llama.cpp is given the first and finds the others."""
    size_bytes: int
    """Of all parts; 0 where the hub does not say."""
    quantisation: str
    """As the file's name says, such as `Q4_K_M`; empty where it does not."""
    fit: MemoryFit
    """Whether it fits this machine."""
    is_cached: bool
    """True where all parts are on this machine."""

    @property
    def name(self) -> str:
        """As `--model` takes it."""
        return f"hf:{self.repository}/{self.parts[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedModel:
    """A model of the hub's cache on this machine."""

    name: str
    """As `--model` takes it."""
    size_bytes: int
    """Of all parts."""
    quantisation: str
    """As in `HubFile`."""
    fit: MemoryFit
    """As in `HubFile`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullProgress:
    """How far a download is."""

    done_bytes: int
    """Of all parts, what an earlier download left among them."""
    total_bytes: int
    """Of all parts."""
    note: str = ""
    """What is going on beside fetching, such as `checking`; empty while bytes come."""
    path: str = ""
    """Where the first part is, once all is there; empty until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """A model that is recommended: what it is, and how it wants to be asked."""

    title: str
    """For a person."""
    repository: str
    """Of its GGUF files."""
    family: str
    """How it spells prompts; a family of `docs/reference/families.md`."""
    template: str
    """Which published chat template it was trained with."""
    context_tokens: int
    """What it was trained with."""
    note: str
    """What it is good for, and how large."""
