"""Measure how long one thread stops all others, in this process or in a server that is started with this module.

Python runs one thread at a time. A step in C, such as compiling a pattern, is not interrupted, and a page with it serves
nobody. A pause counts only as far as its process worked meanwhile, so that it is short where other processes kept the
machine busy.
"""

import gc
import os
import runpy
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Final

PAUSE_S: Final = 0.2
"""How long one step may stop all other threads."""
PAUSES: Final = "WATCHED_PAUSES"
"""The variable with the file for the pauses of a server: a line with the length of each in seconds."""
_STEP_S: Final = 0.005
_SHORTEST_S: Final = 0.05


def pauses(ended: Event) -> Iterator[float]:
    """Yield the length of each pause of this thread until `ended` is set."""
    while not ended.is_set():
        started_s, worked_s = time.perf_counter(), time.process_time()
        time.sleep(_STEP_S)
        pause_s = min(time.perf_counter() - started_s - _STEP_S, time.process_time() - worked_s)
        if pause_s > _SHORTEST_S:
            yield pause_s


class Watched:
    """Measures the longest pause within a `with` block."""

    longest_s = 0.0

    def __enter__(self) -> "Watched":
        # As in a server: a search for garbage need not look at what was there before.
        gc.collect()
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
