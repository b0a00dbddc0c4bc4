"""Run programs with limits on time and output, isolated by Bubblewrap or another user."""

import os
import pty
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from threading import Lock, Thread
from typing import Final, NamedTuple

MAX_OUTPUT_BYTES: Final = 60_000
"""Longest output. Of a longer one, the middle is dropped."""
_GRACE_S: Final = 2.0
"""Time between SIGTERM and SIGKILL."""
_DRAIN_S: Final = 0.5
"""Time to wait for more output after a program has ended. A child process may still hold the pipe."""


class ProcessOutcome(NamedTuple):
    """Output and state of a program."""

    output: str
    """Text from standard output and standard error."""
    exit_code: int | None
    """Negative signal number if a signal ended it; None while it runs."""
    is_timeout: bool


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

    def wait(self, timeout_s: float) -> ProcessOutcome:
        """Wait for the program to end, and kill it after `timeout_s` seconds."""
        is_timeout = False
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            is_timeout = True
            self.kill()
        self._reader.join(_DRAIN_S)
        self._signal(signal.SIGKILL)
        return self.look()._replace(is_timeout=is_timeout)

    def look(self) -> ProcessOutcome:
        """Return the output so far, and the exit code if the program has ended."""
        with self._lock:
            gap = f"\n… {self._dropped_bytes} bytes left out …\n".encode() if self._dropped_bytes else b""
            data = bytes(self._head) + gap + bytes(self._tail)
        return ProcessOutcome(data.decode("utf-8", "replace"), self._process.poll(), False)

    def kill(self) -> None:
        """End the program and its process group, first with SIGTERM, then with SIGKILL."""
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
    has_terminal: bool = False,
) -> list[str]:
    """Return the command line that runs `line` in a sandbox.

    Args:
        line: The program and its arguments.
        work: The working folder.
        home: The home folder.
        temporary: Folder that is mounted as `/tmp`.
        hidden: Files and folders in the working folder that the command must not see, such as `.env`.
        has_terminal: Whether the command has a terminal, which then stays its controlling terminal.
    """
    masks = (part for path in hidden for part in _mask(path))
    repository = [str(work / ".git" / name) for name in ("hooks", "config")]
    return [
        "bwrap", "--die-with-parent", "--unshare-all", "--cap-drop", "ALL",
        *([] if has_terminal else ["--new-session"]),
        *(part for path in _SYSTEM for part in ("--ro-bind-try", path, path)),
        "--proc", "/proc", "--dev", "/dev", "--bind", str(temporary), "/tmp",
        "--bind", str(work), str(work), *masks, "--bind", str(home), str(home),
        # Git outside the sandbox runs programs that these files name, so commands must not change them.
        *(part for path in repository for part in ("--ro-bind-try", path, path)),
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
