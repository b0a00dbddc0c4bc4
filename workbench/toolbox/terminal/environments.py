"""Where commands run, as the command line that starts them."""

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
"""Comes before the working folder, after a command's output."""
_OWN_VARIABLES: Final = ("PATH", "LANG", "TERM")
"""What a local command sees of our environment, beside the variables of the locale."""
_CLIENT_VARIABLES: Final = (
    *_OWN_VARIABLES,
    "HOME",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
)
"""What the programs `docker` and `ssh` see of it; the commands themselves run elsewhere and see nothing."""
_GIT_SETTINGS: Final[Mapping[str, str]] = {
    "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "core.pager": "cat", "safe.bareRepository": "explicit",
}  # fmt: skip
"""Settings of git that keep a repository which a command wrote from naming programs for git to run."""
_CPU_S: Final = 600
_FILE_BLOCKS: Final = 4 * 1024 * 1024
"""2 GiB, in blocks of 512 bytes as a shell counts them."""
_DATA_KIB: Final = 8 * 1024 * 1024
_PROCESSES: Final = 4096
_BELOW_HOME: Final = (
    '$(case "$PWD" in "$HOME") echo .;; "$HOME"/*) echo "${PWD#"$HOME"/}";; *) echo "$PWD";; esac)'
)
"""The folder relative to the home folder if it is inside: on another machine, that is where commands start."""
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
            folder: Where to run it; empty for the environment's own.
            task_id: Whose files these are.
            has_terminal: Whether a terminal is to be made for it.
        """
        ...

    def variables(self, given: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """The environment variables of the program, out of our own."""
        ...

    def place(self, task_id: str, folder: str) -> CommandEnvironment:
        """What the approval of commands needs to know; `folder` as for `line`."""
        ...

    @property
    def user(self) -> str:
        """The user that the program runs as; empty for our own."""
        ...

    @property
    def summary(self) -> str:
        """One line that says where commands run and what they can reach."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEnvironment:
    """This machine; `isolated` chooses what keeps commands apart from the rest of it."""

    shared: str = ""
    """A folder that all tasks work in; empty gives each task a folder of its own in `base`."""
    base: Path | None = None
    """Holds the tasks' folders; None runs commands in the current folder with our own home."""
    data: Path | None = None
    """The workbench's data, which commands must not see."""
    isolation: Isolation = Isolation.NONE
    program: str = "sh"
    """See `Environment`."""

    def line(self, command: str, *, folder: str, task_id: str, has_terminal: bool = False) -> Sequence[str]:
        """See `Environment`."""
        folders = self._folders(task_id)
        if folders is None:
            return ["sh", "-c", script(command, folder)]
        work, home, temporary = folders
        # A relative folder is one of the task's.
        line = ["sh", "-c", _limits(self.isolation) + script(command, str(work / folder))]
        if self.isolation is not Isolation.SANDBOX:
            return line
        hidden = secrets_in(work, self.data) if self.data else ()
        return bubblewrap_line(
            line, work=work, home=home, temporary=temporary, hidden=hidden, has_terminal=has_terminal
        )

    def variables(self, given: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """See `Environment`."""
        kept = {
            name: value for name, value in given.items() if name in _OWN_VARIABLES or name.startswith("LC_")
        }
        settings = {"GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS)), "GIT_PAGER": "cat", "PAGER": "cat"}
        for number, (name, value) in enumerate(_GIT_SETTINGS.items()):
            settings |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        folders = self._folders(task_id)
        if folders is None:
            return kept | settings | {name: given[name] for name in ("HOME", "TMPDIR") if name in given}
        _, home, temporary = folders
        is_sandbox = self.isolation is Isolation.SANDBOX
        return kept | settings | {"HOME": str(home), "TMPDIR": "/tmp" if is_sandbox else str(temporary)}

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
        where = f"in {self.shared}" if self.shared else "in a folder of each session's own"
        return (
            f"Commands run on this machine {where}, "
            + {
                Isolation.SANDBOX: "in a Bubblewrap sandbox: no network, and nothing else of yours can be seen",
                Isolation.USER: f"as the user {self.user!r}: it reaches the network and all that everybody may read",
                Isolation.NONE: "with your own rights: install bubblewrap to keep them apart from your files",
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
    """The environment with the best isolation that works here; others than the local one are as they are.

    Args:
        environment: As the setting names it.
        data: The workbench's data folder.
    """
    if not isinstance(environment, LocalEnvironment):
        return environment
    isolation = find_isolation()
    return replace(environment, isolation=isolation, base=make_base(data, isolation), data=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerEnvironment:
    """A container for each command, without a network; a task's files stay in a volume of its own."""

    image: str
    """Image to run, such as `debian:12`."""
    program: str = "docker"
    """See `Environment`."""
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

    def variables(self, given: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """See `Environment`."""
        return _client_variables(given)

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
        return f"Commands run in containers of the image {self.image!r}, without a network"


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
            "--", self.host, "sh -c " + shlex.quote(script(command, folder, reported=_BELOW_HOME)),
        ]  # fmt: skip

    def variables(self, given: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        """See `Environment`."""
        return _client_variables(given)

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
        return f"Commands run on {self.host} over ssh, with all rights of its user there"


def script(command: str, folder: str, *, reported: str = "$PWD") -> str:
    """A shell's text that goes to `folder`, runs `command`, and reports where it ended.

    Args:
        folder: Where to run it; empty for where the shell starts.
        reported: What to report, as the shell writes it inside double quotes.
    """
    go = f"cd -- {shlex.quote(folder)} || exit 1\n" if folder else ""
    return f"{go}{command}\n__status=$?\nprintf '{PLACE_MARK}%s' \"{reported}\"\nexit $__status"


def _limits(isolation: Isolation) -> str:
    """The start of a script with limits; of processes only if they are counted apart from those of the user.

    Shells differ in the letter for the number of processes: `-u` of Bash is `-p` of dash.
    """
    limits = [f"-t {_CPU_S}", f"-f {_FILE_BLOCKS}", f"-d {_DATA_KIB}", "-c 0"]
    lines = [f"ulimit {limit} 2>/dev/null\n" for limit in limits]
    if isolation is not Isolation.NONE:
        lines.append(f"ulimit -u {_PROCESSES} 2>/dev/null || ulimit -p {_PROCESSES} 2>/dev/null\n")
    return "".join(lines)


def _within(work: Path, folder: str) -> str:
    """The folder relative to the working folder if it is inside, links followed; else its path."""
    if not folder:
        return ""
    path = (work / folder).resolve()
    if path == work.resolve():
        return ""
    return str(path.relative_to(work.resolve())) if path.is_relative_to(work.resolve()) else str(path)


def _task_name(task_id: str) -> str:
    return _TASK_NAME.sub("-", task_id)[:64].strip(".") or "task"


def parse_environment(text: str) -> Environment | None:
    """The environment that a setting names: `mock` (None), `local[:FOLDER]`, `docker:IMAGE` or `ssh:HOST[:PORT]`.

    Raises:
        BadInput: It names none of these.
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
        f"no environment {text!r}",
        "mock, local, local:FOLDER, docker:IMAGE or ssh:HOST",
    )


def _client_variables(given: Mapping[str, str]) -> Mapping[str, str]:
    """What a program needs that asks a server or a daemon."""
    return {
        name: value for name, value in given.items() if name in _CLIENT_VARIABLES or name.startswith("LC_")
    }
