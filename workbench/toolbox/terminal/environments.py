"""Where commands run, as the line that starts them."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from workbench.errors import BadInput

PLACE_MARK: Final = "\x1e__workbench_place__"
"""Stands before the working folder behind a command's output."""
_TASK_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]")


class Environment(Protocol):
    """Somewhere to run commands."""

    @property
    def program(self) -> str:
        """What must be installed here."""
        ...

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """The program and arguments that run `command`.

        Args:
            command: A shell command.
            folder: Where to run it; empty for the environment's own.
            task_id: Whose files these are.
            has_terminal: Whether a terminal is to be made for it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEnvironment:
    """This machine, in the user's own rights."""

    program: str = "sh"
    """See `Environment`."""

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        return ["sh", "-c", script(command, folder)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerEnvironment:
    """A container for each command, cut off from the network; a task's files stay in a volume of its own."""

    image: str
    """Image to run, such as `debian:12`."""
    program: str = "docker"
    """See `Environment`."""
    memory_mb: int = 512
    """Memory that a command may take."""

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        volume = "hermes-workbench-" + (_TASK_NAME.sub("-", task_id)[:64] or "task")
        return [
            self.program, "run", "--rm", "--init", *(["--tty"] if has_terminal else []),
            "--network", "none", "--memory", f"{self.memory_mb}m", "--pids-limit", "256",
            "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
            "--volume", f"{volume}:/workspace", "--workdir", "/workspace",
            self.image, "sh", "-c", script(command, folder),
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SshEnvironment:
    """Another machine, by the user's own `ssh` and its keys; no password is ever asked."""

    host: str
    """`user@host`, or a name of the user's ssh configuration."""
    port: int | None = None
    """None takes the configuration's."""
    options: tuple[str, ...] = ()
    """Further options, each as `Name=value`."""
    program: str = "ssh"
    """See `Environment`."""

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        settings = ("BatchMode=yes", "ConnectTimeout=10", *self.options)
        return [
            self.program, "-tt" if has_terminal else "-T", *(["-p", str(self.port)] if self.port else []),
            *(part for setting in settings for part in ("-o", setting)),
            "--", self.host, "sh -c " + shlex.quote(script(command, folder)),
        ]  # fmt: skip


def script(command: str, folder: str) -> str:
    """A shell's text that goes to `folder`, runs `command`, and tells where it ended."""
    go = f"cd -- {shlex.quote(folder)} || exit 1\n" if folder else ""
    return f"{go}{command}\n__status=$?\nprintf '{PLACE_MARK}%s' \"$PWD\"\nexit $__status"


def parse_environment(text: str) -> Environment | None:
    """The environment that a setting names: `mock` (None), `local`, `docker:IMAGE` or `ssh:HOST[:PORT]`.

    Raises:
        BadInput: It names none of these.
    """
    kind, _, rest = text.partition(":")
    if text == "mock":
        return None
    if text == "local":
        return LocalEnvironment()
    if kind == "docker" and rest and not rest.startswith("-"):
        return DockerEnvironment(image=rest)
    if kind == "ssh" and rest and not rest.startswith("-"):
        host, _, port = rest.partition(":")
        if not port or port.isdecimal():
            return SshEnvironment(host=host, port=int(port) if port else None)
    raise BadInput(
        "setting WORKBENCH_TERMINAL", f"no environment {text!r}", "mock, local, docker:IMAGE or ssh:HOST"
    )
