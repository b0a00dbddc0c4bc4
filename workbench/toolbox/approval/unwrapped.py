"""Commands inside commands: behind `sudo` and `env`, after `-c`, in `eval`, under `xargs` and `find -exec`."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from workbench.toolbox.approval.shell_words import SimpleCommand, simple_commands

SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh"})
"""Programs that run a text as shell commands."""
_DEEPEST: Final = 6
_WRAPPERS: Final = frozenset(
    {
        "sudo", "doas", "env", "nohup", "time", "nice", "ionice", "setsid", "stdbuf", "timeout", "command",
        "exec", "builtin", "chroot", "xargs", "parallel", "watch", "strace", "if", "then", "else", "elif",
        "while", "until", "do", "!", "unshare", "flock", "busybox", "toybox",
    }
)  # fmt: skip
"""Programs and words that run what stands behind them."""


TOO_DEEP: Final = SimpleCommand(words=("(nested too deep)",))
"""Stands for commands inside commands inside commands that were not read to the end."""
_MOST_WRAPPERS: Final = 200


def unwrapped(command: SimpleCommand, depth: int = _DEEPEST) -> Iterator[SimpleCommand]:
    """`command`, and every command that it would run in turn; `TOO_DEEP` where there is no end to it."""
    for candidate in _behind_wrappers(command):
        yield candidate
        for inner in _texts_run_by(candidate):
            if depth == 0:
                yield TOO_DEEP
                return
            for nested in simple_commands(inner):
                yield from unwrapped(nested, depth - 1)


def _behind_wrappers(command: SimpleCommand) -> Iterator[SimpleCommand]:
    """`command`, and what may be wrapped in it: an option of a wrapper may or may not take the word behind it."""
    yield command
    waiting, seen = [0], {0}
    while waiting:
        start = waiting.pop()
        for inner in _starts(command.words, start):
            if inner in seen:
                continue
            if len(seen) > _MOST_WRAPPERS:
                yield TOO_DEEP
                return
            seen.add(inner)
            waiting.append(inner)
            yield replace(command, words=command.words[inner:])


def _starts(words: tuple[str, ...], start: int) -> Iterator[int]:
    """Where a command begins that the one at `start` runs."""
    if start >= len(words):
        return
    program = SimpleCommand(words=(words[start],)).program
    if "=" in words[start] and not words[start].startswith("="):
        yield from range(start + 1, min(start + 2, len(words)))
    elif program in _WRAPPERS:
        operands = (
            place
            for place in range(start + 1, len(words))
            if not words[place].startswith("-") and "=" not in words[place]
        )
        yield from islice(operands, 3)
    elif program in ("find", "fd"):
        runs = ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X")
        yield from (place + 1 for place in range(start, len(words) - 1) if words[place] in runs)


def _texts_run_by(command: SimpleCommand) -> Iterator[str]:
    """Texts that the command gives to a shell."""
    words, program = command.words, command.program
    if program == "eval":
        yield " ".join(words[1:])
    elif program in SHELLS or program in ("su", "runuser"):
        for place, word in enumerate(words[:-1]):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                yield words[place + 1]
    yield from (one.target for one in command.redirects if one.sign == "<<<" and program in SHELLS)
