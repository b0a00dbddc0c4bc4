"""A file of rows with the safe repairs made."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.library.datasets.row_files import AUTO, read_row, read_rows
from workbench.library.datasets.row_writer import open_writer
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.mend import mend
from workbench.trajectory.validate.seen import see


@dataclass(slots=True, kw_only=True)
class Mending:
    """What became of the rows."""

    written: int = 0
    """Rows that were written, mended or as they came."""
    left_out: int = 0
    """Rows that are none, and so could not be written."""
    mended: int = 0
    """Of the written ones, those with a repair."""
    codes: Counter[str] = field(default_factory=Counter[str])
    """Repairs by code."""


def mend_files(files: Sequence[str], target: str, *, read_as: str = AUTO) -> Mending:
    """Write the rows of all files, in order, into one, with the safe repairs made.

    Args:
        files: What to read.
        target: As `open_writer` takes it.
        read_as: Name of the rows' format, or `auto`; a row of no known format is written as it came.

    Raises:
        BadInput: A file cannot be read or written.
    """
    mending = Mending()
    with open_writer(target) as write:
        for row in (row for file in files for row in read_rows(file)):
            if row.fields is None:
                mending.left_out += 1
                continue
            read = read_row(row, read_as)
            mended = None if isinstance(read, RowFinding) else mend(see(read))
            write(mended.fields if mended else row.fields)
            mending.written += 1
            mending.mended += bool(mended and mended.mends)
            mending.codes.update(one.code for one in (mended.mends if mended else ()))
    return mending
