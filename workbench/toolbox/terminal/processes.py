"""Run programs with limits on time and output."""

import os
import pty
import pwd
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import Final, TypedDict

from workbench.toolbox.terminal.backend import ProcessOutcome
from workbench.toolbox.terminal.output import KeptOutput

_GRACE_S: Final = 2.0
"""Time between SIGTERM and SIGKILL."""
_DRAIN_S: Final = 0.5
"""Time to wait for more output after a program has ended. A child process may still hold the pipe."""


class _UserFields(TypedDict):
    """Arguments of `subprocess.Popen` that select the user."""

    cwd: str | None
    user: str | None
    group: int | None
    extra_groups: list[str | int] | None


def user_fields(user: str) -> _UserFields:
    """Return the arguments of `subprocess.Popen` for a program that runs as a user, with only that user's group.

    Args:
        user: Name of the user. Empty for our own user.
    """
    if not user:
        return {"cwd": None, "user": None, "group": None, "extra_groups": None}
    return {"cwd": "/", "user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


class Process:
    """A running program, in its own process group.

    Args:
        line: The program and its arguments.
        environment: All its environment variables.
        has_terminal: True gives it a terminal.
        user: User that it runs as, with only that user's group. Empty for our own user.
    """

    def __init__(
        self, line: Sequence[str], *, environment: Mapping[str, str], has_terminal: bool, user: str = ""
    ) -> None:
        self._output = KeptOutput()
        if has_terminal:
            source, target = pty.openpty()
        else:
            source, target = os.pipe()
        try:
            self._process = subprocess.Popen(
                line, stdin=target if has_terminal else subprocess.DEVNULL, stdout=target, stderr=target,
                env=dict(environment), start_new_session=True, close_fds=True, **user_fields(user),
            )  # fmt: skip
        except OSError:
            os.close(source)
            raise
        finally:
            os.close(target)
        self._reader = Thread(target=self._read, args=(source,), name="terminal", daemon=True)
        self._reader.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the program to end, and end what is left of its process group. See `RunningCommand`."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        self._reader.join(_DRAIN_S)
        self._signal(signal.SIGKILL)
        return True

    def look(self) -> ProcessOutcome:
        """Return the output so far, and the exit code if the program has ended."""
        return ProcessOutcome(self._output.text(), self._process.poll(), False)

    def kill(self) -> None:
        """End the program and its process group, first with SIGTERM, then with SIGKILL."""
        self._signal(signal.SIGTERM)
        deadline_s = time.monotonic() + _GRACE_S
        while self._process.poll() is None and time.monotonic() < deadline_s:
            time.sleep(0.02)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._reader.join(_DRAIN_S)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _read(self, source: int) -> None:
        with suppress(OSError):
            while data := os.read(source, 65_536):
                self._output.add(data)
        os.close(source)
