"""Measure how long one thread stops all others, in this process or in a server that is started with this module.

Python runs one thread at a time. A step in C, such as compiling a pattern, is not interrupted, and a page with it serves
nobody. Several threads watch, and a pause is a time in which none of them ran: where other threads only take turns, one
of the watching threads gets its turn soon. On a busy machine, a pause has other causes, too. It counts only as far as its
process worked meanwhile, and only if the watching thread asked for the interpreter again and again, as it does every
5 ms, instead of waiting for a processor once.
"""

import gc
import os
import resource
import runpy
import time
from collections.abc import Callable
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
_THREADS: Final = 4


class Watch:
    """Threads that call a function with the length of each pause, in seconds, until `end` is called."""

    def __init__(self, tell: Callable[[float], object]) -> None:
        self._tell = tell
        self._ended = Event()
        self._last = (time.perf_counter(), time.process_time())
        self._threads = [Thread(target=self._watch, daemon=True) for _ in range(_THREADS)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _watch(self) -> None:
        asked = _times_asked()
        while not self._ended.is_set():
            time.sleep(_STEP_S)
            asked_before, asked = asked, _times_asked()
            now = time.perf_counter(), time.process_time()
            # Another thread may have run since then.
            before, self._last = self._last, max(self._last, now)
            pause_s = min(now[0] - before[0], now[1] - before[1])
            if pause_s > _SHORTEST_S and asked - asked_before >= _LEAST_ASKED:
                self._tell(pause_s)


def _times_asked() -> int:
    """How often this thread has slept, for example until the interpreter is free."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


class Watched:
    """Measures the longest pause within a `with` block."""

    longest_s = 0.0

    def __enter__(self) -> "Watched":
        # As in a server: a search for garbage need not look at what was there before.
        gc.freeze()
        self._watch = Watch(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.end()

    def _note(self, pause_s: float) -> None:
        self.longest_s = max(self.longest_s, pause_s)


if __name__ == "__main__":
    with Path(os.environ.pop(PAUSES)).open("a", buffering=1) as written:
        watch = Watch(lambda pause_s: written.write(f"{pause_s:.3f}\n"))
        try:
            runpy.run_module("workbench", run_name="__main__", alter_sys=True)
        finally:
            watch.end()
