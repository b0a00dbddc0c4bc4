"""Isolate local commands from the rest of the machine by Bubblewrap or another user."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

_CHECK_S: Final = 10.0
_SYSTEM: Final = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc/alternatives",
    "/etc/passwd", "/etc/group",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs", "/etc/ca-certificates",
    "/etc/localtime",
    "/etc/nsswitch.conf", "/etc/os-release",
    "/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/fonts",
    "/etc/mime.types", "/nix/store",
)  # fmt: skip
"""Parts of the system that a command in the sandbox sees, read-only. `/home`, `/root` and all others do not exist."""
_UNPRIVILEGED_USER: Final = "nobody"


class Isolation(StrEnum):
    """How commands are isolated from the rest of the machine."""

    SANDBOX = "sandbox"
    """Bubblewrap: no network, a read-only system, and only the files of the task."""
    USER = "user"
    """Another user: the network, and only files that every user may read or write."""
    NONE = "none"
    """The permissions of our own user."""


def find_isolation() -> Isolation:
    """Return the best isolation that works here. It runs Bubblewrap once to find out."""
    if _bubblewrap_works():
        return Isolation.SANDBOX
    return Isolation.USER if unprivileged_user() else Isolation.NONE


def unprivileged_user() -> str:
    """Return the user that commands run as if we are root, or an empty text if we cannot change the user."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return ""
    try:
        return pwd.getpwnam(_UNPRIVILEGED_USER).pw_name
    except KeyError:
        return ""


def task_folders(base: Path, task_name: str) -> Iterator[Path]:
    """Yield a task's working folder, home folder and folder for temporary files. They are created if necessary."""
    for name in ("work", "home", "tmp"):
        folder = base / task_name / name
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield folder


def make_base(data: Path, isolation: Isolation) -> Path:
    """Return the folder for the folders of all tasks.

    Another user cannot access our data folder. Its tasks get a temporary folder, which is used until the process ends.
    """
    if isolation is not Isolation.USER:
        return data / "terminal"
    base = Path(tempfile.mkdtemp(prefix="hermes-workbench-"))
    base.chmod(0o711)
    return base


def bubblewrap_line(
    line: Sequence[str],
    *,
    work: Path,
    home: Path,
    temporary: Path,
    hidden: Sequence[Path] = (),
    guards: Sequence[str] = (),
    hides_home: bool = False,
    has_terminal: bool = False,
) -> list[str]:
    """Return the command line that runs `line` in a sandbox.

    Args:
        line: The program and its arguments.
        work: The working folder.
        home: The home folder.
        temporary: Folder that is mounted as `/tmp`.
        hidden: Files and folders in the working folder that the command must not see, such as `.env`.
        guards: Options that protect a shared working folder. Without any, the hooks and settings of a repository in it
            are read-only.
        hides_home: Whether the home folder is empty.
        has_terminal: Whether the command has a terminal, which then stays its controlling terminal.
    """
    masks = (part for path in hidden for part in _mask(path))
    own = () if guards else [str(work / ".git" / name) for name in ("hooks", "config")]
    return [
        "bwrap", "--die-with-parent", "--unshare-all", "--cap-drop", "ALL",
        *([] if has_terminal else ["--new-session"]),
        *(part for path in _SYSTEM for part in ("--ro-bind-try", path, path)),
        "--proc", "/proc", "--dev", "/dev", "--bind", str(temporary), "/tmp",
        "--bind", str(work), str(work), *guards, *masks,
        *(("--tmpfs", str(home)) if hides_home else ("--bind", str(home), str(home))),
        *(part for path in own for part in ("--ro-bind-try", path, path)),
        "--chdir", str(work), "--", *line,
    ]  # fmt: skip


def secrets_in(work: Path, data: Path) -> tuple[Path, ...]:
    """Return the files and folders in a working folder that commands must not see: `.env` files, and our data."""
    files = sorted(
        path
        for path in work.glob(".env*")
        if path.is_file() and not path.name.endswith((".example", ".sample"))
    )
    return (*files, data) if data.is_relative_to(work) and data.is_dir() else tuple(files)


def _mask(path: Path) -> Sequence[str]:
    return ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", "/dev/null", str(path))


def _bubblewrap_works() -> bool:
    if shutil.which("bwrap") is None:
        return False
    with tempfile.TemporaryDirectory(prefix="hermes-workbench-check-") as name:
        work, home, temporary = task_folders(Path(name), "check")
        line = bubblewrap_line(["sh", "-c", "exit 0"], work=work, home=home, temporary=temporary)
        try:
            return (
                subprocess.run(line, capture_output=True, timeout=_CHECK_S, check=False, env={}).returncode
                == 0
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
