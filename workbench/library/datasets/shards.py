"""A folder of files of rows, each converted into a file of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from workbench.errors import BadInput
from workbench.library.datasets.conversion import Conversion, RowDone, convert_file
from workbench.library.datasets.row_files import AUTO, shards_of
from workbench.trajectory.formats.known import format_named


class ShardRow(NamedTuple):
    """What became of one row of a shard."""

    source: str
    """The shard."""
    done: RowDone


def shard_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """Each shard of a folder, and the file that it becomes: `NAME.jsonl` in the other folder, which is made.

    Raises:
        BadInput: The folder holds no rows, two shards would become one file, or the other cannot be made.
    """
    folder = Path(target).expanduser()
    if folder.resolve() == Path(source).expanduser().resolve():
        raise BadInput(f"folder {target}", "it is the one that is read", "name another")
    pairs = [(shard, str(folder / f"{_stem(shard)}.jsonl")) for shard in shards_of(source)]
    targets = [made for _, made in pairs]
    if twice := next((one for one in targets if targets.count(one) > 1), ""):
        raise BadInput(f"folder {source}", f"two shards would become {twice}", "give them names of their own")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"folder {target}", str(error.strerror or error)) from error
    return pairs


def settled(conversion: Conversion) -> Conversion:
    """The conversion with nothing left to find out from all rows: arguments become text where that is safe
    whatever comes, for no shard knows the others."""
    if conversion.arguments != AUTO:
        return conversion
    mixes = format_named(conversion.write_as).has_object_arguments
    return replace(conversion, arguments="text" if mixes else "object")


def convert_shards(pairs: Sequence[tuple[str, str]], conversion: Conversion) -> Iterator[ShardRow]:
    """Convert shard by shard, here.

    Raises:
        BadInput: As `convert_file`.
    """
    for source, target in pairs:
        for done in convert_file(source, target, conversion):
            yield ShardRow(source, done)


def _stem(shard: str) -> str:
    """The name without the ending that says how the rows are packed."""
    name = Path(shard).name.removesuffix(".gz")
    return name.rpartition(".")[0]
