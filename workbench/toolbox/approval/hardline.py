"""Recognize commands that are always refused, whatever was approved before.

The text is searched loosely: any word may be the start of a command. This finds `sudo rm -rf /` inside of quotes and
after unknown programs, at the price of false matches. A false match is acceptable, because only commands that need
approval anyway are checked here.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from posixpath import normpath
from typing import Final, NamedTuple

SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh"})
"""Programs that run a text as shell commands."""
_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTINUATION: Final = re.compile(r"\\\r?\n")
_IFS: Final = re.compile(r"\$(?:\{IFS[^}\n]{0,40}\}|IFS(?![A-Za-z0-9_]))(?:\$(?:[1-9@*]|\{[1-9@*]\}))?+")
_ANSI_C: Final = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_SEPARATOR: Final = re.compile(r"(&&|\|\||\|&|[;|&\n()`])")
_TOKEN: Final = re.compile(r"[<>]{1,3}|[^\s<>,\[\]{}]+")
_REDIRECT: Final = re.compile(r"[<>]{1,3}")
_PROGRAM: Final = re.compile(
    r"(?:[^\s]{0,200}/)?(?:rm|unlink|rmdir|shred|srm|del|rd|erase|find|fd|xargs|mkfs|mkfs\.\w+|mke2fs|mkswap|newfs|diskutil|wipefs"
    r"|blkdiscard|sgdisk|badblocks|hdparm|dd|tee|cp|mv|ln|install|sed|kill|pkill|killall|shutdown|reboot|halt|poweroff|init"
    r"|telinit|systemctl|loginctl|service|launchctl|chmod|chown|chgrp|fdisk|parted|git|docker|podman|kubectl|sudo|eval|source"
    r"|apt|apt-get|dnf|yum|pacman|brew|pip3?|npm|snap|apk|dpkg|rpm|curl|wget|(?:ba|z|da|k|a|fi|c|tc)?sh|python[\d.]*|perl|ruby|node"
    r"|php|lua|pwsh|powershell|osascript|base64|xxd|visudo|crontab|rimraf|remove-item|stop-computer|restart-computer)(?:\.exe)?",
    re.I,
)
_MOST_STARTS: Final = 100
_MOST_WORDS: Final = 100
_LONGEST_NAME: Final = 200
_ATTACHED: Final = re.compile(r"^(?:.*[=!]|-[A-Za-z])", re.DOTALL)


class LooseRedirect(NamedTuple):
    """A possible redirection, such as `> /dev/sda`."""

    sign: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCommand:
    """A possible command: a program with its arguments."""

    words: tuple[str, ...]
    """Without quotes; the program first."""
    redirects: tuple[LooseRedirect, ...] = ()
    is_piped_into: bool = False
    """True if it reads the output of another command."""
    is_first: bool = True
    """False if it may be an argument of a command before it, such as `rm` in `sudo rm`."""

    @property
    def program(self) -> str:
        """Name of the program in lower case and without its folder: `rm` for `/bin/RM`."""
        if not self.words:
            return ""
        return self.words[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")


def normalized_command(command: str) -> str:
    r"""Remove disguises from a command.

    These are terminal codes, look-alike letters, invisible characters, continued lines, `$IFS` and `$'…'` quoting.

    >>> normalized_command("r\\\nm$IFS-rf")
    'rm -rf'
    """
    text = unicodedata.normalize("NFKC", _ANSI.sub("", command))
    text = "".join(
        character for character in text if character != "\0" and unicodedata.category(character) != "Cf"
    )
    text = _IFS.sub(" ", _CONTINUATION.sub("", text)).replace("\r", "\n")
    return _ANSI_C.sub(lambda match: "'" + _unescaped(match.group(1)).replace("'", "") + "'", text)


def loose_commands(text: str) -> Iterator[LooseCommand]:
    """Yield everything in a text that may be a command: at its start, after each separator and after each word.

    Args:
        text: A command after `normalized_command`.
    """
    plain = re.sub(r"\$\{(\w+)\}", r"$\1", re.sub(r"['\"\\]", "", text))
    sign, redirected = "", re.sub(r"[0-9&]?(>>?|<{1,3})&?", r" \1 ", plain)
    for place, part in enumerate(_SEPARATOR.split(redirected)):
        if place % 2:
            sign = part
            continue
        tokens = _TOKEN.findall(part)
        words = tuple(token for token in tokens if not _REDIRECT.fullmatch(token))
        redirects = tuple(
            LooseRedirect(left, right)
            for left, right in pairwise(tokens)
            if _REDIRECT.fullmatch(left) and not _REDIRECT.fullmatch(right)
        )
        for words_from in _commands_of(words, has_redirects=bool(redirects)):
            yield LooseCommand(
                words=words_from,
                redirects=redirects,
                is_piped_into=sign in ("|", "|&"),
                is_first=words_from[:1] == words[:1],
            )


def _commands_of(words: tuple[str, ...], *, has_redirects: bool) -> Iterator[tuple[str, ...]]:
    """Yield possible commands: all words, and the words from each name of a program with a rule on.

    The name may follow an option or an assignment, as in `-Srm` and `PAGER=rm`.
    """
    if words or has_redirects:
        yield words[:_MOST_WORDS]
    starts = [(index, name) for index, word in enumerate(words) if (name := _program_in(word, index))]
    # To limit the time, the middle part of very many starts is skipped.
    for index, name in (*starts[:_MOST_STARTS], *starts[_MOST_STARTS:][-_MOST_STARTS:]):
        yield name, *words[index + 1 : index + _MOST_WORDS]


def _program_in(word: str, index: int) -> str:
    """Return the name of a program with a rule that the word is or ends with, or an empty text."""
    if len(word) > _LONGEST_NAME:
        return ""
    if index and _PROGRAM.fullmatch(word):
        return word
    bare = _ATTACHED.sub("", word)
    return bare if bare != word and _PROGRAM.fullmatch(bare) else ""


def _unescaped(text: str) -> str:
    """Decode the escapes of `$'…'`.

    *Source:* https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html
    """

    def letter(match: re.Match[str]) -> str:
        hexadecimal, unicode, octal, other = match.groups()
        if hexadecimal or unicode:
            return chr(int(hexadecimal or unicode, 16))
        return chr(int(octal, 8) % 0x110000) if octal else _LETTERS.get(other, other)

    return _ESCAPE.sub(letter, text)


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
    """Return why a command is always refused, or an empty text if it is not.

    Args:
        text: The whole command, after `normalized_command`.
        commands: All simple commands in it, including those that other programs run.
    """
    if _FORK_BOMB.search(text):
        return "fork bomb"
    return next((name for command in commands for name, is_hit in _RULES if is_hit(command)), "")


def is_block_device(word: str) -> bool:
    """Whether a word is the path of a disk or a partition."""
    return _BLOCK_DEVICE.match(word) is not None


def has_option(command: LooseCommand, letter: str, *names: str) -> bool:
    """Whether an option is set anywhere in a command, by its letter (also in a bundle such as `-rf`) or a long name."""
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
    """Whether a word means the root, a system folder or the home folder, such as `/*`, `//`, `/./` or `~/..`."""
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
    is_redirected = any(
        redirect.sign.startswith(">") and is_block_device(redirect.target) for redirect in command.redirects
    )
    return is_dd or is_redirected or (is_copied and command.program != "cat")


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
"""The first rule that matches gives the reason."""
