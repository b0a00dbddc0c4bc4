"""Classify shell commands: may they run without approval? Also store the allowlist of the answer "Always allow"."""

# How a command is classified
#
# A command runs without approval only if every part of it is known to be harmless. A list of dangerous commands would
# not work, because there are endless ways to write one: `rm -r x` is also `find x -delete`, `ls | xargs rm -r`,
# `r""m -r x` and `$(echo rm) -r x`. So the tables in `programs/` list what is allowed: programs, their options, and
# what their arguments may be. Everything else needs approval, including everything that nobody thought of.
#
# 1. `shell/reading.py` parses the text into commands. Text that does not parse, or that shells read differently, is a
#    reason to ask.
# 2. `shell/words.py` works out which texts a word can become. In `for f in a b; do rm $f; done`, `$f` is `a` or `b`,
#    and both are checked. A part that is only known when the command runs, such as `$(cat names)`, is `UNKNOWN`, which
#    no rule accepts as an option or a file name.
# 3. The rule of the program checks its options and arguments. A program that runs another one (`timeout 5 rm x`) hands
#    that command back to `_judge`.
# 4. `paths.py` checks each file that is read or written, in each folder where the command may run. After `cd build`
#    there are two of these, because `cd` may fail: in `cd build; rm ../x`, the file `../x` may be outside.
# 5. Without a sandbox, only the pure readers run: programs whose rule needs nothing (`RuleCondition.NOTHING`).
# 6. A script that writes a file and runs code of the project needs approval, although each half alone does not:
#    `echo 'import os; …' > test_x.py; pytest`.
#
# The invariant: every check can only add reasons to ask, and every byte of the text belongs to a checked command.
# Nothing after these steps makes a command harmless again. `hardline.py` and `categories.py` search the text loosely.
# They refuse some commands and explain others, and never allow any.

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, cast

import yaml

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.toolbox.approval.categories import find_categories
from workbench.toolbox.approval.hardline import hardline_reason, loose_commands, normalized_command
from workbench.toolbox.approval.paths import HARMLESS_DEVICES, Paths, moved
from workbench.toolbox.approval.programs import (
    awk,
    builtins,
    editing,
    expressions,
    git,
    machine,
    project,
    reading_files,
    wrappers,
    writing_files,
)
from workbench.toolbox.approval.programs.rule import Check, ProgramCall, RuleCondition, check_need
from workbench.toolbox.approval.reason import (
    FRESH_CODE,
    PROJECT_CODE,
    SYNTAX,
    UNKNOWN_PROGRAM,
    VARIABLE,
    ApprovalReason,
    CommandEnvironment,
)
from workbench.toolbox.approval.shell.reading import read_script
from workbench.toolbox.approval.shell.words import (
    MAX_COMMAND_CHARS,
    Command,
    ShellScript,
    ShellWord,
    VariableAssignment,
    is_plain_name,
    resolve,
)

_MOST_FOLDERS: Final = 32
CHECKS: Final[Mapping[str, Check]] = {
    **{name: rule.check for name, rule in (*reading_files.RULES.items(), *writing_files.RULES.items())},
    **writing_files.CHECKS,
    **editing.CHECKS,
    **awk.CHECKS,
    **expressions.CHECKS,
    **machine.CHECKS,
    **project.CHECKS,
    **builtins.CHECKS,
    **wrappers.CHECKS,
    "git": git.check_git,
}
_ANSWERING: Final = CHECKS.keys() - project.FORMS.keys() - machine.FORMS.keys() - builtins.CHECKS.keys()
"""Programs that say their version without looking at the project."""
_OWN_PROGRAM: Final = re.compile(r"\./(?!.*\.\./)[\w.+-]+(?:/[\w.+-]+)*")
_SYSTEM_PROGRAM: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/([\w.+-]+)")
_VARIABLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_NUMERIC", "LANGUAGE"), r"[\w.@-]*"),
    **dict.fromkeys(
        ("NO_COLOR", "FORCE_COLOR", "CI", "DEBUG", "VERBOSE", "COLUMNS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
         "PYTHONHASHSEED", "RUST_BACKTRACE", "NODE_ENV", "RAILS_ENV", "APP_ENV", "ENV_NAME", "PORT", "OMP_NUM_THREADS",
         "CUDA_VISIBLE_DEVICES", "GOOS", "GOARCH", "CGO_ENABLED", "RUST_LOG", "LOG_LEVEL"),
        r"[\w.,=-]*",
    ),
    "TZ": r"\w[\w/+-]*", "PYTHONPATH": r"(?:\.|src|lib)?", "PYTHONWARNINGS": r"[a-z]*",
}  # fmt: skip
"""Variables that may be set for a command, with a pattern of their values. None of them names a program or a file."""
_PLAIN_VALUE: Final = (
    r"\d{0,9}|true|false|yes|no|on|off|dev|development|test|testing|production|staging|debug|info|warn|warning"
    r"|error"
)
"""Values that other variables may have: numbers and common words, but no paths or commands."""
_CODE_RUNNERS: Final = frozenset(project.FORMS)
_WRITERS: Final = frozenset({
    "cp", "mv", "ln", "tee", "chmod", "tar", "unzip", "gunzip", "curl", "wget", "patch", "install", "truncate", "dd",
    "rsync",
})  # fmt: skip
_HARMLESS_OUTPUT: Final = re.compile(r"/dev/\w+|(?:.*/)?[\w-]*\.(?:txt|log|out|csv|tsv|md)")


def reasons_to_ask(script: ShellScript, place: CommandEnvironment) -> list[ApprovalReason]:
    """Return every reason to ask about a script. Empty if it may run without approval."""
    if script.problem:
        return [ApprovalReason(SYNTAX, script.problem)]
    return list(dict.fromkeys(_Checker(script, place).doubts()))


class _Checker:
    """Checks the commands of one script, from first to last."""

    def __init__(self, script: ShellScript, place: CommandEnvironment) -> None:
        self._script = script
        self._place = place
        self._folders: tuple[str, ...] = (place.folder or ".",)
        self._writes = False
        self._runs_code = False
        self._lists_files = True

    def doubts(self) -> Iterator[ApprovalReason]:
        """Yield every reason to ask."""
        for command in self._script.commands:
            yield from self._of_command(command)
        if self._writes and self._runs_code:
            yield ApprovalReason(FRESH_CODE)

    def _of_command(self, command: Command) -> Iterator[ApprovalReason]:
        paths = Paths(place=self._place, folders=self._folders)
        words = tuple(word for raw in command.words for word in resolve(raw, self._script.bindings))
        yield from self._redirections(command, paths)
        for assignment in command.assignments:
            yield from self._assignment(assignment, is_for_read=bool(words) and words[0].text == "read")
        self._lists_files = self._lists_files and all(sign[0] != "<" for sign, _ in command.redirections)
        if words:
            self._note(words)
            yield from self._judge(words, paths)
            self._lists_files = self._lists_files and wrappers.lists_files(words)
            yield from self._move(words)

    def _redirections(self, command: Command, paths: Paths) -> Iterator[ApprovalReason]:
        runs_code = self._is_project_code(command)
        for operator, target in command.redirections:
            if operator == "<<":
                continue
            targets = resolve(target, self._script.bindings)
            if operator != "<" and not runs_code:
                self._writes = self._writes or not all(
                    _HARMLESS_OUTPUT.fullmatch(word.text) for word in targets
                )
            reasons = (
                paths.reading(word) if operator == "<" else paths.writing(word, is_redirection=True)
                for word in targets
            )
            yield from (reason for reason in reasons if reason)
            if operator != "<" and any(word.text not in HARMLESS_DEVICES for word in targets):
                call = ProgramCall(name=operator, words=targets, paths=paths, judge=self._judge)
                yield from check_need(RuleCondition.CONTAINED, call)
            if operator != "<" and not all(word.is_fixed for word in targets):
                yield ApprovalReason(SYNTAX, "a redirection to a file that is not spelled out")

    def _is_project_code(self, command: Command) -> bool:
        """Whether a command runs the project's code. Redirecting its output does not count as writing code."""
        words = resolve(command.words[0], {}) if command.words else ()
        return bool(words) and (words[0].text in _CODE_RUNNERS or words[0].text.startswith("./"))

    def _assignment(self, assignment: VariableAssignment, *, is_for_read: bool) -> Iterator[ApprovalReason]:
        values = (
            resolve(assignment.value, self._script.bindings) if assignment.value else (ShellWord(text=""),)
        )
        pattern = _VARIABLES.get(assignment.name) or (
            _PLAIN_VALUE if is_plain_name(assignment.name) else None
        )
        if is_for_read and assignment.name == "IFS":
            pattern = r"[,:;|\t]?"
        if assignment.name == "PYTHONPATH" and not self._place.is_contained:
            yield ApprovalReason(PROJECT_CODE, assignment.name, f"{assignment.name}: {PROJECT_CODE}")
        if pattern is None or not all(word.is_fixed and re.fullmatch(pattern, word.text) for word in values):
            yield ApprovalReason(VARIABLE, assignment.name[:40])

    def _judge(self, words: tuple[ShellWord, ...], paths: Paths) -> list[ApprovalReason]:
        if not words or not words[0].is_fixed:
            return [ApprovalReason(UNKNOWN_PROGRAM, "a name that is only known when the command runs")]
        name = words[0].text
        if match := _SYSTEM_PROGRAM.fullmatch(name):
            name = match.group(1)
        call = ProgramCall(
            name=name, words=words[1:], paths=paths, judge=self._judge, gets_file_names=self._lists_files
        )
        if _OWN_PROGRAM.fullmatch(name) and all(
            paths.is_inside(ShellWord(text=folder)) for folder in self._folders
        ):
            self._runs_code = True
            return project.check_own_program(call)
        if name in _ANSWERING and [word.text for word in words[1:]] in (["--version"], ["--help"]):
            return []
        if check := CHECKS.get(name):
            return check(call)
        return [ApprovalReason(UNKNOWN_PROGRAM, name[:60])]

    def _move(self, words: tuple[ShellWord, ...]) -> Iterator[ApprovalReason]:
        if words[0].text != "cd" or not words[-1].is_fixed:
            return
        target = words[1].text if len(words) > 1 else "~"
        self._folders = moved(self._folders, "~" if target == "-" else target)
        if len(self._folders) > _MOST_FOLDERS:
            yield ApprovalReason(SYNTAX, "too many changes of the folder")

    def _note(self, words: tuple[ShellWord, ...]) -> None:
        """Note whether the script writes files and whether it runs files, because it must not run what it wrote."""
        names = {word.text.rsplit("/", 1)[-1] for word in words[:6]}
        letter = {"sed": "i", "sort": "o"}.get(words[0].text, "\0")
        if words[0].text in _WRITERS or any(word.text[:1] == "-" and letter in word.text for word in words):
            self._writes = self._writes or not (
                words[0].text in ("tee", "cp", "mv") and _HARMLESS_OUTPUT.fullmatch(words[-1].text)
            )
        if words[0].text == "git" and names & {"clone", "pull", "checkout", "switch", "stash", "merge"}:
            self._writes = True
        self._runs_code = self._runs_code or (
            bool(names & _CODE_RUNNERS) and words[0].text not in reading_files.RULES
        )


EXACT_PREFIX: Final = "exactly: "
"""Beginning of a key that allows one command, exactly as it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """Classification of a command."""

    hardline: str = ""
    """Why the command is always refused. Empty if it can be approved."""
    categories: tuple[str, ...] = ()
    """Why a person should decide. Empty if the command may run without approval."""
    keys: tuple[str, ...] = ()
    """Keys that "Allow for this session" and "Always allow" store; the command may run if all of them are allowed.

    A key is either short, such as `rm: recursive delete`, or the whole command after `EXACT_PREFIX`.
    """

    @property
    def is_familiar(self) -> bool:
        """Whether the command is of a kind that short keys describe."""
        return bool(self.keys) and not any(key.startswith(EXACT_PREFIX) for key in self.keys)


def detect(command: str, place: CommandEnvironment = CommandEnvironment()) -> Danger:
    """Classify a shell command. It may run without approval only if every part of it is known to be harmless.

    Args:
        command: Text for `sh`.
        place: Where it runs. The default is an environment where it can do no harm outside its folder.

    >>> detect("ls -l | wc -l").categories
    ()
    >>> detect("rm -r build").categories
    ('recursive delete',)
    >>> detect("nice make-me-a-sandwich").categories
    ('unknown program (make-me-a-sandwich)',)
    >>> detect("sudo rm -rf /").hardline
    'delete of the root, a system folder or the home folder'
    """
    if len(command) > MAX_COMMAND_CHARS:
        return Danger(
            hardline=f"a command of more than {MAX_COMMAND_CHARS} characters: write long texts to files"
        )
    doubts = reasons_to_ask(read_script(command), place)
    if not doubts:
        return Danger()
    if all(doubt.key for doubt in doubts):
        return Danger(
            categories=tuple(dict.fromkeys(doubt.reason for doubt in doubts)),
            keys=tuple(dict.fromkeys(doubt.key for doubt in doubts)),
        )
    return _explained(command, doubts, place)


def _explained(command: str, doubts: list[ApprovalReason], place: CommandEnvironment) -> Danger:
    text = normalized_command(command)
    commands = tuple(loose_commands(text))
    details = (f"{doubt.reason} ({doubt.detail})" if doubt.detail else doubt.reason for doubt in doubts)
    named = find_categories(text, commands)
    return Danger(
        hardline=hardline_reason(text, commands),
        categories=tuple(dict.fromkeys((*named, *details))),
        keys=(EXACT_PREFIX + (f"in {place.folder}: " if place.folder else "") + command,),
    )


KEY: Final = "command_allowlist"
"""Key of the list in the settings file. *Source:* hermes-agent runtime, where "allow permanently" writes to it."""


class Allowlist:
    """Keys of always allowed commands (see `Danger.keys`), read from the settings file each time.

    Args:
        path: The settings file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()

    def keys(self) -> frozenset[str]:
        """Return all keys.

        Raises:
            BadInput: The file is not YAML, or the list is not a list of texts.
        """
        text = self._text()
        return frozenset(_listed(text, self._path))

    def add(self, key: str) -> None:
        """Add a key. The rest of the file stays as it is, including comments.

        Raises:
            BadInput: The file cannot be read or written.
        """
        with self._lock:
            text = self._text()
            listed = _listed(text, self._path)
            if key in listed:
                return
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                fresh = self._path.with_suffix(".new")
                fresh.write_text(_with_item(text, key, [*listed, key]), encoding="utf-8")
                fresh.replace(self._path)
            except OSError as error:
                raise BadInput(str(self._path), str(error.strerror or error)) from error

    def _text(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(str(self._path), " ".join(str(error).split())) from error


def _listed(text: str, path: Path) -> list[str]:
    items = _loaded(text, path).get(KEY)
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise BadInput(f"{path}, {KEY}", "not a list of texts", "write one per line, each after a `-`")
    return cast(list[str], items)


def _loaded(text: str, path: Path) -> Mapping[str, JsonValue]:
    try:
        value = cast(JsonValue, yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise BadInput(str(path), " ".join(str(error).split())[:300]) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInput(str(path), "not a settings file", f"write `{KEY}:` and a list below it")
    return cast(Mapping[str, JsonValue], value)


def _with_item(text: str, key: str, items: list[str]) -> str:
    """Insert an item into the text of the file, so that comments stay.

    Args:
        items: The complete list, with the new key.
    """
    item = yaml.safe_dump([key], allow_unicode=True, width=100_000).strip()
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.split("#")[0].rstrip() == f"{KEY}:"]
    if not heads and KEY not in _loaded(text, Path()):
        return "\n".join([*lines, f"{KEY}:", f"  {item}", ""])
    if heads:
        following = lines[heads[0] + 1] if heads[0] + 1 < len(lines) else ""
        is_item = following.lstrip().startswith("- ")
        indent = following[: len(following) - len(following.lstrip())] if is_item else "  "
        edited = "\n".join([*lines[: heads[0] + 1], indent + item, *lines[heads[0] + 1 :], ""])
        if set(_listed(edited, Path())) == set(items):
            return edited
    # The list is written in another style, for example on one line. Write the whole file again, without comments.
    return yaml.safe_dump(
        {**_loaded(text, Path()), KEY: items}, sort_keys=False, allow_unicode=True, width=100_000
    )
