"""Environments that a program of this machine reaches, such as `sh`, `docker` or `ssh`."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.terminal.backend import TaskPlaces
from workbench.toolbox.terminal.processes import Process, user_fields
from workbench.toolbox.terminal.script import contained, task_room

_OPEN_S: Final = 270.0
"""Time for opening a room. An image may have to be downloaded."""
_SHORT_S: Final = 30.0
"""Time for closing a room or asking about it."""
_CLIENT_VARIABLES: Final = (
    "PATH", "LANG", "TERM", "HOME", "TMPDIR", "SSH_AUTH_SOCK", "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT",
    "XDG_RUNTIME_DIR", "APPTAINER_CACHEDIR", "APPTAINER_TMPDIR", "SINGULARITY_CACHEDIR", "SINGULARITY_TMPDIR",
)  # fmt: skip
"""Our environment variables that the programs `docker`, `apptainer` and `ssh` see. Commands see none of them."""


class CommandLines(TaskPlaces, Protocol):
    """The command lines of an environment."""

    @property
    def program(self) -> str:
        """Program that must be installed on this machine."""
        ...

    @property
    def user(self) -> str:
        """User that the program runs as. Empty for our own user."""
        ...

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """Return the environment variables for the program, selected from our own."""
        ...

    def line(self, text: str, *, task_id: str, room: str = "", has_terminal: bool = False) -> Sequence[str]:
        """Return the program and arguments that run `sh` with this text.

        Args:
            text: Shell text.
            task_id: Task whose files it sees.
            room: The task's room. Empty in environments without rooms.
            has_terminal: Whether it gets a terminal.
        """
        ...

    def open_line(self, task_id: str, name: str) -> Sequence[str]:
        """Return the program and arguments that open a room."""
        ...

    def close_line(self, name: str) -> Sequence[str]:
        """Return the program and arguments that close a room."""
        ...

    def is_gone(self, errors: str) -> bool:
        """Return True if the errors of `close_line` say that the room does not exist."""
        ...


class NoRooms:
    """For command lines of environments that start nothing before a command."""

    __slots__ = ()

    def room_name(self, task_id: str, owner: str) -> str:
        return ""

    def open_line(self, task_id: str, name: str) -> Sequence[str]:
        return ("true",)

    def close_line(self, name: str) -> Sequence[str]:
        return ("true",)

    def is_gone(self, errors: str) -> bool:
        return True


class Containers:
    """For command lines of environments with a container for each task, without network."""

    __slots__ = ()

    def room_name(self, task_id: str, owner: str) -> str:
        return task_room(task_id, owner)

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        return client_variables(own)

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        return contained(folder)


class ProgramBackend:
    """Runs commands with the command lines of an environment.

    Args:
        lines: The command lines.
        variables: Our environment variables; `lines` selects those that the program sees.
    """

    def __init__(self, lines: CommandLines, variables: Mapping[str, str]) -> None:
        self.lines: Final = lines
        self.summary, self.reported, self.no_terminal = lines.summary, lines.reported, ""
        self.place, self.opening, self.room_name = lines.place, lines.opening, lines.room_name
        self._own = variables
        self._starter = ThreadPoolExecutor(1, "terminal-starter")
        """Starts all processes. A sandbox ends with the *thread* that started it, and calls run in short threads."""

    def check(self) -> None:
        if shutil.which(self.lines.program) is None:
            raise FileNotFoundError(f"the program {self.lines.program!r} is not installed")

    def open_room(self, task_id: str, name: str) -> None:
        done = self._call(self.lines.open_line(task_id, name), task_id, timeout_s=_OPEN_S)
        if done.returncode != 0:
            errors = done.stderr.decode("utf-8", "replace").strip()
            raise OSError(errors[-600:] or f"{self.lines.program} cannot open {name!r}")

    def is_open(self, name: str) -> bool:
        return (
            self._call(self.lines.line("true", task_id="", room=name), "", timeout_s=_SHORT_S).returncode == 0
        )

    def close_room(self, name: str) -> None:
        done = self._call(self.lines.close_line(name), "", timeout_s=_SHORT_S)
        errors = done.stderr.decode("utf-8", "replace")
        if done.returncode != 0 and not self.lines.is_gone(errors):
            raise OSError(f"{name!r} may still run: {_last_line(done.stderr)}")

    def run(self, text: str, *, task_id: str, room: str, has_terminal: bool = False) -> Process:
        line = self.lines.line(text, task_id=task_id, room=room, has_terminal=has_terminal)
        variables = self.lines.variables(self._own, task_id)
        return self._starter.submit(
            Process, line, environment=variables, has_terminal=has_terminal, user=self.lines.user
        ).result()

    def close(self) -> None:
        self._starter.shutdown()

    def _call(
        self, line: Sequence[str], task_id: str, *, timeout_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        variables = dict(self.lines.variables(self._own, task_id))
        try:
            return subprocess.run(
                line, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False, env=variables,
                **user_fields(self.lines.user),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{self.lines.program} did not answer within {timeout_s:.0f} s") from None


def client_variables(own: Mapping[str, str]) -> Mapping[str, str]:
    """Select the variables for a program that talks to a server or a daemon."""
    return {name: value for name, value in own.items() if name in _CLIENT_VARIABLES or name.startswith("LC_")}


def _last_line(errors: bytes) -> str:
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
