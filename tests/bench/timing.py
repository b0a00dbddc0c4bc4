"""How long a call takes, taken so that other work on the machine counts little."""

import gc
import time
from collections.abc import Callable

LEAST_SECONDS = 0.02
"""A sample repeats a call until it lasts this long."""
SAMPLES = 5


def seconds(*calls: Callable[[], object], samples: int = SAMPLES) -> list[float]:
    """Seconds of each call: the least of some samples, taken in turn."""
    counts = [_repetitions(call) for call in calls]
    best = [float("inf")] * len(calls)
    for _ in range(samples):
        for index, (call, count) in enumerate(zip(calls, counts, strict=True)):
            best[index] = min(best[index], _sample(call, count))
    return best


def once(call: Callable[[], object]) -> float:
    """Seconds of one call that takes long."""
    return _sample(call, 1)


def _repetitions(call: Callable[[], object]) -> int:
    taken = _sample(call, 1)
    return max(1, int(LEAST_SECONDS / max(taken, 1e-7)))


def _sample(call: Callable[[], object], count: int) -> float:
    gc.collect()
    gc.disable()
    try:
        started = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - started) / count
    finally:
        gc.enable()
