"""What nobody may run, whoever asks and whatever was allowed before."""

import re
from collections.abc import Callable
from posixpath import normpath
from typing import Final

from workbench.toolbox.approval.loose import LooseCommand

_FORK_BOMB: Final = re.compile(
    r"(?:^|[\s;&|'\"])([A-Za-z_:.][\w:.]{0,30})\s{0,8}\(\)\s{0,8}\{\s{0,8}\1\s{0,8}\|\s{0,8}\1"
)
_BLOCK_DEVICE: Final = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper/)[\w/.-]*")
_SYSTEM: Final = (
    "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc", "root", "sbin", "srv", "sys",
    "usr", "var", "Users", "System", "Library", "Applications", "Windows",
)  # fmt: skip
_ROOTS: Final = frozenset({"/", "~", "$HOME", "${HOME}", "C:", "c:", *(f"/{name}" for name in _SYSTEM)})
_HOMES: Final = ("~", "$HOME", "${HOME}")
_SLASHES: Final = re.compile(r"/{2,}+")
_DELETES: Final = frozenset({"rm", "unlink", "rmdir", "shred", "srm", "del", "rd", "erase", "remove-item"})


def hardline_reason(text: str, commands: tuple[LooseCommand, ...]) -> str:
    """Why a command may never run; empty where the list does not name it.

    Args:
        text: The whole command, undisguised.
        commands: All simple commands in it, the wrapped ones too.
    """
    if _FORK_BOMB.search(text):
        return "fork bomb"
    return next((name for command in commands for name, is_hit in _RULES if is_hit(command)), "")


def is_block_device(word: str) -> bool:
    """Whether `word` names a disk or a part of one."""
    return _BLOCK_DEVICE.match(word) is not None


def has_option(command: LooseCommand, letter: str, *names: str) -> bool:
    """Whether an option is set, in a bundle such as `-rf` or by name, wherever it stands."""
    for word in command.words[1:]:
        if word in names or (word.startswith("-") and not word.startswith("--") and letter in word):
            return True
    return False


def _deletes_a_root(command: LooseCommand) -> bool:
    is_find = command.program == "find" and ("-delete" in command.words or "rm" in command.words)
    is_deleting = is_find or (
        command.program in _DELETES
        and (
            has_option(command, "r", "--recursive", "/s", "/S", "-recurse", "-Recurse")
            or has_option(command, "R")
        )
    )
    return is_deleting and any(_is_root(word) for word in command.words[1:])


def _is_root(word: str) -> bool:
    """`/`, `/etc`, `~`, and their spellings such as `/*`, `//`, `/./`, `/usr/..`, `~/`, `~/..`."""
    path = normpath(_SLASHES.sub("/", word.replace("\\", "/")))
    parent, _, last = path.rpartition("/")
    if last in ("*", ".*", "?*") and "/" in path:
        path = parent or "/"
    is_above_home = word.startswith(_HOMES) and path.split("/")[0] in (".", "..")
    return path in _ROOTS or is_above_home


def _makes_a_filesystem(command: LooseCommand) -> bool:
    is_apple = command.program == "diskutil" and any("erase" in word.lower() for word in command.words)
    return (
        is_apple
        or command.program.split(".")[0] == "mkfs"
        or command.program in ("mke2fs", "mkswap", "newfs")
    )


def _wipes_a_device(command: LooseCommand) -> bool:
    is_wiping = command.program in ("wipefs", "shred", "blkdiscard", "sgdisk", "badblocks")
    is_named = any(is_block_device(word) for word in command.words[1:])
    return (is_wiping and is_named) or (command.program == "hdparm" and "--security-erase" in command.words)


def _writes_a_device(command: LooseCommand) -> bool:
    is_dd = command.program == "dd" and any(
        word.startswith("of=") and is_block_device(word[3:]) for word in command.words
    )
    is_copied = command.program in ("tee", "cp", "cat") and is_block_device(command.words[-1])
    targets = any(one.sign.startswith(">") and is_block_device(one.target) for one in command.redirects)
    return is_dd or targets or (is_copied and command.program != "cat")


def _kills_all(command: LooseCommand) -> bool:
    if command.program != "kill" or len(command.words) < 2:
        return False
    operands = command.words[1:]
    return operands[-1] == "-1" and (len(operands) > 1 or operands == ("-1",))


def _ends_the_machine(command: LooseCommand) -> bool:
    program, words = command.program, command.words[1:]
    if program in ("shutdown", "reboot", "halt", "poweroff", "stop-computer", "restart-computer"):
        return True
    if program in ("init", "telinit"):
        return program == "telinit" or bool({"0", "6"} & set(words))
    ends = {"poweroff", "reboot", "halt", "kexec", "emergency", "rescue"}
    return program in ("systemctl", "loginctl") and bool(ends & set(words))


_RULES: Final[tuple[tuple[str, Callable[[LooseCommand], bool]], ...]] = (
    ("delete of the root, a system folder or the home folder", _deletes_a_root),
    ("a new file system", _makes_a_filesystem),
    ("wipe of a raw device", _wipes_a_device),
    ("write to a block device", _writes_a_device),
    ("kill of every process", _kills_all),
    ("shutdown or reboot", _ends_the_machine),
)
"""In the order in which they are tried."""
