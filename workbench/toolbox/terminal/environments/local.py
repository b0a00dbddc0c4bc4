"""Commands on this machine, isolated by Bubblewrap or another user if possible."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from workbench.toolbox.approval.reason import ASKED, CommandEnvironment
from workbench.toolbox.terminal.isolation import (
    Isolation,
    bubblewrap_line,
    find_isolation,
    make_base,
    secrets_in,
    task_folders,
    unprivileged_user,
)
from workbench.toolbox.terminal.programs import NoRooms
from workbench.toolbox.terminal.script import ONLY_GIT, change_folder, task_name
from workbench.toolbox.terminal.shared_folder import build_guards, may_write_git

_VARIABLES: Final = ("PATH", "LANG", "TERM")
"""Our environment variables that commands see, in addition to the locale variables `LC_*`."""
_GIT_SETTINGS: Final[Mapping[str, str]] = {
    "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "core.pager": "cat", "safe.bareRepository": "explicit",
}  # fmt: skip
"""Git settings for commands. A repository can name programs that git runs, and a command may have written it."""
_CPU_S: Final = 600
_FILE_BLOCKS: Final = 4 * 1024 * 1024
"""2 GiB, in the shell's unit of 512 bytes."""
_DATA_KIB: Final = 8 * 1024 * 1024
_PROCESSES: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEnvironment(NoRooms):
    """This machine. `isolated` adds a sandbox or another user, if possible."""

    shared: str = ""
    """Working folder of all tasks. If it is empty, each task has its own folder in `base`."""
    base: Path | None = None
    """Folder for the tasks' folders. If it is None, commands run in the current folder with our own home folder."""
    data: Path | None = None
    """Data folder of the workbench, which commands must not see."""
    isolation: Isolation = Isolation.NONE
    program: str = "sh"
    reported: str = "$PWD"

    def opening(self, task_id: str, folder: str) -> str:
        folders = self._folders(task_id)
        # A relative folder is inside the task's working folder.
        start = str(folders[0] / folder) if folders else folder
        return ("" if folders is None else _limits(self.isolation)) + change_folder(start)

    def line(self, text: str, *, task_id: str, room: str = "", has_terminal: bool = False) -> Sequence[str]:
        line = ["sh", "-c", text]
        folders = self._folders(task_id)
        if folders is None or self.isolation is not Isolation.SANDBOX:
            return line
        work, home, temporary = folders
        hidden = secrets_in(work, self.data) if self.data else ()
        writes_git = bool(self.shared) and text.startswith(ONLY_GIT) and may_write_git(work)
        return bubblewrap_line(
            line,
            work=work,
            home=home,
            temporary=temporary,
            hidden=hidden,
            guards=build_guards(work, writes_git=writes_git) if self.shared else (),
            hides_home=writes_git,
            has_terminal=has_terminal,
        )

    def variables(self, own: Mapping[str, str], task_id: str) -> Mapping[str, str]:
        visible = {name: value for name, value in own.items() if name in _VARIABLES or name.startswith("LC_")}
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
        is_contained = self.isolation is Isolation.SANDBOX
        private = (str(self.data),) if self.data else ()
        folders = self._folders(task_id)
        if folders is None:
            return CommandEnvironment(is_contained=is_contained, folder=folder, private=private)
        work = folders[0]
        return CommandEnvironment(
            is_contained=is_contained,
            root=str(work),
            folder=_within(work, folder),
            shares_folder=is_contained and bool(self.shared),
            private=private,
        )

    @property
    def user(self) -> str:
        return unprivileged_user() if self.isolation is Isolation.USER else ""

    @property
    def summary(self) -> str:
        where = f"in {self.shared}" if self.shared else "in a separate folder for each session"
        return (
            f"Commands run on this machine, {where}, "
            + {
                Isolation.SANDBOX: "in a Bubblewrap sandbox without network and without access to your other files",
                Isolation.USER: f"as the user {self.user!r}, with network and all files that every user may read. "
                + ASKED,
                Isolation.NONE: f"with your own permissions. {ASKED}. Install bubblewrap to protect your files",
            }[self.isolation]
        )

    def _folders(self, task_id: str) -> tuple[Path, Path, Path] | None:
        if self.base is None:
            return None
        work, home, temporary = task_folders(self.base, task_name(task_id))
        if self.user:
            (self.base / task_name(task_id)).chmod(0o711)
            for folder in (work, home, temporary):
                shutil.chown(folder, self.user)
        return (Path(self.shared) if self.shared else work), home, temporary


def isolated(environment: LocalEnvironment, data: Path) -> LocalEnvironment:
    """Add the best isolation that works here.

    Args:
        environment: The environment of the setting.
        data: The workbench's data folder.
    """
    isolation = find_isolation()
    return replace(environment, isolation=isolation, base=make_base(data, isolation), data=data)


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
