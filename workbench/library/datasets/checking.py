"""Files of rows, checked: in one process or in several, with the same result."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Final, NamedTuple

from workbench.library.datasets.row_files import AUTO, FileLine, FileRow, read_raw, read_row, row_of
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.doubles import Double
from workbench.trajectory.validate.rows_check import CheckTerms, RowsCheck
from workbench.trajectory.validate.said import said

_CHUNK_BYTES: Final = 1 << 20
"""So much of a file a process takes at a time."""
_LINE_COST: Final = 2_000
"""Counted for a row that is no line, in bytes."""
_WAITING: Final = 2
"""Chunks a process that may wait for it: more would be held in memory."""


class FileFinding(NamedTuple):
    """A finding, and where."""

    file: str | None
    """As it was named; None where the set of several files is meant."""
    row: int | None
    """From 1; None where the whole set is meant."""
    finding: RowFinding
    """What."""


Chunk = list[FileLine | FileRow]
"""Rows of one file, in order."""


class _Checked(NamedTuple):
    findings: list[tuple[int, RowFinding]]
    numbers: list[int]
    check: RowsCheck


@dataclass(slots=True, kw_only=True)
class FilesCheck:
    """A check of files: ask for `findings` once and to the end, then the rest is known."""

    files: Sequence[str]
    """Paths, or `-`."""
    read_as: str = AUTO
    """Name of the rows' format, or `auto`."""
    terms: CheckTerms = field(default_factory=CheckTerms)
    """How rows are checked."""
    jobs: int = 1
    """Processes that check."""
    totals: RowsCheck = field(default_factory=RowsCheck)
    """What was counted over all files."""
    _ends: list[int] = field(default_factory=list[int])
    _gaps: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def findings(self) -> Iterator[FileFinding]:
        """Row by row in order, then those of rows that stand twice, then those of the set.

        Raises:
            BadInput: A file cannot be opened, or breaks off.
        """
        for file, checked in self._checked():
            self._count(checked)
            for number, finding in checked.findings:
                yield FileFinding(file, number, finding)
        yield from map(self._of_double, self.totals.doubles(self._ends))
        everywhere = self.files[0] if len(self.files) == 1 else None
        for finding in self.totals.facts.findings():
            yield FileFinding(everywhere, None, finding)

    def _checked(self) -> Iterator[tuple[str, _Checked]]:
        """Each chunk's result, file by file; where a file ends is noted when the next one begins."""
        chunks = (
            (place, chunk) for place, file in enumerate(self.files) for chunk in _chunks(read_raw(file))
        )
        for place, checked in _each(chunks, self.terms, self.read_as, self.jobs):
            self._ends.extend([self.totals.rows] * (place - len(self._ends)))
            yield self.files[place], checked
        self._ends.extend([self.totals.rows] * (len(self.files) - len(self._ends)))

    def _count(self, checked: _Checked) -> None:
        """Take a chunk's numbers over; a gap is noted where they do not go on by one."""
        for place, number in enumerate(checked.numbers, start=self.totals.rows):
            offset = number - place
            if not self._gaps or self._gaps[-1][1] != offset:
                self._gaps.append((place, offset))
        self.totals.extend(checked.check)

    def _where(self, place: int) -> tuple[str, int]:
        """File and number of the row at `place` among all."""
        _, offset = self._gaps[bisect_right(self._gaps, place, key=lambda gap: gap[0]) - 1]
        return self.files[bisect_right(self._ends, place)], place + offset

    def _of_double(self, double: Double) -> FileFinding:
        file, number = self._where(double.row)
        first_file, first = self._where(double.first)
        where = f"row {first}" if first_file == file else f"{first_file}:{first}"
        how = "almost the same" if double.code == "near-duplicate-row" else "the same"
        return FileFinding(file, number, said(double.code, f"{how} conversation as {where}"))


def _chunks(rows: Iterable[FileLine | FileRow]) -> Iterator[Chunk]:
    chunk: Chunk = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += len(row.line) if isinstance(row, FileLine) else _LINE_COST
        if size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _each(
    chunks: Iterator[tuple[int, Chunk]], terms: CheckTerms, read_as: str, jobs: int
) -> Iterator[tuple[int, _Checked]]:
    """The result of each chunk, in order; so many are under way that no process waits."""
    if jobs <= 1:
        for place, chunk in chunks:
            yield place, _check(chunk, terms, read_as)
        return
    under_way: deque[tuple[int, Future[_Checked]]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for place, chunk in chunks:
            under_way.append((place, pool.submit(_check, chunk, terms, read_as)))
            if len(under_way) > jobs * _WAITING:
                done, future = under_way.popleft()
                yield done, future.result()
        while under_way:
            done, future = under_way.popleft()
            yield done, future.result()


def _check(chunk: Chunk, terms: CheckTerms, read_as: str) -> _Checked:
    check = RowsCheck(terms=terms)
    findings: list[tuple[int, RowFinding]] = []
    for one in chunk:
        row = read_row(row_of(one) if isinstance(one, FileLine) else one, read_as)
        if isinstance(row, RowFinding):
            check.pass_by()
        found = (row,) if isinstance(row, RowFinding) else check.check(row)
        findings.extend((one.number, finding) for finding in found)
    return _Checked(findings, [one.number for one in chunk], check)
