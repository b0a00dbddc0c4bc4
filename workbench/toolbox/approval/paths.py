"""Check which files a command may read or write without approval."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from glob import iglob
from itertools import islice
from posixpath import isabs, join, normpath, realpath
from typing import Final

from workbench.toolbox.approval.reason import OUTSIDE, PATTERN, SENSITIVE, ApprovalReason, CommandEnvironment
from workbench.toolbox.approval.secret_files import is_secret, may_match_secret
from workbench.toolbox.approval.shell.words import ShellWord
from workbench.toolbox.approval.startup_files import STARTUP_NAMES

HARMLESS_DEVICES: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
"""Devices that a redirection may name."""
_STARTUP: Final = re.compile(
    rf"(?:^|/)(?:{'|'.join(map(re.escape, STARTUP_NAMES))})(?:/|$)|"
    r"(?:^|/)\.git(?:/|$)|(?:^|/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|cshrc"
    r"|tcshrc|kshrc|inputrc|vimrc|exrc|gitconfig|gitattributes|gitmodules|hgrc|gdbinit|lldbinit|curlrc|wgetrc|screenrc"
    r"|tmux\.conf|envrc|pdbrc|pythonrc\.py|config|local|vscode|idea|husky|claude|cursor)(?:/|$)"
    r"|(?:^|/)(?:HEAD|config|crontab|sitecustomize\.py|usercustomize\.py)$|\.pth$",
    re.I,
)
"""Files that programs read when they start. Writing one of them means running code later."""
_HIDDEN_GLOB: Final = re.compile(r"(?:^|/)(?:\.[^/]*[*?\[]|\[[^\]]*\.[^\]]*\])")
_WIDE: Final = re.compile(
    r"^(?:/|~|/etc|/home|/root|/var|/run|/Users|/proc|/sys|/mnt|/media|/srv|/opt|/boot)(?:/[^/]*)?$"
)
_MOST_MATCHES: Final = 500
"""Most files of a pattern whose links are followed. A pattern that may match a secret is asked about anyway."""
_LONGEST_PATH: Final = 4096
_TEMPORARY: Final = re.compile(r"^/tmp/[\w.-][^*?\[]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Checks the files of one command."""

    place: CommandEnvironment
    folders: tuple[str, ...]
    """Folders where the command may run, each absolute or relative to the working folder."""

    def reading(
        self, word: ShellWord, *, is_recursive: bool = False, shows_content: bool = True
    ) -> ApprovalReason | None:
        """Return why reading a file needs approval, or None if it does not.

        Args:
            word: Name of the file, as the program gets it. Parts after `=` and `:` are checked, too, as in `if=FILE`.
            is_recursive: True if the program also reads everything below a folder.
            shows_content: False if the program shows at most names, sizes and the like.
        """
        if not word.is_known:
            return ApprovalReason(SENSITIVE, "a file name that is only known when the command runs")
        for path in self._absolute(word.text):
            is_outside = _is_outside(path)
            # `src/auth` is a folder of source code much more often than a secret.
            by_shape = shows_content and (is_outside or not is_recursive or "." in path.rsplit("/", 1)[-1])
            if self._is_secret(path, by_shape=by_shape) or (word.has_glob and _HIDDEN_GLOB.search(path)):
                return ApprovalReason(SENSITIVE, word.text)
            if word.has_glob and shows_content and may_match_secret(path):
                return ApprovalReason(PATTERN, word.text)
            if path.startswith(("/usr/", "/tmp/")) or not is_outside:
                continue
            is_wide = bool(_WIDE.match(path)) or path.startswith((".", "~"))
            if word.has_glob or (is_recursive and is_wide):
                return ApprovalReason(SENSITIVE, word.text)
        return None

    def writing(self, word: ShellWord, *, is_redirection: bool = False) -> ApprovalReason | None:
        """Return why writing, changing or removing a file needs approval, or None if it does not.

        Args:
            word: Name of the file. A pattern counts as every file.
            is_redirection: True if the file is only opened, so that `/dev/null` stays what it is.
        """
        if not word.is_known:
            return ApprovalReason(OUTSIDE, "a file name that is only known when the command runs")
        if is_redirection and word.text in HARMLESS_DEVICES:
            return None
        for path in self._absolute(word.text):
            if self.place.is_contained and _TEMPORARY.match(path) and ".." not in path:
                continue
            if _is_outside(path):
                return ApprovalReason(OUTSIDE, word.text)
            # A folder may well be called `auth`, a file `auth.json` may not.
            by_shape = "." in path.rsplit("/", 1)[-1]
            if self._is_secret(path, by_shape=by_shape) or _STARTUP.search(path):
                return ApprovalReason(SENSITIVE, word.text)
        return ApprovalReason(PATTERN, word.text) if word.has_glob else None

    def outside(self, word: ShellWord) -> ApprovalReason | None:
        """Return why a tool of the project needs approval for a path, whose use is not known, or None."""
        doubt = self.reading(word, is_recursive=True)
        return doubt or next(
            (ApprovalReason(OUTSIDE, word.text) for path in self._absolute(word.text) if _is_outside(path)),
            None,
        )

    def is_inside(self, word: ShellWord) -> bool:
        """Whether a path is inside the working folder in every case."""
        return word.is_known and all(not _is_outside(path) for path in self._absolute(word.text))

    def _absolute(self, text: str) -> Iterator[str]:
        """Yield each path that a name can mean: relative to the working folder if it is inside, otherwise absolute."""
        for part in dict.fromkeys((text, *_parts(text))):
            for folder in self.folders:
                path = _normal(part if part.startswith("~") else join(folder, part))
                path = re.sub(r"^/{2,}", "/", path)
                root = self.place.root
                if root and (path == root or path.startswith(root + "/")):
                    path = path[len(root) + 1 :] or "."
                yield path
                if not _is_outside(path):
                    yield from self._link_targets(join(folder, part))

    def _link_targets(self, path: str) -> Iterator[str]:
        """Yield where links in the working folder lead, if that is outside. A sandbox hides what is there."""
        root = self.place.root
        if not root or self.place.is_contained or len(path) > _LONGEST_PATH:
            return
        name, inside = join(root, path), realpath(root)
        # Unlike Path.glob, and like `sh`, this takes `**` for `*`, so it does not walk through all folders.
        matches = islice(iglob(name), _MOST_MATCHES)  # noqa: PTH207
        for match in matches if re.search(r"[*?[]", path) else (name,):
            target = realpath(match)
            if target != inside and not target.startswith(inside + "/"):
                yield target

    def _is_secret(self, path: str, *, by_shape: bool) -> bool:
        if path.startswith("..") and self.place.root:
            path = normpath(join(self.place.root, path))
        return is_secret(path, by_shape=by_shape) or any(
            path == folder or path.startswith(folder + "/") for folder in self.place.private
        )


def _normal(path: str) -> str:
    """Return a path without `..` where possible. `~/..` stays, because it is unknown where it is."""
    normal = normpath(path)
    return path if path.startswith("~") and not normal.startswith("~") else normal


def _is_outside(path: str) -> bool:
    return isabs(path) or path == ".." or path.startswith(("~", "../"))


def _parts(text: str) -> Iterator[str]:
    """Yield what may be a path inside of an argument: after `=` and `:`, and after the letter of an option."""
    if "://" in text:
        return
    yield from (part for part in re.split(r"[=:]", text)[1:] if part)
    if match := re.match(r"-{1,2}[A-Za-z]+(?=[/~.])", text):
        yield text[match.end() :]


def moved(folders: tuple[str, ...], target: str) -> tuple[str, ...]:
    """Return the folders where commands may run after `cd`. The previous folders stay, because `cd` may fail."""
    new = (target if target.startswith("~") else normpath(join(folder, target)) for folder in folders)
    return tuple(dict.fromkeys((*folders, *new)))
