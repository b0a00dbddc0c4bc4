"""What the settings of a repository make git do: which programs they name, and whether they contain keys.

An unpacked folder may have a `.git/config` that somebody else wrote. `git diff` then runs its `diff.external`, and
`git status` its filters. A clone has no such settings.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_HARMLESS_LINE: Final = re.compile(
    r"\s*(?:[#;].*)?"
    r'|\[(?:core|user|init|pull|push|lfs|(?:remote|branch|lfs) "[\w./ :-]*")\]\s*'
    r"|\s*(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol"
    r"|hookspath|fsmonitor|pager|untrackedcache"
    r"|name|email|defaultbranch|url|pushurl|fetch|remote|merge|rebase|ff|default|tagopt|prune|autosetupremote"
    r"|access|locksverify|vscode-merge-base)\s*=.*[^\\]",
    re.I,
)
"""Lines that name no program and no other file. Commands get other hooks, pagers and file system monitors anyway."""
_KEY: Final = re.compile(
    r"://[^/\s\"]*:[^/\s\"@]+@|https?://[^/\s\"@]+@|^\s*(?:extraheader|password|token)\s*=", re.I | re.M
)
"""Passwords and tokens in addresses, and in headers of requests."""


def has_only_harmless_lines(settings: str) -> bool:
    """Whether settings name no program and no other file.

    >>> has_only_harmless_lines('[core]\\n\\tbare = false\\n'), has_only_harmless_lines("[diff]\\nexternal = ./x")
    (True, False)
    """
    return all(map(_HARMLESS_LINE.fullmatch, settings.splitlines()))


def has_key(settings: str) -> bool:
    """Whether settings contain a password or a token.

    >>> [has_key(f"url = {url}") for url in ("https://me:x@host/r", "https://ghp_x@host/r", "ssh://git@host/r")]
    [True, True, False]
    """
    return _KEY.search(settings) is not None


def settings_text(file: Path) -> str:
    """Return the text of a file with settings, or an empty one if there is no such file."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""


def settings_for(folder: Path) -> Iterator[str]:
    """Yield the settings of every repository that git may find from a folder on: it skips those that are damaged.

    Raises:
        OSError: They cannot be read.
    """
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_file():
            # A linked worktree or a submodule: `gitdir: FOLDER`, and its `commondir` has the settings.
            git = place / settings_text(git).partition("gitdir:")[2].strip()
        if git.is_dir():
            yield settings_text(git / settings_text(git / "commondir").strip() / "config")
            yield settings_text(git / "config.worktree")
