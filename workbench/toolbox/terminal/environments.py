"""Environments in which commands run, and the command lines that start commands there."""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from workbench.errors import BadInput
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.terminal.processes import (
    Isolation,
    bubblewrap_line,
    find_isolation,
    make_base,
    secrets_in,
    task_folders,
    unprivileged_user,
)

PLACE_MARK: Final = "\x1e__workbench_place__"
"""Separates the output of a command from the folder in which it ended."""
_LOCAL_VARIABLES: Final = ("PATH", "LANG", "TERM")
"""Our environment variables that local commands see, in addition to the locale variables `LC_*`."""
_CLIENT_VARIABLES: Final = (
    *_LOCAL_VARIABLES,
    "HOME",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
)
"""Our environment variables that the programs `docker` and `ssh` see. The commands themselves see none of them."""
_GIT_SETTINGS: Final[Mapping[str, str]] = {
    "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "core.pager": "cat", "safe.bareRepository": "explicit",
}  # fmt: skip
"""Git settings for commands. A repository can name programs that git runs, and a command may have written it."""
_CPU_S: Final = 600
_FILE_BLOCKS: Final = 4 * 1024 * 1024
"""2 GiB, in the shell's unit of 512 bytes."""
_DATA_KIB: Final = 8 * 1024 * 1024
_PROCESSES: Final = 4096
_BELOW_HOME: Final = (
    '$(case "$PWD" in "$HOME") echo .;; "$HOME"/*) echo "${PWD#"$HOME"/}";; *) echo "$PWD";; esac)'
)
"""Shell text for the current folder, relative to the home folder if it is inside, because ssh commands start there."""
_TASK_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]")


class Environment(Protocol):
    """A place where commands can run: this machine, a container or another machine."""

    @property
    def program(self) -> str:
        """Program that must be installed on this machine."""
        ...

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """Return the program and arguments that run `command`.

        Args:
            folder: Folder to run it in. Empty for the environment's default folder.
            task_id: Task whose files the command sees.
            has_terminal: Whether the command gets a terminal.
        """
        ...

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """Return the environment variables for the program, selected from our own."""
        ...

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """Return what approval needs to know about a command; `folder` as in `line`."""
        ...

    @property
    def user(self) -> str:
        """User that the program runs as. Empty for our own user."""
        ...

    @property
    def summary(self) -> str:
        """One line that says where commands run and what they can reach."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEnvironment:
    """This machine. `isolated` adds a sandbox or another user, if possible."""

    shared: str = ""
    """Working folder of all tasks. If it is empty, each task has its own folder in `base`."""
    base: Path | None = None
    """Folder for the tasks' folders. If it is None, commands run in the current folder with our own home folder."""
    data: Path | None = None
    """Data folder of the workbench, which commands must not see."""
    isolation: Isolation = Isolation.NONE
    program: str = "sh"

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        folders = self._folders(task_id)
        if folders is None:
            return ["sh", "-c", script(command, folder)]
        work, home, temporary = folders
        # A relative folder is inside the task's working folder.
        line = ["sh", "-c", _limits(self.isolation) + script(command, str(work / folder))]
        if self.isolation is not Isolation.SANDBOX:
            return line
        hidden = secrets_in(work, self.data) if self.data else ()
        return bubblewrap_line(
            line, work=work, home=home, temporary=temporary, hidden=hidden, has_terminal=has_terminal
        )

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """See `Environment`."""
        visible = {
            name: value for name, value in own.items() if name in _LOCAL_VARIABLES or name.startswith("LC_")
        }
        settings = {"GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS)), "GIT_PAGER": "cat", "PAGER": "cat"}
        for number, (name, value) in enumerate(_GIT_SETTINGS.items()):
            settings |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        folders = self._folders(task_id)
        if folders is None:
            return visible | settings | {name: own[name] for name in ("HOME", "TMPDIR") if name in own}
        _, home, temporary = folders
        is_sandbox = self.isolation is Isolation.SANDBOX
        return visible | settings | {"HOME": str(home), "TMPDIR": "/tmp" if is_sandbox else str(temporary)}

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """See `Environment`."""
        is_contained = self.isolation is Isolation.SANDBOX
        private = (str(self.data),) if self.data else ()
        folders = self._folders(task_id)
        if folders is None:
            return CommandEnvironment(is_contained=is_contained, folder=folder, private=private)
        work = folders[0]
        return CommandEnvironment(
            is_contained=is_contained, root=str(work), folder=_within(work, folder), private=private
        )

    @property
    def user(self) -> str:
        """See `Environment`."""
        return unprivileged_user() if self.isolation is Isolation.USER else ""

    @property
    def summary(self) -> str:
        """See `Environment`."""
        where = f"in {self.shared}" if self.shared else "in a separate folder for each session"
        return (
            f"Commands run on this machine, {where}, "
            + {
                Isolation.SANDBOX: "in a Bubblewrap sandbox without network and without access to your other files",
                Isolation.USER: f"as the user {self.user!r}, with network and all files that every user may read",
                Isolation.NONE: "with your own permissions. Install bubblewrap to protect your files",
            }[self.isolation]
        )

    def _folders(self, task_id: str) -> tuple[Path, Path, Path] | None:
        if self.base is None:
            return None
        work, home, temporary = task_folders(self.base, _task_name(task_id))
        if self.user:
            (self.base / _task_name(task_id)).chmod(0o711)
            for folder in (work, home, temporary):
                shutil.chown(folder, self.user)
        return (Path(self.shared) if self.shared else work), home, temporary


def isolated(environment: Environment, data: Path) -> Environment:
    """Add the best isolation that works here to a local environment. Other environments are returned unchanged.

    Args:
        data: The workbench's data folder.
    """
    if not isinstance(environment, LocalEnvironment):
        return environment
    isolation = find_isolation()
    return replace(environment, isolation=isolation, base=make_base(data, isolation), data=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerEnvironment:
    """A container without network for each command. The files of a task stay in its own volume."""

    image: str
    """Image of the containers, such as `debian:12`."""
    program: str = "docker"
    memory_mb: int = 512

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        volume = "hermes-workbench-" + _task_name(task_id)
        return [
            self.program, "run", "--rm", "--init", *(["--tty"] if has_terminal else []),
            "--network", "none", "--memory", f"{self.memory_mb}m", "--pids-limit", "256",
            "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
            "--volume", f"{volume}:/workspace", "--workdir", "/workspace",
            self.image, "sh", "-c", script(command, folder),
        ]  # fmt: skip

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """See `Environment`."""
        return _client_variables(own)

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """See `Environment`."""
        return CommandEnvironment(
            is_contained=True, root="/workspace", folder=_within(Path("/workspace"), folder)
        )

    @property
    def user(self) -> str:
        """See `Environment`."""
        return ""

    @property
    def summary(self) -> str:
        """See `Environment`."""
        return f"Commands run in containers of the image {self.image!r}, without network"


@dataclass(frozen=True, slots=True, kw_only=True)
class SshEnvironment:
    """Another machine, through the user's `ssh` program and its keys. It never asks for a password."""

    host: str
    """`user@host`, or a host name from the user's ssh configuration."""
    port: int | None = None
    """None uses the port of the ssh configuration."""
    options: tuple[str, ...] = ()
    """Additional ssh options, each as `Name=value`."""
    program: str = "ssh"

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        settings = ("BatchMode=yes", "ConnectTimeout=10", *self.options)
        return [
            self.program, "-tt" if has_terminal else "-T", *(["-p", str(self.port)] if self.port else []),
            *(part for setting in settings for part in ("-o", setting)),
            "--", self.host, "sh -c " + shlex.quote(script(command, folder, reported=_BELOW_HOME)),
        ]  # fmt: skip

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """See `Environment`."""
        return _client_variables(own)

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """See `Environment`."""
        return CommandEnvironment(is_contained=False, folder=folder)

    @property
    def user(self) -> str:
        """See `Environment`."""
        return ""

    @property
    def summary(self) -> str:
        """See `Environment`."""
        return f"Commands run on {self.host} over ssh, with all permissions of the user there"


def script(command: str, folder: str, *, reported: str = "$PWD") -> str:
    """Return shell text that changes to `folder`, runs `command`, and prints the folder in which it ended.

    Args:
        folder: Folder to run it in. Empty for the folder in which the shell starts.
        reported: Shell text for the folder that is printed, inside double quotes.
    """
    change = f"cd -- {shlex.quote(folder)} || exit 1\n" if folder else ""
    return f"{change}{command}\n__status=$?\nprintf '{PLACE_MARK}%s' \"{reported}\"\nexit $__status"


def _limits(isolation: Isolation) -> str:
    """Return shell text that sets limits, for the start of a script.

    Processes are limited only if they are counted separately from those of our own user. The letter of that limit is
    `-u` in Bash and `-p` in dash.
    """
    limits = [f"-t {_CPU_S}", f"-f {_FILE_BLOCKS}", f"-d {_DATA_KIB}", "-c 0"]
    lines = [f"ulimit {limit} 2>/dev/null\n" for limit in limits]
    if isolation is not Isolation.NONE:
        lines.append(f"ulimit -u {_PROCESSES} 2>/dev/null || ulimit -p {_PROCESSES} 2>/dev/null\n")
    return "".join(lines)


def _within(work: Path, folder: str) -> str:
    """Return a folder relative to the working folder if it is inside, otherwise its path. Links are resolved."""
    if not folder:
        return ""
    path = (work / folder).resolve()
    if path == work.resolve():
        return ""
    return str(path.relative_to(work.resolve())) if path.is_relative_to(work.resolve()) else str(path)


def _task_name(task_id: str) -> str:
    return _TASK_NAME.sub("-", task_id)[:64].strip(".") or "task"


def parse_environment(text: str) -> Environment | None:
    """Parse WORKBENCH_TERMINAL: `local[:FOLDER]`, `docker:IMAGE`, `ssh:HOST[:PORT]`, or `mock`, which gives None.

    Raises:
        BadInput: The text has another form.
    """
    kind, _, rest = text.partition(":")
    if text == "mock":
        return None
    if text == "local":
        return LocalEnvironment()
    if kind == "local" and rest:
        return LocalEnvironment(shared=str(Path(rest).expanduser().resolve()))
    if kind == "docker" and rest and not rest.startswith("-"):
        return DockerEnvironment(image=rest)
    if kind == "ssh" and rest and not rest.startswith("-"):
        host, _, port = rest.partition(":")
        if not port or port.isdecimal():
            return SshEnvironment(host=host, port=int(port) if port else None)
    raise BadInput(
        "setting WORKBENCH_TERMINAL",
        f"{text!r} is not an environment",
        "use mock, local, local:FOLDER, docker:IMAGE or ssh:HOST",
    )


def _client_variables(own: Mapping[str, str]) -> Mapping[str, str]:
    """Select the variables for a program that talks to a server or a daemon."""
    return {name: value for name, value in own.items() if name in _CLIENT_VARIABLES or name.startswith("LC_")}
