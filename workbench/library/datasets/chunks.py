"""Split files of rows into chunks, and check the chunks in processes or on Ray."""

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final, NamedTuple, Protocol

from workbench.library.datasets.conversion import Conversion, ShardRow, convert_shards
from workbench.library.datasets.file_lines import FileLine
from workbench.library.datasets.row_files import (
    Chunk,
    chunked,
    format_of_row,
    parse_line,
    read_raw,
    until_damaged,
)
from workbench.library.ray_cluster import map_numbers, started_ray
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.check import CheckOptions, RowsCheck

_WAITING: Final = 2
"""Chunks that may wait per process; more would need more memory."""


class ChunkCheck(NamedTuple):
    """Result of checking a chunk."""

    findings: list[tuple[int, RowFinding]]
    """Row number and finding, in order."""
    numbers: list[int]
    """Number of each row in its file."""
    check: RowsCheck


class CheckedChunk(NamedTuple):
    """Index of a file and the result of one of its chunks."""

    place: int
    checked: ChunkCheck


class ChunkRunner(Protocol):
    """Checks chunks. Every implementation returns the same results in the same order."""

    def __call__(self, files: Sequence[str], options: CheckOptions, read_as: str) -> Iterator[CheckedChunk]:
        """Yield the results of all chunks of all files, in order.

        Raises:
            BadInput: A file cannot be opened.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRunner:
    """Checks chunks in this process, or in several."""

    jobs: int = 1
    """Number of processes; 1 uses only the current one."""

    def __call__(self, files: Sequence[str], options: CheckOptions, read_as: str) -> Iterator[CheckedChunk]:
        """Implement `ChunkRunner`, with enough chunks submitted that no process has to wait."""
        chunks = ((place, chunk) for place, file in enumerate(files) for chunk in chunks_of(file))
        if self.jobs <= 1:
            for place, chunk in chunks:
                yield CheckedChunk(place, check_chunk(chunk, options, read_as))
            return
        under_way: deque[tuple[int, Future[ChunkCheck]]] = deque()
        # A process starts with Python's own threshold, not with that of this process.
        pool = ProcessPoolExecutor(
            self.jobs,
            mp_context=get_context("spawn"),
            initializer=gc.set_threshold,
            initargs=gc.get_threshold(),
        )
        with pool:
            for place, chunk in chunks:
                under_way.append((place, pool.submit(check_chunk, chunk, options, read_as)))
                if len(under_way) > self.jobs * _WAITING:
                    done, future = under_way.popleft()
                    yield CheckedChunk(done, future.result())
            while under_way:
                done, future = under_way.popleft()
                yield CheckedChunk(done, future.result())


def chunks_of(file: str) -> Iterator[Chunk]:
    """Yield the rows of a file in chunks of a few hundred. A file that is cut off ends with a row that says so.

    Raises:
        BadInput: The file cannot be opened.
    """
    return chunked(until_damaged(read_raw(file)))


def check_chunk(chunk: Chunk, options: CheckOptions, read_as: str) -> ChunkCheck:
    """Check the rows of a chunk."""
    check = RowsCheck(options=options)
    findings: list[tuple[int, RowFinding]] = []
    for line_or_row in chunk:
        file_row = parse_line(line_or_row) if isinstance(line_or_row, FileLine) else line_or_row
        row = format_of_row(file_row, read_as)
        if isinstance(row, RowFinding):
            check.count_unreadable()
            findings.append((line_or_row.number, row))
            continue
        if found := check.check_as(*row):
            findings.extend((file_row.line_of(finding), finding) for finding in found)
    return ChunkCheck(findings, [line_or_row.number for line_or_row in chunk], check)


@dataclass(frozen=True, slots=True, kw_only=True)
class RayRunner:
    """Checks or converts files on Ray. Each file is read by the worker, so every machine needs access to the files."""

    address: str = ""
    """Address of a cluster; empty to start Ray on this machine for the duration of the work."""

    def __call__(self, files: Sequence[str], options: CheckOptions, read_as: str) -> Iterator[CheckedChunk]:
        """Implement `ChunkRunner`.

        Raises:
            BadInput: As for `ChunkRunner`, or Ray is not installed or cannot be reached.
            WorkerEnded: Workers ended several times while they checked the same file.
        """

        def check(places: Iterable[int]) -> Iterator[CheckedChunk]:
            for place in places:
                for chunk in chunks_of(files[place]):
                    yield CheckedChunk(place, check_chunk(chunk, options, read_as))

        with started_ray(self.address) as ray:
            yield from map_numbers(ray, check, _one_by_one(files))

    def convert(self, pairs: Sequence[tuple[str, str]], conversion: Conversion) -> Iterator[ShardRow]:
        """Convert shards on Ray, with the same files and results as `convert_shards`.

        Raises:
            BadInput: A file cannot be read or written, or Ray is not installed or cannot be reached.
            WorkerEnded: Workers ended several times while they converted the same file.
        """

        def convert(places: Iterable[int]) -> Iterator[ShardRow]:
            return convert_shards([pairs[place] for place in places], conversion)

        with started_ray(self.address) as ray:
            yield from map_numbers(ray, convert, _one_by_one(pairs))


def _one_by_one(items: Sequence[object]) -> Iterator[Sequence[int]]:
    """Yield the index of each item in a batch of its own."""
    return ([place] for place in range(len(items)))
