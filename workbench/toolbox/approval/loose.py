"""A rough reading of a command, for explanations: it finds commands in any nesting, and some that are not there.

It never decides that a command is harmless. It is only asked about commands that are not allowed anyway, to say
what they seem to do, and to refuse what nobody can allow.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
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
    """Where a command's output or input seems to go."""

    sign: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCommand:
    """What may be one program with its arguments."""

    words: tuple[str, ...]
    """Without quotes; the program first."""
    redirects: tuple[LooseRedirect, ...] = ()
    is_piped_into: bool = False
    """True if another command's output comes in."""
    is_first: bool = True
    """False if there are words before it that it may belong to."""

    @property
    def program(self) -> str:
        """The program's bare name in lower case: of `/bin/RM`, `rm`."""
        if not self.words:
            return ""
        return self.words[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")


def undisguised(command: str) -> str:
    """`command` without terminal codes, look-alike letters, invisible characters, continued lines and `$IFS`.

    >>> undisguised("r\\\\\\nm$IFS-rf")
    'rm -rf'
    """
    text = unicodedata.normalize("NFKC", _ANSI.sub("", command))
    text = "".join(sign for sign in text if sign != "\0" and unicodedata.category(sign) != "Cf")
    text = _IFS.sub(" ", _CONTINUATION.sub("", text)).replace("\r", "\n")
    return _ANSI_C.sub(lambda match: "'" + _unescaped(match.group(1)).replace("'", "") + "'", text)


def loose_commands(text: str) -> Iterator[LooseCommand]:
    """All that may be commands in a text: at its start, after every separator, and after every word.

    Args:
        text: Undisguised.
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
    """What may be commands: from the first word on, and from each that is the name of a program with a rule.

    The name may follow an option or an assignment, as in `-Srm` and `PAGER=rm`.
    """
    if words or has_redirects:
        yield words[:_MOST_WORDS]
    found = [(place, name) for place, word in enumerate(words) if (name := _program_in(word, place))]
    # Of very many, those in the middle are left out: a bound on the time.
    for place, name in (*found[:_MOST_STARTS], *found[_MOST_STARTS:][-_MOST_STARTS:]):
        yield name, *words[place + 1 : place + _MOST_WORDS]


def _program_in(word: str, place: int) -> str:
    """The name of a program with a rule that the word is or ends with; empty if there is none."""
    if len(word) > _LONGEST_NAME:
        return ""
    if place and _PROGRAM.fullmatch(word):
        return word
    bare = _ATTACHED.sub("", word)
    return bare if bare != word and _PROGRAM.fullmatch(bare) else ""


def _unescaped(text: str) -> str:
    """The text of `$'…'`. *Source:* Bash manual, 3.1.2.4, ANSI-C quoting."""

    def letter(match: re.Match[str]) -> str:
        hexadecimal, unicode, octal, other = match.groups()
        if hexadecimal or unicode:
            return chr(int(hexadecimal or unicode, 16))
        return chr(int(octal, 8) % 0x110000) if octal else _LETTERS.get(other, other)

    return _ESCAPE.sub(letter, text)
