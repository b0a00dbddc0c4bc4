"""Files of rows, checked and converted on Ray Data. Needs the extra `scale`."""

import logging
import os
import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol, TypeVar, cast

from workbench.errors import BadInput
from workbench.library.datasets.chunks import CheckedChunk, check_chunk, chunks_of
from workbench.library.datasets.conversion import Conversion
from workbench.library.datasets.shards import ShardRow, convert_shards
from workbench.trajectory.validate.rows_check import CheckTerms

_REMEDY: Final = "pip install 'hermes-workbench[scale]'"
_Done = TypeVar("_Done")
_Packed = Mapping[str, bytes | bool]
"""A pickled value, and whether it is a result or the parts of an error."""


class _DataSet(Protocol):
    """What is used of Ray's data sets."""

    def flat_map(self, fn: Callable[[dict[str, int]], Iterator[_Packed]]) -> "_DataSet": ...

    def iter_rows(self) -> Iterator[_Packed]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRay:
    """Works on Ray: each file is read where it is worked on, so every machine must see the files."""

    address: str = ""
    """Of a cluster; empty starts one here, which ends with the work."""

    def __call__(self, files: Sequence[str], terms: CheckTerms, read_as: str) -> Iterator[CheckedChunk]:
        """As `Spread` says."""

        def check(place: int) -> Iterator[CheckedChunk]:
            for chunk in chunks_of(files[place]):
                yield CheckedChunk(place, check_chunk(chunk, terms, read_as))

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
