"""Whether a model fits into this machine's memory."""

import os
from pathlib import Path
from typing import Final

from workbench.engines.hub.hub_models import MemoryFit

ROOM_BYTES: Final = 600 << 20
"""For the context, the buffers of llama.cpp and this program; a rough figure for 4,096 tokens of an 8B model."""
COMFORT: Final = 0.8
"""A model that takes more than this share of the memory is a tight fit."""
CONTROL_GROUP: Final = Path("/sys/fs/cgroup/memory.max")
"""What a container may use. *Source:* Linux, cgroup v2."""


def memory_bytes() -> int:
    """Memory that this process may use; 0 where it cannot be told."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _windows_memory_bytes()
    try:
        limit = CONTROL_GROUP.read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def fit_of(size_bytes: int, *, memory: int) -> MemoryFit:
    """Whether weights of a size fit.

    >>> fit_of(2 << 30, memory=8 << 30), fit_of(7 << 30, memory=8 << 30), fit_of(9 << 30, memory=8 << 30)
    (<Fit.YES: 'fits'>, <Fit.TIGHT: 'tight'>, <Fit.NO: 'too large'>)
    """
    if not size_bytes or not memory:
        return MemoryFit.UNKNOWN
    needed = size_bytes + ROOM_BYTES
    if needed > memory:
        return MemoryFit.NO
    return MemoryFit.YES if needed <= memory * COMFORT else MemoryFit.TIGHT


def _windows_memory_bytes() -> int:
    import ctypes

    windows = getattr(ctypes, "windll", None)
    kilobytes = ctypes.c_ulonglong(0)
    if windows is None or not windows.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
        return 0
    return kilobytes.value * 1024
