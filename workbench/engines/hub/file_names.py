"""What the name of a GGUF file says.

*Source:* ggml, `docs/gguf.md`, naming convention; repositories of Nous Research, Qwen, bartowski and unsloth.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from workbench.errors import BadInput

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
