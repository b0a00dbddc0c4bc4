"""Describe what a command seems to do, for the person who approves it. Nothing is decided here."""

import re
from collections.abc import Callable
from typing import Final

from workbench.toolbox.approval.hardline import SHELLS, LooseCommand, has_option, is_block_device
from workbench.toolbox.approval.secret_files import is_secret

_SYSTEM_FILE: Final = re.compile(
    r"^(?:/private)?/etc/|^/boot/|^/usr/lib/systemd/|(?:^|/)(?:\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|crontab)$"
)
_DROP: Final = re.compile(
    r"\bdrop\s{1,20}(?:table|database|schema|view|index|user)\b|\btruncate\s{1,20}(?:table\s)?", re.I
)
_DELETE_FROM: Final = re.compile(r"\bdelete\s{1,20}from\s{1,20}[^;]*+", re.I)
_WHERE: Final = re.compile(r"\bwhere\b", re.I)
_METADATA: Final = re.compile(
    r"169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254", re.I
)
_POWERSHELL: Final = re.compile(
    r"\b(?:remove-item|format-volume|clear-disk|remove-partition|invoke-expression|set-executionpolicy)\b"
    r"|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^|\n]{0,500}\|\s{0,9}iex\b|-enc(?:odedcommand)?\s",
    re.I,
)
_OPEN_MODE: Final = re.compile(r"[0-7]?[0-7][0-7][2367]|(?:[ugo]*[ao][ugo]*)?[+=]r?w\w?|[+-]s|u\+s")
_SUDO_INPUT: Final = re.compile(r"-[A-Za-z]{0,9}[SA]|--stdin|--askpass")
_SQL_START: Final = re.compile(r"\s{0,99}(?:drop|delete|truncate)\s", re.I)
_REMOVALS: Final = frozenset(
    {
        "remove",
        "purge",
        "uninstall",
        "autoremove",
        "erase",
        "del",
        "rm",
        "-R",
        "-Rs",
        "-Rns",
        "-r",
        "-e",
        "-P",
    }
)
_AGENT: Final = re.compile(
    r"\b(?:hermes|workbench)\s{1,9}(?:gateway\s{1,9})?(?:stop|update|restart|uninstall)\b"
)
_SQL_PROGRAMS: Final = ("psql", "mysql", "sqlite3", "mariadb", "clickhouse-client", "sqlcmd", "duckdb")
_DOWNLOADS: Final = frozenset({"curl", "wget", "fetch", "aria2c", "lwp-download"})
_DECODERS: Final = frozenset(
    {"base64", "base32", "xxd", "openssl", "tr", "rev", "gunzip", "zcat", "uudecode"}
)
_INTERPRETERS: Final = frozenset(
    {"python", "perl", "ruby", "node", "deno", "php", "lua", "osascript", "pwsh", "powershell"}
)
_MANAGERS: Final = frozenset(
    {
        "apt",
        "apt-get",
        "dnf",
        "yum",
        "pacman",
        "brew",
        "pip",
        "pip3",
        "npm",
        "snap",
        "apk",
        "zypper",
        "dpkg",
        "rpm",
    }
)

Line = tuple[LooseCommand, ...]
"""All simple commands of a text."""


def find_categories(text: str, commands: Line) -> tuple[str, ...]:
    """Return the names of all categories that a command falls into.

    Args:
        text: The whole command, after `normalized_command`.
        commands: All simple commands in it, including those that other programs run.
    """
    by_text = (name for name, is_hit in _OF_TEXT if is_hit(text, commands))
    by_command = (name for name, is_hit in _OF_COMMAND if any(is_hit(command) for command in commands))
    return tuple(dict.fromkeys((*by_command, *by_text)))


def _program(command: LooseCommand) -> str:
    """Return the name of the program without a version: `python` for `python3.11`."""
    return command.program.rstrip("0123456789.")


def _deletes_recursively(command: LooseCommand) -> bool:
    if command.program == "rm":
        return has_option(command, "r", "--recursive") or has_option(command, "R")
    if command.program in ("find", "xargs", "parallel"):
        return "-delete" in command.words or any(word.rsplit("/", 1)[-1] == "rm" for word in command.words)
    return command.program in ("rimraf", "srm", "trash-empty")


def _deletes_on_windows(command: LooseCommand) -> bool:
    words = {word.lower() for word in command.words}
    if command.program in ("rd", "rmdir", "del", "erase"):
        return "/s" in words
    if command.program in ("reg", "vssadmin", "bcdedit"):
        return bool({"delete", "/deletevalue"} & words)
    return command.program in ("diskpart", "icacls", "takeown") or (
        command.program == "taskkill" and "/f" in words
    )


def _opens_to_all(command: LooseCommand) -> bool:
    words = command.words[1:]
    if command.program == "chmod":
        return any(_OPEN_MODE.fullmatch(word) for word in words)
    return command.program in ("chown", "chgrp") and any(
        word.split(":")[0] in ("root", "0") for word in words
    )


def _touches_a_disk(command: LooseCommand) -> bool:
    is_tool = command.program.split(".")[0] in (
        "mkfs",
        "dd",
        "fdisk",
        "parted",
        "wipefs",
        "diskutil",
        "mkswap",
    )
    return is_tool or any(
        is_block_device(redirect.target) for redirect in command.redirects if redirect.sign.startswith(">")
    )


def _is_configuration(word: str) -> bool:
    return _SYSTEM_FILE.search(word) is not None or (
        not word.startswith("/dev/") and is_secret(word, by_shape=False)
    )


def _writes_configuration(command: LooseCommand) -> bool:
    words = command.words[1:]
    if any(
        redirect.sign.startswith(">") and _is_configuration(redirect.target) for redirect in command.redirects
    ):
        return True
    if command.program in ("visudo", "crontab"):
        return command.program == "visudo" or "-r" in words or "-" in words
    if command.program in ("cp", "mv", "install", "ln", "rsync", "scp") and words:
        return _is_configuration(words[-1])
    is_in_place = command.program in ("sed", "perl") and has_option(command, "i", "--in-place")
    is_writing = is_in_place or command.program in ("tee", "truncate")
    return is_writing and any(map(_is_configuration, words))


def _stops_a_service(command: LooseCommand) -> bool:
    words = set(command.words[1:])
    stops = {"stop", "disable", "mask", "kill", "restart", "bootout", "unload"}
    return command.program in ("systemctl", "service", "launchctl", "rc-service", "sc") and bool(
        stops & words
    )


def _kills(command: LooseCommand) -> bool:
    return command.program in ("kill", "pkill", "killall", "xkill", "stop-process")


def _runs_its_input(command: LooseCommand) -> bool:
    return command.program in SHELLS or _program(command) in _INTERPRETERS


def _downloads_and_runs(text: str, commands: Line) -> bool:
    is_download = any(command.program in _DOWNLOADS for command in commands)
    runners = (
        command
        for command in commands
        if _runs_its_input(command) or command.program in ("eval", "source", ".")
    )
    return is_download and any(
        runner.is_piped_into or runner.program == "eval" or "<(" in text or "$(" in text for runner in runners
    )


def _decodes_and_runs(text: str, commands: Line) -> bool:
    is_decoding = any(command.program in _DECODERS for command in commands)
    return is_decoding and any(
        (_runs_its_input(command) and (command.is_piped_into or "$(" in text)) or command.program == "eval"
        for command in commands
    )


def _runs_inline(command: LooseCommand) -> bool:
    is_heredoc = any(redirect.sign.startswith("<<") for redirect in command.redirects)
    if command.program in SHELLS:
        return is_heredoc or command.is_piped_into or has_option(command, "c")
    if _program(command) in _INTERPRETERS:
        is_flag = has_option(command, "c", "--eval", "-Command", "-EncodedCommand") or has_option(
            command, "e", "-r", "-p"
        )
        return is_heredoc or command.is_piped_into or is_flag
    return command.program == "eval"


def _manages_containers(command: LooseCommand) -> bool:
    if command.program not in ("docker", "podman", "kubectl", "docker-compose", "nerdctl"):
        return False
    risky = {"rm", "rmi", "prune", "kill", "stop", "down", "delete", "drain", "-H", "--host", "--privileged"}
    return bool(risky & set(command.words[1:])) or any(
        word.startswith(("--host=", "tcp://")) for word in command.words
    )


def _rewrites_git(command: LooseCommand) -> bool:
    words = command.words[1:]
    if command.program != "git":
        return False
    is_forced = any(word.startswith("--force") for word in words) or has_option(command, "f")
    return (
        ("reset" in words and "--hard" in words)
        or (
            ("push" in words or "clean" in words)
            and (is_forced or any(word.startswith("+") for word in words))
        )
        or ("branch" in words and (has_option(command, "D") or ("--delete" in words and is_forced)))
        or bool({"filter-branch", "filter-repo"} & set(words))
        or ("stash" in words and bool({"drop", "clear"} & set(words)))
    )


def _runs_a_fresh_file(text: str, commands: Line) -> bool:
    executables = {
        word.removeprefix("./")
        for command in commands
        if command.program == "chmod"
        and any("x" in word or word[:1].isdigit() for word in command.words[1:2])
        for word in command.words[2:]
    }
    return any(command.words and command.words[0].removeprefix("./") in executables for command in commands)


def _feeds_sudo(command: LooseCommand) -> bool:
    return command.program == "sudo" and any(_SUDO_INPUT.match(word) for word in command.words[1:4])


def _removes_packages(command: LooseCommand) -> bool:
    return _program(command) in _MANAGERS and bool(_REMOVALS & set(command.words[1:4]))


def _hides_its_program(command: LooseCommand) -> bool:
    first = command.words[0] if command.words and command.is_first else ""
    return first.startswith("$") or (
        any(sign in first for sign in "*?[") and first not in ("[", "[[", "?", "*")
    )


def _destroys_rows(text: str, commands: Line) -> bool:
    if not (_SQL_START.match(text) or any(command.program in _SQL_PROGRAMS for command in commands)):
        return False
    deletes = _DELETE_FROM.findall(text)
    return bool(_DROP.search(text)) or any(not _WHERE.search(statement) for statement in deletes)


def _in_text(pattern: re.Pattern[str]) -> Callable[[str, Line], bool]:
    return lambda text, commands: pattern.search(text) is not None


_OF_COMMAND: Final[tuple[tuple[str, Callable[[LooseCommand], bool]], ...]] = (
    ("recursive delete", _deletes_recursively),
    ("Windows delete, registry or rights", _deletes_on_windows),
    ("rights for everyone or root's ownership", _opens_to_all),
    ("file system or block device", _touches_a_disk),
    ("system configuration or credentials overwritten", _writes_configuration),
    ("service stopped", _stops_a_service),
    ("process killed", _kills),
    ("inline script", _runs_inline),
    ("containers removed or run remotely", _manages_containers),
    ("git history or work thrown away", _rewrites_git),
    ("password fed to sudo", _feeds_sudo),
    ("package removed", _removes_packages),
    ("hidden program", _hides_its_program),
)
_OF_TEXT: Final[tuple[tuple[str, Callable[[str, Line], bool]], ...]] = (
    ("PowerShell that deletes or downloads and runs", _in_text(_POWERSHELL)),
    ("destructive SQL", _destroys_rows),
    ("downloaded code run", _downloads_and_runs),
    ("cloud metadata", _in_text(_METADATA)),
    ("decoded code run", _decodes_and_runs),
    ("the agent's own process", _in_text(_AGENT)),
    ("fresh file made executable and run", _runs_a_fresh_file),
)
NAMES: Final = tuple(name for name, _ in (*_OF_COMMAND, *_OF_TEXT))
