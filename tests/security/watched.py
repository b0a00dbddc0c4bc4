"""Serve the workbench, and write down every pause: how long another thread had to wait, for `test_bombs_server.py`.

A pause counts only as far as this process worked meanwhile. So it is short where other processes kept the machine busy.
"""

import os
import runpy
import time
from pathlib import Path
from threading import Thread
from typing import Final

PAUSES: Final = "WATCHED_PAUSES"
"""The variable with the file for the pauses: a line with the length of each in seconds."""
_STEP_S: Final = 0.005
_SHORTEST_S: Final = 0.05


def watch(file: Path) -> None:
    """Measure pauses until the process ends."""
    with file.open("a") as pauses:
        while True:
            started_s, worked_s = time.perf_counter(), time.process_time()
            time.sleep(_STEP_S)
            pause_s = min(time.perf_counter() - started_s - _STEP_S, time.process_time() - worked_s)
            if pause_s > _SHORTEST_S:
                pauses.write(f"{pause_s:.3f}\n")
                pauses.flush()


if __name__ == "__main__":
    Thread(target=watch, args=[Path(os.environ.pop(PAUSES))], daemon=True).start()
    runpy.run_module("workbench", run_name="__main__", alter_sys=True)
