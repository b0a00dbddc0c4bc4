"""Measure how long one thread stops all others, in this process or in a server that is started with this module.

Python runs one thread at a time. A step in C, such as compiling a pattern, is not interrupted, and a page with it serves
nobody. On a busy machine, a pause has other causes, too. It counts only as far as its process worked meanwhile, and only
if the watching thread asked for the interpreter again and again, as it does every 5 ms, instead of waiting for a
processor once.
"""

import gc
import os
import resource
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
_LEAST_ASKED: Final = 4
"""It sleeps once in each step, and once or twice until an interpreter that others use is free."""
_STEP_S: Final = 0.005
_SHORTEST_S: Final = 0.05


def pauses(ended: Event) -> Iterator[float]:
    """Yield the length of each pause of this thread until `ended` is set."""
    wall_s, worked_s, asked = time.perf_counter(), time.process_time(), _times_asked()
    while not ended.is_set():
        time.sleep(_STEP_S)
        before = (wall_s, worked_s, asked)
        wall_s, worked_s, asked = time.perf_counter(), time.process_time(), _times_asked()
        pause_s = min(wall_s - before[0], worked_s - before[1]) - _STEP_S
        if pause_s > _SHORTEST_S and asked - before[2] >= _LEAST_ASKED:
            yield pause_s


def _times_asked() -> int:
    """How often this thread has slept, for example until the interpreter is free."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


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
