"""Check which files a command may read or write without approval."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import isabs, join, normpath
from typing import Final

from workbench.toolbox.approval.reason import OUTSIDE, SENSITIVE, ApprovalReason, CommandEnvironment
from workbench.toolbox.approval.shell.words import ShellWord

_DEVICES: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"})
_SENSITIVE: Final = re.compile(
    r"(?:^|/)\.(?:ssh|gnupg|aws|azure|kube|docker|hermes|password-store|mozilla|thunderbird|vault-token|netrc|pgpass"
    r"|npmrc|pypirc|git-credentials|my\.cnf|htpasswd|s3cfg|boto|envrc|vault_pass|\w{0,20}_?history)(?:/|$)"
    r"|(?:^|/)\.config/(?:gcloud|gh|hub|op|rclone|doctl|google-chrome|chromium|BraveSoftware)(?:/|$)"
    r"|(?:^|/)\.local/share/(?:keyrings|hermes-workbench)(?:/|$)|(?:^|/)\.cargo/credentials|(?:^|/)\.cache/huggingface(?:/|$)"
    r"|(?:^|/)Library/(?:Keychains|Application Support/(?:Google|hermes-workbench))"
    r"|(?:^|/)\.env(?:$|[.*?\[](?!(?:example|sample|template|dist)$))"
    r"|(?:^|/)(?:id_(?:rsa|dsa|ecdsa|ed25519)\w{0,9}|authorized_keys|credentials(?:\.\w{1,5})?|secrets?(?:\.\w{1,5})?|kubeconfig)$"
    r"|(?:^|/)(?:hermes-)?workbench\.sqlite3|\.(?:pem|key|p12|pfx|kdbx|keystore|jks|ppk|asc|gpg)$"
    r"|(?:^|/)etc/(?:g?shadow|sudoers|master\.passwd|krb5\.keytab|ssl/private|ssh/ssh_host|security/opasswd|wireguard)"
    r"|(?:^|/)(?:run|var)/(?:[\w.-]{1,40}/)?(?:secrets|docker\.sock|containerd)|(?:^|/)var/(?:spool/cron|lib/(?:mysql|postgresql|docker|private|sss))"
    r"|(?:^|/)var/log/(?:auth|secure|audit)"
    r"|(?:^|/)proc/(?!(?:cpuinfo|meminfo|version|loadavg|uptime|mounts|filesystems|stat|swaps|partitions|cmdline)$)"
    r"|^/dev/(?!(?:null|zero|random|urandom|stdin|stdout|stderr|tty|fd/[0129])$)|^/root(?:/|$)",
    re.I,
)
"""Files that often contain secrets. Any part of a path may match, so that `../../etc/shadow` is found, too."""
_STARTUP: Final = re.compile(
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
_TEMPORARY: Final = re.compile(r"^/tmp/[\w.-][^*?\[]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Checks the files of one command."""

    place: CommandEnvironment
    folders: tuple[str, ...]
    """Folders where the command may run, each absolute or relative to the working folder."""

    def reading(self, word: ShellWord, *, is_recursive: bool = False) -> ApprovalReason | None:
        """Return why reading a file needs approval, or None if it does not.

        Args:
            word: Name of the file, as the program gets it.
            is_recursive: True if the program also reads everything below a folder.
        """
        if not word.is_known:
            return ApprovalReason(SENSITIVE, "a file name that is only known when the command runs")
        for path in self._absolute(word.text):
            is_outside = isabs(path) or path.startswith(("~", ".."))
            if _is_sensitive(path, self.place) or (word.has_glob and _HIDDEN_GLOB.search(path)):
                return ApprovalReason(SENSITIVE, word.text)
            if path.startswith(("/usr/", "/tmp/")) or not is_outside:
                continue
            is_wide = bool(_WIDE.match(path)) or path.startswith((".", "~"))
            if word.has_glob or (is_recursive and is_wide):
                return ApprovalReason(SENSITIVE, word.text)
        return None

    def writing(self, word: ShellWord) -> ApprovalReason | None:
        """Return why writing a file needs approval, or None if it does not."""
        if not word.is_known:
            return ApprovalReason(OUTSIDE, "a file name that is only known when the command runs")
        if word.text in _DEVICES:
            return None
        for path in self._absolute(word.text):
            if self.place.is_contained and _TEMPORARY.match(path) and ".." not in path:
                continue
            if isabs(path) or path.startswith(("~", "..")):
                return ApprovalReason(OUTSIDE, word.text)
            if _is_sensitive(path, self.place) or _STARTUP.search(path):
                return ApprovalReason(SENSITIVE, word.text)
            if word.has_glob and _HIDDEN_GLOB.search(path):
                return ApprovalReason(SENSITIVE, word.text)
        return None

    def is_inside(self, word: ShellWord) -> bool:
        """Whether a path is inside the working folder in every case."""
        return word.is_known and all(
            not isabs(path) and not path.startswith(("~", "..")) for path in self._absolute(word.text)
        )

    def _absolute(self, text: str) -> Iterator[str]:
        """Yield each path that a name can mean: relative to the working folder if it is inside, otherwise absolute."""
        for folder in self.folders:
            path = text if text.startswith("~") else normpath(join(folder, text))
            path = re.sub(r"^/{2,}", "/", path)
            root = self.place.root
            if root and (path == root or path.startswith(root + "/")):
                path = path[len(root) + 1 :] or "."
            yield path


def moved(folders: tuple[str, ...], target: str) -> tuple[str, ...]:
    """Return the folders where commands may run after `cd`. The previous folders stay, because `cd` may fail."""
    new = (target if target.startswith("~") else normpath(join(folder, target)) for folder in folders)
    return tuple(dict.fromkeys((*folders, *new)))


def _is_sensitive(path: str, place: CommandEnvironment) -> bool:
    if _SENSITIVE.search(path):
        return True
    return any(path == folder or path.startswith(folder + "/") for folder in place.private)
