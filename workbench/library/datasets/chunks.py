"""Rows of files cut into chunks, and the check of one chunk: what a process, or a machine, is handed."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final, NamedTuple, Protocol

from workbench.library.datasets.row_files import FileLine, FileRow, form_of, read_raw, row_of
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.rows_check import CheckTerms, RowsCheck

_CHUNK_BYTES: Final = 1 << 20
"""So much of a file a process takes at a time."""
_LINE_COST: Final = 2_000
"""Counted for a row that is no line, in bytes."""
_WAITING: Final = 2
"""Chunks a process that may wait for it: more would be held in memory."""

Chunk = list[FileLine | FileRow]
"""Rows of one file, in order."""


class Checked(NamedTuple):
    """What the check of a chunk found; two add up in the order of their rows."""

    findings: list[tuple[int, RowFinding]]
    """Each with the number of its row."""
    numbers: list[int]
    """Of all rows."""
    check: RowsCheck
    """What was counted."""


class CheckedChunk(NamedTuple):
    """One chunk's result."""

    place: int
    """Of its file, among all."""
    checked: Checked


class Spread(Protocol):
    """Has chunks checked somewhere; whoever does it, the results are the same, and in the same order."""

    def __call__(self, files: Sequence[str], terms: CheckTerms, read_as: str) -> Iterator[CheckedChunk]:
        """The results of all chunks of all files, in order.

        Raises:
            BadInput: A file cannot be opened, or breaks off.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcesses:
    """Checks here: in this process, or in several."""

    jobs: int = 1
    """How many; one is this one."""

    def __call__(self, files: Sequence[str], terms: CheckTerms, read_as: str) -> Iterator[CheckedChunk]:
        """As `Spread` says; so many chunks are under way that no process waits."""
        chunks = ((place, chunk) for place, file in enumerate(files) for chunk in chunks_of(file))
        if self.jobs <= 1:
            for place, chunk in chunks:
                yield CheckedChunk(place, check_chunk(chunk, terms, read_as))
            return
        under_way: deque[tuple[int, Future[Checked]]] = deque()
        with ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn")) as pool:
            for place, chunk in chunks:
                under_way.append((place, pool.submit(check_chunk, chunk, terms, read_as)))
                if len(under_way) > self.jobs * _WAITING:
                    done, future = under_way.popleft()
                    yield CheckedChunk(done, future.result())
            while under_way:
                done, future = under_way.popleft()
                yield CheckedChunk(done, future.result())


def chunks_of(file: str) -> Iterator[Chunk]:
    """The rows of a file, some hundred at a time.

    Raises:
        BadInput: It cannot be opened, or breaks off.
    """
    return _chunks(read_raw(file))


def check_chunk(chunk: Chunk, terms: CheckTerms, read_as: str) -> Checked:
    """The findings of a chunk's rows, and what is counted of them."""
    check = RowsCheck(terms=terms)
    findings: list[tuple[int, RowFinding]] = []
    for one in chunk:
        row = form_of(row_of(one) if isinstance(one, FileLine) else one, read_as)
        if isinstance(row, RowFinding):
            check.pass_by()
            findings.append((one.number, row))
            continue
        findings.extend((one.number, finding) for finding in check.check_as(row.fields, row.form))
    return Checked(findings, [one.number for one in chunk], check)


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
