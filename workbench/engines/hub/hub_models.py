"""Models on the hub and in its cache as values: repositories, files, their names, and whether they fit into memory."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from workbench.errors import BadInput


class MemoryFit(StrEnum):
    """Whether a model can be held in this machine's memory, with room for its context."""

    YES = "fits"
    """It leaves a fifth of the memory free."""
    TIGHT = "tight"
    """Just so."""
    NO = "too large"
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
    family: str
    """How it spells prompts; a family of `docs/reference/families.md`."""
    template: str
    """Which published chat template it was trained with."""
    context_tokens: int
    note: str
    """What it is good for, and how large."""


ROOM_BYTES: Final = 600 << 20
"""For the context, the buffers of llama.cpp and this program; a rough figure for 4,096 tokens of an 8B model."""
COMFORT: Final = 0.8
"""A model that takes more than this share of the memory is a tight fit."""
CONTROL_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
"""What a container may use. *Source:* Linux, cgroup v2."""


def memory_bytes() -> int:
    """Memory that this process may use; 0 where it cannot be told."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _windows_memory_bytes()
    try:
        limit = CONTROL_GROUP.read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def fit_of(size_bytes: int, *, memory: int) -> MemoryFit:
    """Whether weights of a size fit.

    >>> fit_of(2 << 30, memory=8 << 30), fit_of(7 << 30, memory=8 << 30), fit_of(9 << 30, memory=8 << 30)
    (<MemoryFit.YES: 'fits'>, <MemoryFit.TIGHT: 'tight'>, <MemoryFit.NO: 'too large'>)
    """
    if not size_bytes or not memory:
        return MemoryFit.UNKNOWN
    needed = size_bytes + ROOM_BYTES
    if needed > memory:
        return MemoryFit.NO
    return MemoryFit.YES if needed <= memory * COMFORT else MemoryFit.TIGHT


def _windows_memory_bytes() -> int:
    import ctypes

    windows = getattr(ctypes, "windll", None)
    kilobytes = ctypes.c_ulonglong(0)
    if windows is None or not windows.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
        return 0
    return kilobytes.value * 1024


PREFIX: Final = "hf:"
"""Before the name of a model of the hub."""

_SHARD: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)
_QUANTISATION: Final = re.compile(
    r"(?:^|[-._/])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|B?F16|FP16|F32|MXFP4(?:_MOE)?))$", re.IGNORECASE
)
_NO_MODEL: Final = re.compile(r"(?:^|/)(?:mmproj|imatrix)|[-._]imatrix\.gguf$", re.IGNORECASE)
_PART: Final = re.compile(r"(?!\.{1,2}$)[^\x00-\x1f\x7f/\\:*?\"<>|~]{1,200}")


class HubName(NamedTuple):
    """A model of the hub."""

    repository: str
    """`OWNER/NAME`."""
    file: str
    """Path in the repository."""


def parse_hub_name(name: str) -> HubName:
    """`hf:OWNER/NAME/FILE` in parts.

    Raises:
        BadInput: It is of another form.

    >>> parse_hub_name("hf:org/repo/sub/m.Q4_K_M.gguf")
    HubName(repository='org/repo', file='sub/m.Q4_K_M.gguf')
    """
    owner, _, rest = name.removeprefix(PREFIX).partition("/")
    repository, _, file = rest.partition("/")
    parts = (owner, repository, *file.split("/"))
    # A part that is empty, or that a file system takes for another place, would lead out of the cache.
    is_inside = all(_PART.fullmatch(part) for part in parts)
    if not name.startswith(PREFIX) or not is_inside or not file.lower().endswith(".gguf"):
        raise BadInput(
            f"model {name!r}",
            "not of the form hf:OWNER/REPOSITORY/FILE.gguf",
            "`workbench models show OWNER/REPOSITORY` lists the files",
        )
    return HubName(f"{owner}/{repository}", file)


def quantisation(file: str) -> str:
    """How the weights are packed, in the convention's words; empty where the name does not say.

    >>> [quantisation(name) for name in ("Hermes-3.Q4_K_M.gguf", "m-UD-Q4_K_XL-00001-of-00002.gguf", "m.gguf")]
    ['Q4_K_M', 'UD-Q4_K_XL', '']
    """
    stem = _SHARD.sub("", file).removesuffix(".gguf").removesuffix(".GGUF")
    found = _QUANTISATION.search(stem)
    return found[1].upper() if found else ""


def model_parts(files: Iterable[str]) -> Sequence[tuple[str, ...]]:
    """The models among the files of a repository: each a file, or all parts of one, in order.

    Projectors and importance matrices are GGUF and no models; a model of which a part is missing is none.

    >>> model_parts(["a.gguf", "b-00002-of-00002.gguf", "b-00001-of-00002.gguf", "mmproj-a.gguf", "x.bin"])
    [('a.gguf',), ('b-00001-of-00002.gguf', 'b-00002-of-00002.gguf')]
    """
    wanted = sorted(name for name in files if name.lower().endswith(".gguf") and not _NO_MODEL.search(name))
    groups: dict[str, list[str]] = {}
    for name in wanted:
        groups.setdefault(_SHARD.sub("-of-.gguf", name) if _SHARD.search(name) else name, []).append(name)
    return [tuple(parts) for parts in groups.values() if len(parts) == part_count(parts[0])]


def part_count(file: str) -> int:
    """How many parts the model of a file has.

    >>> part_count("m-00001-of-00003.gguf"), part_count("m.gguf")
    (3, 1)
    """
    found = _SHARD.search(file)
    return int(found[2]) if found else 1


def parts_of(file: str) -> tuple[str, ...]:
    """All parts of the model that a file belongs to, in order.

    >>> parts_of("m-00002-of-00002.gguf")
    ('m-00001-of-00002.gguf', 'm-00002-of-00002.gguf')
    """
    total = part_count(file)
    if not _SHARD.search(file):
        return (file,)
    stem = _SHARD.sub("", file)
    return tuple(f"{stem}-{number:05d}-of-{total:05d}.gguf" for number in range(1, total + 1))


def sizes_of(parts: Sequence[str], sizes: Mapping[str, int]) -> int:
    """Bytes of all parts; 0 where one is not known."""
    known = [sizes.get(part, 0) for part in parts]
    return sum(known) if all(known) else 0
