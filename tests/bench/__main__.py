"""`make bench`: speed as ratios in one run, beside the machine's size."""

import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence

from tests.bench import (
    capacity,
    data,
    engine,
    gateway,
    page,
    ray_runs,
    reader,
    recording,
    startup,
    store,
    suite,
    worlds,
)

PARTS: dict[str, Callable[[], Iterable[str]]] = {
    "startup": startup.measure,
    "reader": reader.measure,
    "data": data.measure,
    "engine": engine.measure,
    "gateway": gateway.measure,
    "store": store.measure,
    "recording": recording.measure,
    "suite": suite.measure,
    "worlds": worlds.measure,
    "ray": ray_runs.measure,
    "page": page.measure,
    "capacity": capacity.measure,
}


def main(names: Sequence[str]) -> int:
    """Measure the named parts, or all of them. Return 2 if a name is unknown."""
    unknown = set(names) - set(PARTS)
    if unknown:
        print(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(
        f"{os.cpu_count()} cores, {memory_gb:.0f} GB, {platform.machine()}, Python {platform.python_version()}"
    )
    for name in names or PARTS:
        for line in PARTS[name]():
            print(f"{name}: {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
