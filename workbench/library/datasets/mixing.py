"""Mix the rows of several files into one, with a receipt that names its parents. Files are read row by row."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.errors import BadInput
from workbench.library.datasets.file_row import FileRow
from workbench.library.datasets.receipts import FileFormat, ReceiptMaker
from workbench.library.datasets.row_files import STANDARD_INPUT, format_of_row, read_rows
from workbench.library.datasets.row_writer import STANDARD_OUTPUT, open_writer
from workbench.trajectory.formats.known import AUTO, format_named
from workbench.trajectory.formats.row_format import RowFormat
from workbench.trajectory.row import RowFinding
from workbench.trajectory.sets.mix import choose_rows, mixed_order, share_weights, taken_rows
from workbench.trajectory.validate.check import check_fields
from workbench.trajectory.writing.convert import convert_row
from workbench.trajectory.writing.row_draft import RowOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class MixOptions:
    """What to mix, and how."""

    weights: tuple[Fraction, ...] = ()
    """How often the rows of each file are taken; empty for once each."""
    shares: tuple[Fraction, ...] = ()
    """Instead of weights: the share of each file in the result; only the ratios count."""
    seed: int = 0
    """A different seed selects and orders rows differently."""
    write_as: str = ""
    """Format to convert all rows to. Empty leaves rows as they are; all files must then have one format."""
    is_strict: bool = False
    """Whether a conversion that would lose something is an error."""
    ignored: tuple[str, ...] = ()
    """Codes, or their first words, of findings that are not errors."""


@dataclass(slots=True, kw_only=True)
class MixSummary:
    """What was mixed. Filled while rows are written, and complete after the last one."""

    parents: list[JsonObject] = field(default_factory=list[JsonObject])
    """The files as the receipt names them."""
    losses: Counter[str] = field(default_factory=Counter[str])
    """Written rows by what the conversion lost."""
    receipt: JsonObject = field(default_factory=dict[str, JsonValue])


class _Parent(NamedTuple):
    """A file to take rows from."""

    source: str
    sha256: str
    """Of all bytes, hex."""
    rows: int
    row_format: str
    """Format that all its rows have; empty if there is none."""


def mix_files(sources: Sequence[str], target: str, options: MixOptions, summary: MixSummary) -> Iterator[int]:
    """Mix files, and yield the number of each written row. The file appears when all rows are written.

    Raises:
        BadInput: A file cannot be read or written, or has no rows; the formats differ and no format to write is
            given; a row cannot be read or converted; or the rows have errors.
    """
    if STANDARD_INPUT in sources or target == STANDARD_OUTPUT:
        raise BadInput("mix", "files are read twice and the receipt has hashes", "name files instead of -")
    paths = [Path(file).expanduser().resolve() for file in (*sources, target)]
    if paths[-1] in paths[:-1]:
        raise BadInput(f"--out {target}", "this is one of the files to mix", "give another file")
    if twice := next((file for file, path in zip(sources, paths, strict=False) if paths.count(path) > 1), ""):
        raise BadInput(f"mix {twice}", "the file is given twice", "give it once, with a weight of 2")
    whole = FileFormat()
    parents = [_examine(source, whole) for source in sources]
    if not options.write_as and not whole.name:
        formats = ", ".join(f"{parent.source} is {parent.row_format or 'mixed'}" for parent in parents)
        raise BadInput("mix", f"the formats differ: {formats}", "convert all rows with --to FORMAT")
    counts = [parent.rows for parent in parents]
    weights = share_weights(options.shares, counts) if options.shares else options.weights
    weights = weights or tuple(Fraction(1) for _ in parents)
    taken = [taken_rows(rows, weight) for rows, weight in zip(counts, weights, strict=True)]
    summary.parents = [
        {
            "path": parent.source, "sha256": parent.sha256, "format": parent.row_format or None,
            "rows": parent.rows, "weight": float(weight), "taken": count,
        }
        for parent, weight, count in zip(parents, weights, taken, strict=True)
    ]  # fmt: skip
    maker = ReceiptMaker(options.write_as or whole.name, options.ignored)
    yield from _write(parents, taken, target, options, maker, summary)
    if target.endswith(".parquet"):
        # Parquet changes rows, for example by filling in nulls.
        maker = ReceiptMaker(options.write_as or whole.name, options.ignored)
        for _ in maker.add(target):
            pass
    else:
        maker.end_file(target)
    maker.finish()
    mix: JsonObject = {
        "parents": list(summary.parents),
        "seed": options.seed,
        **({"shares": [float(share) for share in options.shares]} if options.shares else {}),
        **({"converted_to": options.write_as} if options.write_as else {}),
        **({"losses": dict(sorted(summary.losses.items()))} if summary.losses else {}),
    }
    summary.receipt = {**maker.receipt(), "mix": mix}


def _examine(source: str, whole: FileFormat) -> _Parent:
    """Count the rows of a file, and find their format; also count them in `whole`.

    Raises:
        BadInput: The file or one of its rows cannot be read, or it has no rows.
    """
    rows, own = 0, FileFormat()
    for row in read_rows(source):
        formed = format_of_row(row, AUTO)
        if isinstance(formed, RowFinding):
            raise _unusable(source, row, formed)
        own.add(formed)
        whole.add(formed)
        rows += 1
    if not rows:
        raise BadInput(f"file {source}", "it has no rows", "leave it out")
    with Path(source).expanduser().open("rb") as file:
        return _Parent(source, file_digest(file, "sha256").hexdigest(), rows, own.name)


def _write(
    parents: Sequence[_Parent],
    taken: Sequence[int],
    target: str,
    options: MixOptions,
    maker: ReceiptMaker,
    summary: MixSummary,
) -> Iterator[int]:
    row_format = format_named(maker.read_as)
    streams = [
        _chosen(parent, count, f"{options.seed} {index}")
        for index, (parent, count) in enumerate(zip(parents, taken, strict=True))
    ]
    with open_writer(target) as write:
        for number, index in enumerate(mixed_order(taken, str(options.seed)), start=1):
            row = next(streams[index])
            if options.write_as:
                fields = _converted(row, parents[index].source, row_format, options, summary)
                write(fields)
            else:
                fields = row.fields or {}
                # The line itself keeps what JSON leaves open, such as the form of a number.
                write(fields if row.line is None else row.line)
            maker.count(check_fields(fields, row_format))
            yield number
        if maker.counts.errors:
            issues = ", ".join(f"{code} {count:,}" for code, count in sorted(maker.counts.issues.items()))
            raise BadInput(
                "mix",
                f"the rows have errors, so nothing was written: {issues}",
                "run `workbench check`, or name codes that do not count with --ignore",
            )


def _converted(
    row: FileRow, source: str, write_as: RowFormat, options: MixOptions, summary: MixSummary
) -> JsonObject:
    formed = format_of_row(row, AUTO)
    if isinstance(formed, RowFinding):
        raise _unusable(source, row, formed)
    row_options = RowOptions(arguments="text" if write_as.has_object_arguments else "object")
    done = convert_row(formed.fields, formed.row_format, write_as, row_options)
    if done.row is None:
        raise _unusable(source, row, done.problems[0])
    lost = {str(loss.code) for loss in done.losses}
    if lost and options.is_strict:
        raise BadInput(f"{source}:{row.number}", f"the format would lose: {', '.join(sorted(lost))}")
    summary.losses.update(lost)
    return done.row


def _chosen(parent: _Parent, taken: int, seed: str) -> Generator[FileRow]:
    """Yield the rows to take of a file, which is read once for each pass."""
    rows: Iterator[tuple[int, FileRow]] = iter(())
    current = -1
    for wanted in choose_rows(parent.rows, taken, seed):
        if wanted.turn != current:
            current, rows = wanted.turn, enumerate(read_rows(parent.source))
        row = next((row for place, row in rows if place == wanted.place), None)
        if row is None:
            raise BadInput(f"file {parent.source}", "it changed while it was read", "try again")
        yield row


def _unusable(source: str, row: FileRow, problem: RowFinding) -> BadInput:
    return BadInput(
        f"{source}:{row.number}",
        problem.message,
        "nothing was written; `workbench check --fix-out` or `workbench convert` leaves such rows out",
    )
