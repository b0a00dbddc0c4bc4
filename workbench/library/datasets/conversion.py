"""Convert a file of rows to another format, row by row or shard by shard."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from workbench.errors import BadInput
from workbench.library.datasets.file_row import FileRow
from workbench.library.datasets.row_files import STANDARD_INPUT, read_row, read_rows, shards_of, until_damaged
from workbench.library.datasets.row_writer import RowWriter, open_log_writer, open_writer
from workbench.trajectory.formats.known import AUTO, format_named
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import RowFinding
from workbench.trajectory.row_reading import RowReading
from workbench.trajectory.sets.split import RowSplit
from workbench.trajectory.writing.convert import read_repaired, write_row
from workbench.trajectory.writing.convert_rows import argument_form
from workbench.trajectory.writing.row_draft import ConversionChange, RowOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """Options of a conversion."""

    read_as: str = AUTO
    """Format of the rows, or `auto`."""
    write_as: str
    row_options: RowOptions = field(default_factory=RowOptions)
    arguments: Literal["auto", "object", "text"] = "auto"
    """How to write arguments. `auto` looks through all rows first and writes text if types are mixed or a number is
    too large, in Parquet only for such a number, and always for standard input, which cannot be read twice."""
    is_strict: bool = False
    """Whether to skip rows that would lose something."""
    reports_damage: bool = False
    """Whether the damaged rest of a file counts as one row that cannot be read. False: it ends the conversion."""
    allows_empty: bool = True
    """Whether a file without rows is converted to one without rows."""


class NoRows(BadInput):
    """A file has no rows, so nothing was written."""


class RowDone(NamedTuple):
    """Result of converting one row."""

    number: int
    """From 1."""
    is_written: bool
    split: str = ""
    """The row's split; empty if there are no splits or it was not written."""
    changes: tuple[ConversionChange, ...] = ()
    """What was lost, added and rearranged."""
    problems: tuple[RowFinding, ...] = ()
    """Why it was not written; empty if it was."""


def convert_file(
    source: str, target: str, conversion: Conversion, split: RowSplit | None = None
) -> Iterator[RowDone]:
    """Like `convert_files`, for one file."""
    for _source, done in convert_files([source], target, conversion, split):
        yield done


def convert_files(
    sources: Sequence[str], target: str, conversion: Conversion, split: RowSplit | None = None
) -> Iterator["ShardRow"]:
    """Convert files together and yield the result of each row. What is written appears when all rows are done.

    Args:
        sources: Files of rows, or `-`.
        target: A file, or `-`; with a split, a folder, which gets one file `NAME.jsonl` per split. In a format with
            one session per file, a folder gets a file for each row.
        conversion: Formats and options.
        split: How to assign rows to splits; None writes one file.

    Raises:
        NoRows: The file has no rows, and that is not allowed.
        BadInput: A file cannot be read or written, or a format is unknown or can only be read.
    """
    form = format_named(conversion.write_as)
    if form.spell is None:
        raise BadInput(
            f"format {form.name!r}", "this format can only be read", "see `workbench convert --help`"
        )
    row_options = replace(conversion.row_options, arguments=_argument_form(sources, target, conversion))
    with ExitStack() as stack:
        writers = _Writers(target, split, stack, form)
        is_empty = True
        for source in sources:
            for row in _rows_of(source, conversion):
                is_empty = False
                reading = _row_reading(row, conversion.read_as)
                yield ShardRow(source, _done(row.number, reading, form, row_options, conversion, writers))
        if is_empty and not conversion.allows_empty:
            where = f"file {', '.join(sources)}"
            raise NoRows(where, "it has no rows, so nothing was written", "or use --allow-empty")


def _rows_of(source: str, conversion: Conversion) -> Iterator[FileRow]:
    return until_damaged(read_rows(source)) if conversion.reports_damage else read_rows(source)


def _row_reading(row: FileRow, read_as: str) -> RowReading | RowFinding:
    read = read_row(row, read_as)
    return read if isinstance(read, RowFinding) else read_repaired(read)


class _Writers:
    """One writer, or one writer per split."""

    def __init__(self, target: str, split: RowSplit | None, stack: ExitStack, form: RowFormat) -> None:
        self.split = split
        open_one, ending = (open_writer, ".jsonl") if form.log is None else (open_log_writer, "")
        names = list(split.shares) if split else [""]
        if split:
            _make_folder(target)
        self._writers: dict[str, RowWriter] = {
            name: stack.enter_context(open_one(str(Path(target) / f"{name}{ending}") if name else target))
            for name in names
        }

    def of(self, name: str) -> RowWriter:
        return self._writers[name]


def _make_folder(target: str) -> None:
    try:
        Path(target).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"folder {target}", str(error.strerror or error)) from error


def _done(
    number: int,
    reading: RowReading | RowFinding,
    form: RowFormat,
    row_options: RowOptions,
    conversion: Conversion,
    writers: _Writers,
) -> RowDone:
    if isinstance(reading, RowFinding):
        return RowDone(number, is_written=False, problems=(reading,))
    if reading.problems:
        return RowDone(number, is_written=False, changes=reading.changes, problems=reading.problems)
    written = write_row(reading.trajectory, form, row_options)
    changes = (*reading.changes, *written.changes)
    problems = (*written.problems, *_too_lossy(changes, is_strict=conversion.is_strict))
    if written.row is None or problems:
        return RowDone(number, is_written=False, changes=changes, problems=problems)
    name = writers.split.name_of(reading.trajectory) if writers.split else ""
    writers.of(name)(written.row)
    return RowDone(number, is_written=True, split=name, changes=changes)


def _too_lossy(changes: Sequence[ConversionChange], *, is_strict: bool) -> tuple[RowFinding, ...]:
    if not is_strict:
        return ()
    return tuple(
        RowFinding(code="would-lose", message=f"the format would lose: {loss.name}", entry=loss.entry)
        for loss in changes
        if loss.is_loss
    )


def _argument_form(sources: Sequence[str], target: str, conversion: Conversion) -> Literal["object", "text"]:
    """Return how to write arguments; look at all rows if that decides it."""
    if conversion.arguments != AUTO:
        return conversion.arguments
    if not format_named(conversion.write_as).has_object_arguments:
        return "object"
    if STANDARD_INPUT in sources:
        return "text"
    readings = (
        _row_reading(row, conversion.read_as) for source in sources for row in _rows_of(source, conversion)
    )
    return argument_form(
        readings,
        format_named(conversion.write_as),
        conversion.row_options,
        is_strict=conversion.is_strict,
        mixes=target.endswith(".parquet"),
    )


class ShardRow(NamedTuple):
    """Result of converting one row of a shard."""

    source: str
    done: RowDone


def shard_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """Return each shard of a folder with its target file, `NAME.jsonl` in the other folder, which is created.

    Raises:
        BadInput: The folder has no rows, two shards have the same target, or the other folder cannot be created.
    """
    folder = Path(target).expanduser()
    if folder.resolve() == Path(source).expanduser().resolve():
        raise BadInput(f"folder {target}", "it is also the source", "name another folder")
    pairs = [(shard, str(folder / f"{_stem(shard)}.jsonl")) for shard in shards_of(source)]
    targets = [path for _, path in pairs]
    if twice := next((path for path in targets if targets.count(path) > 1), ""):
        raise BadInput(f"folder {source}", f"two shards would both become {twice}", "rename one of them")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"folder {target}", str(error.strerror or error)) from error
    return pairs


def settle_arguments(conversion: Conversion) -> Conversion:
    """Replace `auto` for arguments by a choice that suits all rows, because shards are converted separately."""
    if conversion.arguments != AUTO:
        return conversion
    mixes = format_named(conversion.write_as).has_object_arguments
    return replace(conversion, arguments="text" if mixes else "object")


def convert_shards(pairs: Sequence[tuple[str, str]], conversion: Conversion) -> Iterator[ShardRow]:
    """Convert one shard after the other in this process.

    Raises:
        BadInput: As `convert_file`.
    """
    for source, target in pairs:
        for done in convert_file(source, target, conversion):
            yield ShardRow(source, done)


def _stem(shard: str) -> str:
    """Return the file name without its extension, and without `.gz`."""
    name = Path(shard).name.removesuffix(".gz")
    return name.rpartition(".")[0]
