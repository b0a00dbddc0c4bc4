"""Cut files of rows into chunks, and check chunks in processes or on Ray."""

import logging
import os
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from typing import Any, Final, NamedTuple, Protocol, TypeVar, cast

from workbench.errors import BadInput
from workbench.library.datasets.conversion import Conversion, ShardRow, convert_shards
from workbench.library.datasets.row_files import FileLine, FileRow, format_of_row, parse_line, read_raw
from workbench.trajectory.row import RowFinding
from workbench.trajectory.validate.rows_check import CheckOptions, RowsCheck

_CHUNK_BYTES: Final = 1 << 20
"""So much of a file a process takes at a time."""
_LINE_COST: Final = 2_000
"""Counted for a row that is no line, in bytes."""
_WAITING: Final = 2
"""Chunks a process that may wait for it: more would be held in memory."""

Chunk = list[FileLine | FileRow]
"""Rows of one file, in order."""


class ChunkCheck(NamedTuple):
    """What the check of a chunk found; two add up in the order of their rows."""

    findings: list[tuple[int, RowFinding]]
    numbers: list[int]
    check: RowsCheck


class CheckedChunk(NamedTuple):
    """One chunk's result."""

    place: int
    checked: ChunkCheck


class ChunkRunner(Protocol):
    """Has chunks checked somewhere; whoever does it, the results are the same, and in the same order."""

    def __call__(self, files: Sequence[str], options: CheckOptions, read_as: str) -> Iterator[CheckedChunk]:
        """The results of all chunks of all files, in order.

        Raises:
            BadInput: A file cannot be opened, or breaks off.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRunner:
    """Checks here: in this process, or in several."""

    jobs: int = 1
    """How many; one is this one."""

    def __call__(self, files: Sequence[str], options: CheckOptions, read_as: str) -> Iterator[CheckedChunk]:
        """As `ChunkRunner` says; so many chunks are under way that no process waits."""
        chunks = ((place, chunk) for place, file in enumerate(files) for chunk in chunks_of(file))
        if self.jobs <= 1:
            for place, chunk in chunks:
                yield CheckedChunk(place, check_chunk(chunk, options, read_as))
            return
        under_way: deque[tuple[int, Future[ChunkCheck]]] = deque()
        with ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn")) as pool:
            for place, chunk in chunks:
                under_way.append((place, pool.submit(check_chunk, chunk, options, read_as)))
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


def check_chunk(chunk: Chunk, options: CheckOptions, read_as: str) -> ChunkCheck:
    """The findings of a chunk's rows, and what is counted of them."""
    check = RowsCheck(options=options)
    findings: list[tuple[int, RowFinding]] = []
    for one in chunk:
        row = format_of_row(parse_line(one) if isinstance(one, FileLine) else one, read_as)
        if isinstance(row, RowFinding):
            check.count_unreadable()
            findings.append((one.number, row))
            continue
        findings.extend((one.number, finding) for finding in check.check_as(row.fields, row.row_format))
    return ChunkCheck(findings, [one.number for one in chunk], check)


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


_REMEDY: Final = "pip install 'hermes-workbench[scale]'"
_Done = TypeVar("_Done")
_Packed = Mapping[str, bytes | bool]
"""A pickled value, and whether it is a result or the parts of an error."""


class _DataSet(Protocol):
    """What is used of Ray's data sets."""

    def flat_map(self, fn: Callable[[dict[str, int]], Iterator[_Packed]]) -> "_DataSet": ...

    def iter_rows(self) -> Iterator[_Packed]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RayRunner:
    """Works on Ray: each file is read where it is worked on, so every machine must see the files."""

    address: str = ""
    """Of a cluster; empty starts one here, which ends with the work."""

    def __call__(self, files: Sequence[str], options: CheckOptions, read_as: str) -> Iterator[CheckedChunk]:
        """As `ChunkRunner` says."""

        def check(place: int) -> Iterator[CheckedChunk]:
            for chunk in chunks_of(files[place]):
                yield CheckedChunk(place, check_chunk(chunk, options, read_as))

        yield from self._each(len(files), check)

    def convert(self, pairs: Sequence[tuple[str, str]], conversion: Conversion) -> Iterator[ShardRow]:
        """As `convert_shards`, with the same files made and the same told.

        Raises:
            BadInput: A file cannot be read or written, or Ray is not there.
        """
        yield from self._each(len(pairs), lambda place: convert_shards([pairs[place]], conversion))

    def _each(self, count: int, work: Callable[[int], Iterator[_Done]]) -> Iterator[_Done]:
        """What `work` gives for each place, in order."""

        def packed(row: dict[str, int]) -> Iterator[_Packed]:
            try:
                for done in work(row["place"]):
                    yield {"value": pickle.dumps(done), "is_done": True}
            except BadInput as error:
                # As its parts: what an exception is made of is not what it is pickled by.
                parts = (error.where, error.problem, error.remedy)
                yield {"value": pickle.dumps(parts), "is_done": False}

        with self._ray() as from_items:
            rows = from_items([{"place": place} for place in range(count)], override_num_blocks=count)
            for row in rows.flat_map(packed).iter_rows():
                value = pickle.loads(cast(bytes, row["value"]))
                if not row["is_done"]:
                    raise BadInput(*value)
                yield value

    @contextmanager
    def _ray(self) -> Generator[Callable[..., _DataSet]]:
        """What makes a data set, while Ray runs."""
        # Ray reports its use over the network unless it is told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray: Any = import_module("ray")
            data: Any = import_module("ray.data")
        except ImportError as error:
            raise BadInput("--engine ray", "Ray is not installed", _REMEDY) from error
        settings: dict[str, Any] = {"include_dashboard": False} if not self.address else {}
        try:
            ray.init(
                address=self.address or "local", log_to_driver=False, logging_level=logging.ERROR, **settings
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            first = str(error).partition("\n")[0]
            raise BadInput(f"--address {self.address or 'local'}", f"no Ray there: {first}"[:150]) from error
        try:
            context = data.DataContext.get_current()
            context.enable_progress_bars = False
            context.execution_options.preserve_order = True
            logging.getLogger("ray.data").setLevel(logging.ERROR)
            yield data.from_items
        finally:
            ray.shutdown()
