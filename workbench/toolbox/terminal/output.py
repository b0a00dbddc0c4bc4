"""The output of a command, with a limit on its size."""

from threading import Lock
from typing import Final

MAX_OUTPUT_BYTES: Final = 60_000
"""Longest output. Of a longer one, the middle is dropped."""


class KeptOutput:
    """Keeps the first and the last part of an output. Threads may add and read at the same time."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped_bytes = 0
        self._lock = Lock()

    def add(self, data: bytes) -> None:
        """Add the next bytes."""
        half = MAX_OUTPUT_BYTES // 2
        with self._lock:
            room = half - len(self._head)
            self._head += data[:room]
            self._tail += data[max(room, 0) :]
            excess = len(self._tail) - half
            if excess > 0:
                del self._tail[:excess]
                self._dropped_bytes += excess

    def text(self) -> str:
        """Return the output so far. What is not UTF-8 is replaced."""
        with self._lock:
            gap = f"\n… {self._dropped_bytes} bytes left out …\n".encode() if self._dropped_bytes else b""
            return (bytes(self._head) + gap + bytes(self._tail)).decode("utf-8", "replace")
