"""A row of a file, and the limits for reading it."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.trajectory.formats.logs.session_log import TRACES
from workbench.trajectory.row import RowFinding

_EVENT: Final = re.compile(rf"/{TRACES}/(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Limits for reading a file. A compressed file can be a thousand times larger than it looks."""

    unpacked_bytes: int = sys.maxsize
    """Bytes of all rows after decompression; each line counts as 100 bytes or more."""
    row_bytes: int = 1 << 27
    """Bytes of a row after decompression; in memory it needs several times as much."""
    row_containers: int = sys.maxsize
    """Objects and arrays in a row, which need fifty times the memory of their text."""


OWN_FILE: Final = ReadLimits()
"""No limits, for files that the user names on their own machine."""


class DamagedFile(BadInput):
    """A file is cut off, or its compression or its Parquet is damaged."""


class FileRow(NamedTuple):
    """A row of a file, or why it cannot be read."""

    number: int
    """From 1: the line in JSON Lines, or the position in an array or Parquet file."""
    fields: JsonObject | None
    """The row; None if it cannot be read."""
    problem: str = ""
    """Why it cannot be read; empty if it can."""
    line: bytes | None = None
    """Its line without the line feed, byte for byte; None if it is not a line of JSON."""
    repeated: tuple[str, ...] = ()
    """JSON pointers to the keys that an object of the row has twice. `fields` has the last value of each."""
    is_session: bool = False
    """Whether it is made of several lines of the file, the events of a session."""

    def line_of(self, finding: RowFinding) -> int:
        """Return the number for a finding about the row: for a session, the line of the event."""
        match = _EVENT.match(finding.call_pointer or finding.pointer) if self.is_session else None
        return int(match[1]) + 1 if match else self.number


def too_large(source: str, limits: ReadLimits, *, is_row: bool = False, number: int = 0) -> BadInput:
    """Return the error for a file or row that exceeds the limits."""
    if is_row:
        size = limits.row_bytes // 1_000_000
        problem = f"row {number:,} is larger than {size} MB, or has too many objects and arrays"
        return BadInput(f"file {Path(source).name}", problem, "remove that row")
    problem = f"after decompression, it is larger than {limits.unpacked_bytes // 1_000_000} MB"
    return BadInput(f"file {Path(source).name}", problem, "split it into several files")
