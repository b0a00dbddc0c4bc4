"""Figures of files of rows."""

from collections.abc import Iterator, Sequence

from workbench.errors import BadInput
from workbench.library.datasets.row_files import AUTO, read_row, read_rows
from workbench.trajectory.compress.extract import CountTokens
from workbench.trajectory.row import RowFinding, TrainingRow
from workbench.trajectory.sets.stats import RowStats


def count_rows(
    files: Sequence[str], stats: RowStats, count_tokens: CountTokens, *, read_as: str = AUTO
) -> Iterator[int]:
    """Count the rows of all files into `stats`; the number of each row, as it is done.

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
    """The row of a file at a place, from 1.

    Raises:
        BadInput: The file cannot be read, or there is no such row.
    """
    for row in read_rows(file):
        if row.number == number:
            read = read_row(row, read_as)
            if isinstance(read, RowFinding):
                raise BadInput(f"{file}:{number}", read.message)
            return read
    raise BadInput(f"{file}:{number}", "there is no such row", "rows count from 1; blank lines are none")
