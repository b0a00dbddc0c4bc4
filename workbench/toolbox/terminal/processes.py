"""Programs in process groups of their own: bounded output, an end in time, nothing left behind."""

import os
import pty
import pwd
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Final, NamedTuple

MAX_OUTPUT_BYTES: Final = 60_000
"""Of a longer output the first and the last half of this are kept."""
_GRACE_S: Final = 2.0
"""Between the request to end and the end."""
_DRAIN_S: Final = 0.5
"""How long output is waited for once the program has ended: a child of it may hold the pipe."""


class Ended(NamedTuple):
    """What a program came to."""

    output: str
    """What it wrote to both streams."""
    exit_code: int | None
    """Minus the signal where one ended it; None while it runs."""
    is_timeout: bool


class Process:
    """One program under way.

    Args:
        line: The program and its arguments.
        environment: Its variables, all of them.
        has_terminal: True gives it a terminal of its own.
        user: Whom it runs as, with that user's group only; empty for ourselves.
    """

    def __init__(
        self, line: Sequence[str], *, environment: Mapping[str, str], has_terminal: bool, user: str = ""
    ) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped_bytes = 0
        self._lock = Lock()
        if has_terminal:
            source, target = pty.openpty()
        else:
            source, target = os.pipe()
        try:
            self._process = subprocess.Popen(
                line, stdin=target if has_terminal else subprocess.DEVNULL, stdout=target, stderr=target,
                env=dict(environment), start_new_session=True, close_fds=True, cwd="/" if user else None,
                user=user or None, group=pwd.getpwnam(user).pw_gid if user else None, extra_groups=[] if user else None,
            )  # fmt: skip
        except OSError:
            os.close(source)
            raise
        finally:
            os.close(target)
        self._reader = Thread(target=self._read, args=(source,), name="terminal", daemon=True)
        self._reader.start()

    def wait(self, timeout_s: float) -> Ended:
        """What it comes to; ended by force where it takes longer."""
        is_timeout = False
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            is_timeout = True
            self.kill()
        self._reader.join(_DRAIN_S)
        self._signal(signal.SIGKILL)
        return self.look()._replace(is_timeout=is_timeout)

    def look(self) -> Ended:
        """What it has come to so far."""
        with self._lock:
            gap = f"\n… {self._dropped_bytes} bytes left out …\n".encode() if self._dropped_bytes else b""
            data = bytes(self._head) + gap + bytes(self._tail)
        return Ended(data.decode("utf-8", "replace"), self._process.poll(), False)

    def kill(self) -> None:
        """Ends it and all that it started: asked first, then by force."""
        self._signal(signal.SIGTERM)
        deadline_s = time.monotonic() + _GRACE_S
        while self._process.poll() is None and time.monotonic() < deadline_s:
            time.sleep(0.02)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _read(self, source: int) -> None:
        with suppress(OSError):
            while data := os.read(source, 65_536):
                with self._lock:
                    self._keep(data)
        os.close(source)

    def _keep(self, data: bytes) -> None:
        half = MAX_OUTPUT_BYTES // 2
        room = half - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        excess = len(self._tail) - half
        if excess > 0:
            del self._tail[:excess]
            self._dropped_bytes += excess
