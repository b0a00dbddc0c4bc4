"""What sandboxed commands must not change in a shared folder, because programs outside of the sandbox run it later.

Git is the reason for most of this. It runs programs that `.git/config` and `.git/hooks` name, and a command that may
write anything in `.git` can make git read other ones: by `.git/commondir`, or by making `.git` invalid. So `.git` is
read-only for commands, except for those that only run git itself, which writes nothing dangerous on its own.
"""

import os
import re
import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.approval.repository import has_only_harmless_lines, settings_text
from workbench.toolbox.approval.shell.reading import read_script
from workbench.toolbox.approval.shell.words import Command, resolve
from workbench.toolbox.approval.startup_files import STARTUP_NAMES

_SUBCOMMANDS: Final = frozenset({
    "add", "mv", "rm", "restore", "reset", "commit", "checkout", "switch", "merge", "rebase", "cherry-pick", "revert",
    "stash", "tag", "branch", "status", "log", "diff", "show", "rev-parse", "ls-files",
})  # fmt: skip
_FILTERS: Final = frozenset({"head", "tail", "cat", "wc", "grep", "true", "echo", "printf", "pwd"})
"""Programs that cannot write a file, so they may show the output of git."""
_LOSSY: Final = frozenset({"git history or work thrown away"})
"""A person was asked, and the command still runs only git."""
_HOOKS_PATH: Final = re.compile(r"^\s*hookspath\s*=\s*\"?([^\"\n#;]+)", re.I | re.M)
_RUN_OUTSIDE: Final = re.compile(r"^\s*(?:hookspath|fsmonitor|pager)\s*=", re.I | re.M)
"""Settings that are harmless for commands only, which get other ones anyway."""
_FIND_S: Final = 3.0
_SET_ASIDE: Final = ".git-set-aside"
_ONLY_GIT_VARIABLES: Final = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_EDITOR": "true",
}  # fmt: skip


def runs_only_git(command: str, place: CommandEnvironment) -> bool:
    """Whether a command runs nothing but git, in the repository at the top of a shared folder.

    >>> shared = CommandEnvironment(shares_folder=True)
    >>> runs_only_git("git add -A && git commit -m x", shared), runs_only_git("make && git commit -m x", shared)
    (True, False)
    """
    if not place.shares_folder or place.folder not in ("", "."):
        return False
    script = read_script(command)
    return (
        not script.problem
        and bool(script.commands)
        and all(map(_is_git, script.commands))
        and set(detect(command, place).categories) <= _LOSSY
    )


def _is_git(command: Command) -> bool:
    words = [resolve(raw, {}) for raw in command.words[:2]]
    names = [found[0].text for found in words if len(found) == 1 and found[0].is_fixed]
    # `2>&1` is read as a redirection to this device, too.
    targets = {word.text for _, target in command.redirections for word in resolve(target, {})}
    if command.assignments or not targets <= {"/dev/null"} or not names:
        return False
    return names[0] in _FILTERS or (names[0] == "git" and len(names) == 2 and names[1] in _SUBCOMMANDS)


def may_write_git(work: Path) -> bool:
    """Whether git runs no other programs in the repository of a folder: no filters, submodules or nested repositories.

    The sandbox itself switches off hooks, pagers and the file system monitor.
    """
    git = work / ".git"
    return (
        git.is_dir()
        and not (git / "commondir").exists()
        and has_only_harmless_lines(settings_text(git / "config"))
        and _repositories(work) == frozenset({git})
    )


def build_guards(work: Path, *, writes_git: bool) -> Sequence[str]:
    """Return Bubblewrap's options that protect a shared folder from a command.

    Args:
        work: The shared folder.
        writes_git: Whether the command runs only git and may write `.git`. Programs are then found in the system only,
            and settings of the sandbox's home do not count.

    Raises:
        PermissionError: `.git` is a link, which a command could replace.
    """
    git = work / ".git"
    if git.is_symlink():
        raise PermissionError(f"{git} is a link, which cannot be protected: replace it by the folder or file")
    options: list[str] = []
    if writes_git:
        options += ["--bind", str(git), str(git)]
        for name in ("config", "hooks", "info", "modules", "worktrees"):
            options += ["--ro-bind-try", str(git / name), str(git / name)]
        for name, value in _ONLY_GIT_VARIABLES.items():
            options += ["--setenv", name, value]
    else:
        options += _read_only(git, work) or _closed(git, work)
    if not git.is_file() and not (git / "HEAD").exists():
        # Without a repository in `.git`, git takes the folder itself for one if it has `HEAD`, `objects` and `refs`.
        head = work / "HEAD"
        options += _read_only(head, work) or ["--ro-bind", "/dev/null", str(head)]
    for name in STARTUP_NAMES:
        options += _read_only(work / name, work)
    for match in _HOOKS_PATH.finditer(settings_text(git / "config")):
        hooks = Path(os.path.normpath(work / match[1].strip()))
        if hooks != work and hooks.is_relative_to(work) and not hooks.is_relative_to(git):
            options += _read_only(hooks, work) or _closed(hooks, work)
    for nested in sorted(_repositories(work) - {git, work}):
        options += _read_only(nested, work)
    return options


def _read_only(path: Path, work: Path) -> list[str]:
    """Return the options that make a file or folder read-only. Empty if there is none, or if a link leads to it."""
    if not path.exists() or path.resolve() != work.resolve() / path.relative_to(work):
        return []
    return [*_anchors(path, work), "--ro-bind", str(path), str(path)]


def _closed(path: Path, work: Path) -> list[str]:
    """Return the options for a folder that does not exist and must not be created.

    The first folder of the path that is missing is closed. It stays behind, empty.
    """
    if path.exists():
        return []
    first = next(place for place in reversed([path, *path.parents]) if not place.exists())
    anchors = _anchors(first, work)
    return [*anchors, "--tmpfs", str(first), "--remount-ro", str(first)]


def _anchors(path: Path, work: Path) -> list[str]:
    """Return the options that keep the parents of a path where they are: a mounted folder cannot be renamed."""
    parents = [parent for parent in path.parents if parent != work and parent.is_relative_to(work)]
    return [part for parent in reversed(parents) for part in ("--bind", str(parent), str(parent))]


def _repositories(work: Path) -> frozenset[Path]:
    """Return each `.git` below a folder, or the folder itself if it is too large to look through."""
    line = ["find", str(work), "-name", ".git", "-prune", "-print0"]
    try:
        found = subprocess.run(line, capture_output=True, timeout=_FIND_S, check=False).stdout
    except subprocess.TimeoutExpired:
        return frozenset({work})
    return frozenset(Path(os.fsdecode(name)) for name in found.split(b"\0") if name)


class NewRepositories:
    """Finds repositories that commands create in subfolders of a shared folder, and sets dangerous ones aside.

    Git outside of the sandbox runs what such a repository names, even from the folder above it: `git add -A` adds the
    subfolder, and from then on `git status` looks into it. A repository as `git init` makes it stays. Later commands
    cannot change it.
    """

    def __init__(self, work: Path) -> None:
        self._work = work
        self._known: frozenset[Path] = frozenset()
        self._running = 0
        self._lock = Lock()

    def begin(self) -> None:
        """Note the repositories that are there before a command starts, unless another one is running."""
        with self._lock:
            if not self._running:
                self._known = _repositories(self._work)
            self._running += 1

    def end(self) -> str:
        """Rename the dangerous new repositories. Return a sentence for each of them."""
        with self._lock:
            self._running -= 1
            new = sorted(_repositories(self._work) - self._known)
            return "".join(_set_aside(git, self._work) for git in new if not _is_plain(git))


def _is_plain(git: Path) -> bool:
    """Whether a repository is as `git init` makes it: it names no program, and no other folder."""
    settings, hooks = git / "config", git / "hooks"
    try:
        return (
            git.is_dir()
            and not any(path.is_symlink() for path in (git, settings, hooks))
            and not any((git / name).exists() for name in ("commondir", "config.worktree"))
            and has_only_harmless_lines(settings_text(settings))
            and not _RUN_OUTSIDE.search(settings_text(settings))
            and (not hooks.exists() or all(hook.suffix == ".sample" for hook in hooks.iterdir()))
        )
    except OSError:
        return False


def _set_aside(git: Path, work: Path) -> str:
    """Rename a repository. Another command may be running, so no link that it puts in the way is followed."""
    shown, name = git.relative_to(work), f"{_SET_ASIDE}-{secrets.token_hex(3)}"
    folder = os.open(work, os.O_DIRECTORY)
    try:
        for part in shown.parent.parts:
            inner = os.open(part, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.fchmod(folder, os.fstat(folder).st_mode | 0o300)
        os.rename(git.name, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        return f"[{shown} is a new repository that names programs. Do not use git there: {error}]\n"
    finally:
        os.close(folder)
    return f"[{shown} was renamed to {name}: git outside of the sandbox would run what it names]\n"
