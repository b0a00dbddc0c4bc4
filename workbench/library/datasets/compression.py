"""Compress rows of a file that are too long, and count rows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.chat.message import Role
from workbench.errors import BadInput
from workbench.library.datasets.file_row import FileRow
from workbench.library.datasets.row_files import read_row, read_rows
from workbench.library.datasets.row_writer import open_writer
from workbench.trajectory.compress import (
    CompressionMetrics,
    CompressionSettings,
    CountTokens,
    Summarise,
    compress_trajectory,
)
from workbench.trajectory.formats.known import AUTO, format_named
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.sets.stats import RowStats
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions


def count_rows(
    files: Sequence[str], stats: RowStats, count_tokens: CountTokens, *, read_as: str = AUTO
) -> Iterator[int]:
    """Add the rows of all files to `stats`, and yield the number of each row.

    Raises:
        BadInput: A file cannot be read.
    """
    for file in files:
        for row in read_rows(file):
            read = read_row(row, read_as)
            if isinstance(read, RowFinding):
                stats.unreadable += 1
            else:
                stats.add(read, count_tokens, file, row.number)
            yield row.number


def find_row(file: str, number: int, *, read_as: str = AUTO) -> TrainingRow:
    """Return the row of a file with this number, from 1.

    Raises:
        BadInput: The file cannot be read, or it has no such row.
    """
    for row in read_rows(file):
        if row.number == number:
            read = read_row(row, read_as)
            if isinstance(read, RowFinding):
                raise BadInput(f"{file}:{number}", read.message)
            return read
    raise BadInput(f"{file}:{number}", "there is no such row", "rows are numbered by line, from 1")


class Compression(NamedTuple):
    """Options of a compression."""

    settings: CompressionSettings
    count_tokens: CountTokens
    """Length of a text in tokens."""
    summarise: Summarise
    read_as: str = AUTO
    """Format of the rows, or `auto`."""


class RowCompressed(NamedTuple):
    """Result of compressing one row."""

    number: int
    """From 1."""
    row: JsonObject | None
    """The row to write, unchanged if nothing was replaced; None if it is skipped."""
    metrics: CompressionMetrics | None = None
    """None if the row could not be read."""
    problem: str = ""
    """Why it is skipped; empty if it is written."""


def compress_file(source: str, target: str, options: Compression) -> Iterator[RowCompressed]:
    """Write each row in its own format, compressed if it is too long. The file appears when all rows are done.

    Raises:
        BadInput: A file cannot be read or written, or the format is unknown.
    """
    with open_writer(target) as write:
        for row in read_rows(source):
            done = _compressed(row, options)
            if done.row is not None:
                write(done.row)
            yield done


def _compressed(row: FileRow, options: Compression) -> RowCompressed:
    read = read_row(row, options.read_as)
    if isinstance(read, RowFinding):
        return RowCompressed(row.number, None, problem=read.message)
    reading = read_trajectory(read)
    if reading.problems:
        return RowCompressed(row.number, None, problem=reading.problems[0].message)
    trajectory, metrics = compress_trajectory(
        reading.trajectory, options.settings, options.count_tokens, options.summarise
    )
    if metrics.still_over_limit and not options.settings.save_over_limit:
        problem = f"it still has {metrics.compressed_tokens:,} tokens"
        return RowCompressed(row.number, None, metrics, problem)
    if not metrics.was_compressed:
        return RowCompressed(row.number, read.fields, metrics)
    if options.settings.per_trajectory:
        columns = {**trajectory.columns, "compression_metrics": metrics.to_json()}
        trajectory = replace(trajectory, columns=columns)
    form = format_named(read.format)
    if form.spell is None:
        problem = f"the format {form.name} can only be read; convert the rows first"
        return RowCompressed(row.number, None, metrics, problem)
    written = write_row(trajectory, form, _row_options_of(read))
    problem = written.problems[0].message if written.problems else ""
    return RowCompressed(row.number, written.row, metrics, problem)


def _row_options_of(row: TrainingRow) -> RowOptions:
    """Return the options that the row itself follows."""
    are_results_from_user = any(
        entry.role is Role.TOOL and entry.speaker in ("human", "user") for entry in row.entries
    )
    has_text = any(call.arguments_text is not None for entry in row.all_entries for call in entry.calls)
    arguments: Literal["object", "text"] = "text" if has_text else "object"
    return RowOptions(result_role="user" if are_results_from_user else "tool", arguments=arguments)
