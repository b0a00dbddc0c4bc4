"""Measure how long one thread stops all others, in this process or in a server that is started with this module.

Python runs one thread at a time. A step in C, such as compiling a pattern, is not interrupted, and a page with it serves
nobody. On a busy machine, a pause has other causes, too. It counts only as far as its process worked meanwhile, and
without the time that the watching thread itself waited for a processor.
"""

import gc
import os
import runpy
import time
from collections.abc import Iterator
from contextlib import nullcontext
from io import FileIO
from pathlib import Path
from threading import Event, Thread
from typing import Final

PAUSE_S: Final = 0.2
"""How long one step may stop all other threads."""
PAUSES: Final = "WATCHED_PAUSES"
"""The variable with the file for the pauses of a server: a line with the length of each in seconds."""
_WAITED: Final = Path("/proc/thread-self/schedstat")
"""Where Linux has how long a thread waited for a processor, in nanoseconds, as the second number."""
_STEP_S: Final = 0.005
_SHORTEST_S: Final = 0.05


def pauses(ended: Event) -> Iterator[float]:
    """Yield the length of each pause of this thread until `ended` is set."""
    with _WAITED.open("rb", buffering=0) if _WAITED.exists() else nullcontext() as waited:
        before = _clocks(waited)
        while not ended.is_set():
            time.sleep(_STEP_S)
            after = _clocks(waited)
            pause_s = min(now - earlier for now, earlier in zip(after, before, strict=True)) - _STEP_S
            before = after
            if pause_s > _SHORTEST_S:
                yield pause_s


def _clocks(waited: FileIO | None) -> tuple[float, float]:
    """Return the time without that in which this thread waited for a processor, and the work of the process."""
    waited_ns = int(os.pread(waited.fileno(), 100, 0).split()[1]) if waited else 0
    return time.perf_counter() - waited_ns / 1e9, time.process_time()


class Watched:
    """Measures the longest pause within a `with` block."""

    longest_s = 0.0

    def __enter__(self) -> "Watched":
        # As in a server: a search for garbage need not look at what was there before.
        gc.freeze()
        self._ended = Event()
        self._thread = Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        gc.unfreeze()

    def _watch(self) -> None:
        for pause_s in pauses(self._ended):
            self.longest_s = max(self.longest_s, pause_s)


def write_pauses(file: Path) -> None:
    """Write down each pause until the process ends."""
    with file.open("a") as written:
        for pause_s in pauses(Event()):
            written.write(f"{pause_s:.3f}\n")
            written.flush()


if __name__ == "__main__":
    Thread(target=write_pauses, args=[Path(os.environ.pop(PAUSES))], daemon=True).start()
    runpy.run_module("workbench", run_name="__main__", alter_sys=True)
