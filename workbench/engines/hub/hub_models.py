"""Models on the hub and in its cache: repositories, files, their names, and whether they fit into memory."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from workbench.errors import BadInput


class MemoryFit(StrEnum):
    """Whether a model and its context fit into this machine's memory."""

    YES = "fits"
    """At least a fifth of the memory stays free."""
    TIGHT = "tight"
    """It fits, with less than a fifth to spare."""
    NO = "too large"
    UNKNOWN = "unknown"
    """The size of the file or of the memory is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRepository:
    """A repository with GGUF files."""

    id: str
    """`OWNER/NAME`."""
    downloads: int
    """Downloads in the last 30 days."""
    likes: int
    is_gated: bool
    """True if its licence must be accepted on the hub, and an access token is needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFile:
    """A model in a repository: a GGUF file, or several parts of one."""

    repository: str
    """`OWNER/NAME`."""
    parts: tuple[str, ...]
    """Paths in the repository, in order. llama.cpp loads the first and finds the others."""
    size_bytes: int
    """Size of all parts; 0 if the hub does not report it."""
    quantisation: str
    """Quantisation by the name of the file, such as `Q4_K_M`. Empty if the name has none."""
    fit: MemoryFit
    is_cached: bool
    """True if all parts are on this machine."""

    @property
    def name(self) -> str:
        """The name for `--model`."""
        return f"hf:{self.repository}/{self.parts[0]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedModel:
    """A model of the hub's cache on this machine."""

    name: str
    """The name for `--model`."""
    size_bytes: int
    quantisation: str
    fit: MemoryFit


@dataclass(frozen=True, slots=True, kw_only=True)
class PullProgress:
    """The progress of a download."""

    done_bytes: int
    """Bytes of all parts so far, including those of an earlier download."""
    total_bytes: int
    note: str = ""
    """Current activity other than downloading, such as `verifying`. Empty while bytes arrive."""
    path: str = ""
    """Path of the first part once everything is downloaded. Empty until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """A recommended model: what it is and which prompts it expects."""

    title: str
    repository: str
    family: str
    """Template family of its prompts; see `docs/reference/families.md`."""
    template: str
    """The published chat template that it was trained with."""
    context_tokens: int
    note: str
    """Strengths and size."""


ROOM_BYTES: Final = 600 << 20
"""Memory for the context, llama.cpp's buffers and this program: an estimate for 4,096 tokens with an 8B model."""
COMFORT: Final = 0.8
"""A model that needs more than this fraction of the memory is a tight fit."""
CONTROL_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
"""Memory limit of a container. *Source:* Linux, cgroup v2."""


def memory_bytes() -> int:
    """Return the bytes of memory that this process may use; 0 if unknown."""
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
    """Return whether weights of a size fit into memory.

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
"""Prefix of the names of models on the hub."""

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
    """Parse `hf:OWNER/NAME/FILE`.

    Raises:
        BadInput: The name has another form.

    >>> parse_hub_name("hf:org/repo/sub/m.Q4_K_M.gguf")
    HubName(repository='org/repo', file='sub/m.Q4_K_M.gguf')
    """
    owner, _, rest = name.removeprefix(PREFIX).partition("/")
    repository, _, file = rest.partition("/")
    parts = (owner, repository, *file.split("/"))
    # An empty part, or one such as `..`, could lead out of the cache.
    is_inside = all(_PART.fullmatch(part) for part in parts)
    if not name.startswith(PREFIX) or not is_inside or not file.lower().endswith(".gguf"):
        raise BadInput(
            f"model {name!r}",
            "not of the form hf:OWNER/REPOSITORY/FILE.gguf",
            "`workbench models show OWNER/REPOSITORY` lists the files",
        )
    return HubName(f"{owner}/{repository}", file)


def find_quantisation(file: str) -> str:
    """Return the quantisation in the name of a file, such as `Q4_K_M`. Empty if the name has none.

    >>> [find_quantisation(name) for name in ("Hermes-3.Q4_K_M.gguf", "m-UD-Q4_K_XL-00001-of-00002.gguf", "m.gguf")]
    ['Q4_K_M', 'UD-Q4_K_XL', '']
    """
    stem = _SHARD.sub("", file).removesuffix(".gguf").removesuffix(".GGUF")
    match = _QUANTISATION.search(stem)
    return match[1].upper() if match else ""


def model_parts(files: Iterable[str]) -> Sequence[tuple[str, ...]]:
    """Return the models among the files of a repository, each as one file or all of its parts in order.

    Projectors and importance matrices are GGUF files, but not models. Models with missing parts are left out.

    >>> model_parts(["a.gguf", "b-00002-of-00002.gguf", "b-00001-of-00002.gguf", "mmproj-a.gguf", "x.bin"])
    [('a.gguf',), ('b-00001-of-00002.gguf', 'b-00002-of-00002.gguf')]
    """
    names = sorted(name for name in files if name.lower().endswith(".gguf") and not _NO_MODEL.search(name))
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_SHARD.sub("-of-.gguf", name) if _SHARD.search(name) else name, []).append(name)
    return [tuple(parts) for parts in groups.values() if len(parts) == part_count(parts[0])]


def part_count(file: str) -> int:
    """Return the number of parts of the model that a file belongs to.

    >>> part_count("m-00001-of-00003.gguf"), part_count("m.gguf")
    (3, 1)
    """
    match = _SHARD.search(file)
    return int(match[2]) if match else 1


def parts_of(file: str) -> tuple[str, ...]:
    """Return all parts of the model that a file belongs to, in order.

    >>> parts_of("m-00002-of-00002.gguf")
    ('m-00001-of-00002.gguf', 'm-00002-of-00002.gguf')
    """
    total = part_count(file)
    if not _SHARD.search(file):
        return (file,)
    stem = _SHARD.sub("", file)
    return tuple(f"{stem}-{number:05d}-of-{total:05d}.gguf" for number in range(1, total + 1))


def sizes_of(parts: Sequence[str], sizes: Mapping[str, int]) -> int:
    """Return the size of all parts in bytes; 0 if the size of one is unknown."""
    known = [sizes.get(part, 0) for part in parts]
    return sum(known) if all(known) else 0
