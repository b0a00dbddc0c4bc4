"""Checks of programs that run another program. They are allowed if the other program is."""

import re
from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import Check, ProgramCall, RuleCondition, check_need
from workbench.toolbox.approval.reason import ApprovalReason
from workbench.toolbox.approval.secret_files import is_secret, matches_hidden
from workbench.toolbox.approval.shell.words import ShellWord

_XARGS_OPTIONS: Final = re.compile(
    r"-0|-r|-t|-[nPLd]\S*|-I\S*|--(?:null|no-run-if-empty|max-args=\d+|max-procs=\d+)"
)
_READERS: Final = frozenset({
    "grep", "egrep", "fgrep", "rg", "wc", "ls", "stat", "du", "basename", "dirname", "echo", "file", "md5sum", "sha256sum",
})  # fmt: skip
"""Programs that may get file names from other programs, because they do not show whole files."""
_FIND_TESTS: Final = frozenset({
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-type", "-size", "-mtime", "-mmin", "-ctime",
    "-atime", "-newer", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-printf", "-regextype", "-cmin", "-amin",
})  # fmt: skip
_FIND_FILES: Final = frozenset({"-newer"})
_FIND_FLAGS: Final = frozenset({
    "-print", "-print0", "-ls", "-empty", "-not", "!", "-o", "-or", "-a", "-and", "(", ")", "-prune", "-follow", "-xdev",
    "-mount", "-L", "-H", "-P", "-executable", "-readable", "-writable", "-depth", "-quit", "-true", "-false", "-daystart",
})  # fmt: skip


def check_prefix(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `time`, `timeout`, `nice`, `nohup` and `stdbuf` with a few options, if the command after them is allowed."""
    options = {
        "time": r"-p",
        "timeout": r"-k|--preserve-status|--foreground|-s|KILL|TERM|INT|\d+(?:\.\d+)?[smhd]?",
        "nice": r"-n|-?\d{1,2}|-n\d{1,2}",
        "nohup": r"(?!)",
        "stdbuf": r"-[ioe][L0]",
    }[call.name]
    for place, word in enumerate(call.words):
        if not word.is_fixed or not re.fullmatch(options, word.text):
            # `nohup` may write `nohup.out`.
            own = check_need(RuleCondition.CONTAINED, call) if call.name == "nohup" else []
            return [*own, *call.judge(call.words[place:], call.paths)]
    return [call.unknown()]


def check_command(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `command -v NAME`, which shows where a program is."""
    return [] if call.words and call.words[0].text in ("-v", "-V") else [call.unknown()]


def check_env(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `env` without arguments, which lists the variables. With arguments it runs programs.

    Another machine's variables may contain keys, so only a sandbox's are shown unasked.
    """
    return check_need(RuleCondition.CONTAINED, call) if not call.words else [call.unknown()]


def check_xargs(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `xargs` with a program that may get any file name."""
    takes, substitute = False, ""
    for place, word in enumerate(call.words):
        if not word.is_fixed:
            return [call.unknown()]
        if takes:
            takes = False
        elif _XARGS_OPTIONS.fullmatch(word.text):
            takes = word.text in ("-n", "-P", "-L", "-I", "-d")
            if word.text.startswith("-I"):
                substitute = word.text[2:] or (
                    call.words[place + 1].text if place + 1 < len(call.words) else ""
                )
        elif word.text.startswith("-"):
            return [call.unknown(word)]
        else:
            command = call.words[place:]
            # Any text may contain an option, or the name of a secret.
            if not call.gets_file_names and command[0].text not in ("echo", "basename", "dirname"):
                return [call.unknown(command[0])]
            return _with_files(call, command, substitute)
    return [call.unknown()]


def lists_files(words: tuple[ShellWord, ...]) -> bool:
    """Whether all that a command prints are names of existing files, or parts of its input."""
    texts = [word.text for word in words]
    if texts[0] in ("find", "fd", "fdfind", "ls", "cd"):
        # The other actions of `find` print any text.
        return {"-printf", "-exec", "-execdir"}.isdisjoint(texts) and not _names_secret(texts)
    if texts[0] == "git":
        return "ls-files" in texts or "--name-only" in texts
    if texts[0] in ("rg", "grep"):
        # Not `-el` or, with `rg`, `-rl`: there, `l` is the value.
        listing = rf"-[hiHnsw{'rRE' if texts[0] == 'grep' else 'uF'}]*l|--files(?:-with-matches)?"
        return any(re.fullmatch(listing, text) for text in texts)
    is_filter = texts[0] in ("sort", "uniq", "head", "tail")
    return is_filter and all(re.fullmatch(r"-[\w-]*(?:=\d+)?|\d+", text) for text in texts[1:])


def check_find(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `find` with tests, and with `-exec` of a program that may get any file name."""
    if any(not word.is_known or word.may_be_option != word.text.startswith("-") for word in call.words):
        return [call.unknown()]
    texts = [word.text for word in call.words]
    doubts: list[ApprovalReason] = []
    place, is_starting = 0, True
    while place < len(texts):
        text = texts[place]
        if text in _FIND_TESTS:
            is_starting = False
            is_file = text in _FIND_FILES and place + 1 < len(texts)
            if is_file and (
                doubt := call.paths.reading(ShellWord(text=texts[place + 1]), shows_content=False)
            ):
                doubts.append(doubt)
            place += 2
        elif text in ("-exec", "-execdir"):
            end = next((at for at in range(place, len(texts)) if texts[at] in (";", "+")), len(texts))
            doubts.extend(_with_files(call, call.words[place + 1 : end], "{}"))
            if _names_secret(texts[:place]):
                doubts.append(call.unknown())
            place = end + 1
        elif text in _FIND_FLAGS:
            is_starting = is_starting and text in ("-L", "-H", "-P")
            place += 1
        elif is_starting and not text.startswith("-"):
            runs = not {"-exec", "-execdir"}.isdisjoint(texts)
            doubt = call.paths.reading(call.words[place], is_recursive=True, shows_content=False)
            doubts.extend(filter(None, [doubt or (call.paths.outside(call.words[place]) if runs else None)]))
            place += 1
        else:
            return [call.unknown(call.words[place])]
    return doubts


def _names_secret(texts: list[str]) -> bool:
    """Whether a search for files names a secret or hidden files, and not only to leave them out."""
    return any(
        before not in ("!", "-not") and (is_secret(text) or (text.strip("*./") and matches_hidden(text)))
        for before, text in zip(["", "", *texts], texts, strict=False)
    )


def check_fd(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `fd` without the options that run programs."""
    texts = call.texts()
    allowed = r"-[HIsigapluL01]+|-[eEtdjS]\S*|--(?:hidden|no-ignore|type|extension|exclude|max-depth|glob|full-path)(?:=[\w*.-]+)?"
    if texts is None or any(text.startswith("-") and not re.fullmatch(allowed, text) for text in texts):
        return [call.unknown()]
    doubts = (call.paths.reading(word, is_recursive=True, shows_content=False) for word in call.words)
    return [doubt for doubt in doubts if doubt]


def _with_files(call: ProgramCall, words: tuple[ShellWord, ...], substitute: str) -> list[ApprovalReason]:
    """Check a command that gets file names from another program. They may be any names, so few programs are allowed."""
    if not words or not words[0].is_fixed or words[0].text not in _READERS:
        return [call.unknown(words[0] if words else None)]
    if words[0].text in ("rg", "file") and not any(word.text == "--" for word in words):
        # A file name could be one of their options.
        return [call.unknown(words[0])]
    searches = words[0].text in ("grep", "egrep", "fgrep", "rg")
    if substitute and searches and any(substitute in word.text for word in words[1:-1]):
        # It may become the text to search for.
        return [call.unknown(words[0])]
    known = tuple(
        ShellWord(text=word.text.replace(substitute, "input"))
        if substitute and substitute in word.text
        else word
        for word in words
    )
    # The names may be those of any files.
    return call.judge((*known, ShellWord(text="./*", is_fixed=False, has_glob=True)), call.paths)


CHECKS: Final[Mapping[str, Check]] = {
    "time": check_prefix, "timeout": check_prefix, "nice": check_prefix, "nohup": check_prefix, "stdbuf": check_prefix,
    "command": check_command, "env": check_env, "xargs": check_xargs, "find": check_find, "fd": check_fd,
    "fdfind": check_fd,
}  # fmt: skip
