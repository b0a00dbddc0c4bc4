"""Rules for programs, and checks of their options and operands."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from typing import Final, NamedTuple

from workbench.toolbox.approval.paths import Paths
from workbench.toolbox.approval.reason import (
    NETWORK,
    PATTERN,
    PROJECT_CODE,
    UNKNOWN_ARGUMENT,
    UNSANDBOXED,
    ApprovalReason,
)
from workbench.toolbox.approval.secret_files import matches_hidden
from workbench.toolbox.approval.shell.words import ShellWord

_FAMILIES: Final = (
    "output", "outfile", "out-", "plugin", "pager", "page", "exec", "extract-with", "use-compress-program", "rsh",
    "to-command", "checkpoint-action", "compress-program", "eval", "require", "import", "load", "init", "rcfile",
    "preload", "command", "cmd", "config", "pdb", "shell", "browser", "editor", "filter", "hook", "python-path",
    "pythonpath", "python-executable", "interpreter", "toolexec", "wrapper", "linker", "runner", "javaagent", "agent",
    "inspect", "debugger", "log-file", "save", "dump", "directory", "target-dir", "rootdir", "confcutdir", "rules",
    "resolve-plugins", "script", "run-", "rsync-path", "upload-pack", "receive-pack", "open", "env-file",
    "workspace-", "custom-", "reporter", "formatter", "parser", "preset", "setup", "global", "transform", "cwd",
    "prefix", "project-dir", "source-root",
)  # fmt: skip
"""Beginnings of long options that name a program, code or a file to write. Getopt accepts their beginnings, too."""
_COMMON: Final = frozenset({"check", "format", "ext", "target", "project", "env", "run", "rule", "workspace"})
"""Options in full that are also the beginning of such an option."""
_FAMILY_PARTS: Final = re.compile(
    r"-(?:exec\w*|plugins?|command|cmd|program|hooks?|pack|action|output|file)$"
)


def is_risky_option(text: str) -> bool:
    """Whether an option looks like one that runs or writes something, whatever its program is.

    >>> [is_risky_option(text) for text in ("--plug=./x.so", "-o/etc/hosts", "--junit-output", "--verbose")]
    [True, True, True, False]
    """
    match = re.match(r"(--?)([A-Za-z][\w-]*)", text)
    if match is None:
        return False
    dashes, name = match.groups()
    if dashes == "-" and name.startswith("o"):
        return True
    name = name.lower()
    is_beginning = (
        len(name) >= 3 and name not in _COMMON and any(family.startswith(name) for family in _FAMILIES)
    )
    return is_beginning or name.startswith(_FAMILIES) or _FAMILY_PARTS.search(name) is not None


class Operands(Enum):
    """How a program uses the arguments that are not options."""

    TEXT = auto()
    """As text; they may be anything."""
    READ = auto()
    """As files that it reads."""
    WRITE = auto()
    """As files that it writes, changes or removes."""
    NONE = auto()
    """It accepts none."""


class RuleCondition(Enum):
    """Condition under which a program may run without approval."""

    NOTHING = auto()
    """It is on the short list of pure readers, which run everywhere."""
    CONTAINED = auto()
    """In a sandbox or a container, because it changes files or is not on the short list."""
    SANDBOX = auto()
    """In a sandbox or a container, because it runs code of the project, which anybody may have written."""
    NO_NETWORK = auto()
    """Where there is no network, because it talks to other machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCall:
    """A program with its arguments."""

    name: str
    words: tuple[ShellWord, ...]
    paths: Paths
    judge: Callable[[tuple[ShellWord, ...], Paths], list[ApprovalReason]]
    """Checks another command that this one runs."""
    gets_file_names: bool = False
    """True if what it reads from a pipe are names of files, not any text."""

    def unknown(self, word: ShellWord | None = None) -> ApprovalReason:
        """Return the reason to ask about an argument that no rule allows."""
        shown = "" if word is None or not word.is_known else f" {word.text[:40]}"
        return ApprovalReason(UNKNOWN_ARGUMENT, f"{self.name}{shown}")

    def texts(self) -> tuple[str, ...] | None:
        """Return all arguments, or None if one of them is only known when the command runs."""
        return tuple(word.text for word in self.words) if all(word.is_fixed for word in self.words) else None


Check = Callable[[ProgramCall], list[ApprovalReason]]
"""Returns every reason to ask about a call. The list is empty if it may run without approval."""


@cache
def _option_kinds(spec: str) -> Mapping[str, str]:
    """Return how each option takes its value: empty for none, `=` for the rest or the next word, `[=]` for the rest only.

    >>> dict(_option_kinds("-ab -n: --all --lines= --color[=]"))
    {'-a': '', '-b': '', '-n': '=', '--all': '', '--lines': '=', '--color': '[=]'}
    """
    kinds: dict[str, str] = {}
    for token in spec.split():
        if token.startswith("--"):
            name = token.rstrip("[]=")
            kinds[name] = token[len(name) :]
        elif token.endswith(":"):
            kinds |= {f"-{letter}": "=" for letter in token[1:-1]}
        else:
            kinds |= {f"-{letter}": "" for letter in token[1:]}
    return kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRule:
    """Rule for a program: its harmless options, and how it uses its operands. Any other option needs approval."""

    options: str = ""
    """Harmless options: `-ab` are letters without a value, `-n:` one with a value, `-#` a number as in `head -20`, `--all`
    takes no value, `--lines=` one, `--color[=]` one after `=`. Long options count only in full, because an abbreviation
    may mean another option tomorrow. Values are checked as files that are read."""
    outputs: frozenset[str] = frozenset()
    """Options whose value is a file that is written."""
    operands: Operands = Operands.READ
    most: int | None = None
    """Most operands; None for any number."""
    text_first: bool = False
    """True if the first operand is a text, such as the pattern of `grep`."""
    text_options: frozenset[str] = frozenset()
    """Options that replace this text, so that the first operand is a file, such as `-e` of `grep`."""
    recursive: frozenset[str] = frozenset()
    """Options with which the program reads folders."""
    is_recursive: bool = False
    """True if the program always reads folders."""
    shows_content: bool = True
    """False if the program shows at most names, sizes and the like of the files that it reads."""
    searches: bool = False
    """True if the program shows only lines that match the text. It may search many files for a specific text."""
    accepts_any_name: bool = False
    """True if a file that is named like one of the program's options does no harm, as in `wc *`."""
    need: RuleCondition = RuleCondition.CONTAINED

    def check(self, call: ProgramCall) -> list[ApprovalReason]:
        """Return every reason to ask about a call."""
        return [*self._arguments(call), *check_need(self.need, call)]

    def _arguments(self, call: ProgramCall) -> Iterator[ApprovalReason]:
        operands: list[ShellWord] = []
        texts: list[ShellWord] = []
        used: set[str] = set()
        words = iter(call.words)
        for word in words:
            if word.text == "--":
                operands.extend(words)
            elif not word.may_be_option or word.text == "-":
                operands.append(word)
            elif word.text[:1] != "-":
                operands.append(word)
                if not (self.accepts_any_name and word.is_known):
                    yield call.unknown(word)
            elif (read := self._option(word, words)) is None:
                yield call.unknown(word)
            else:
                names, value = read
                used |= names
                if value is not None and names & self.text_options:
                    texts.append(value)
                elif value is not None and names & self.outputs:
                    yield from (
                        *_found(call.paths.writing(value)),
                        *check_need(RuleCondition.CONTAINED, call),
                    )
                elif value is not None:
                    yield from _found(call.paths.reading(value))
                    if names & _CONTEXT and not re.fullmatch(r"\d{1,2}", value.text):
                        used.add("--passthru")
                    if names & _ONLY and matches_hidden(value.text):
                        yield ApprovalReason(PATTERN, value.text)
        if self.text_first and not used & self.text_options:
            texts, operands = operands[:1], operands[1:]
        if self.most is not None and len(operands) > self.most:
            yield call.unknown(operands[self.most])
        is_recursive = self.is_recursive or bool(used & self.recursive)
        is_wide = is_recursive or any(word.has_glob for word in operands)
        is_long = bool(used & _MULTILINE) and any(re.search(r"[*+{]", word.text) for word in texts)
        is_everywhere = self._searches_everywhere(operands, used)
        is_specific = all(_is_specific(word, is_everywhere=is_everywhere) for word in texts)
        shows_all = is_long or bool(used & _WHOLE) or not is_specific
        if self.searches and is_wide and shows_all and "--files" not in used:
            yield ApprovalReason(PATTERN, f"{call.name}: a text that many lines have")
        if is_recursive and self.shows_content and not self.searches and _is_everything(operands):
            yield ApprovalReason(PATTERN, f"{call.name}: all files of the folder")
        yield from self._operands(operands, call, is_recursive=is_recursive)

    def _searches_everywhere(self, operands: Sequence[ShellWord], used: set[str]) -> bool:
        """Whether a search may reach files such as `.env`. `rg` leaves out hidden and ignored files."""
        if self.is_recursive and not used & _UNRESTRICTED:
            return False
        return not operands or _is_everything(operands)

    def _option(
        self, word: ShellWord, following: Iterator[ShellWord]
    ) -> tuple[set[str], ShellWord | None] | None:
        """Return the names of the options in a word and the value of the last one, or None if one is not in the list."""
        if not word.is_known:
            return None
        kinds, text = _option_kinds(self.options), word.text
        if text.startswith("--"):
            name, sign, value = text.partition("=")
            kind = kinds.get(name)
            if kind is None or any(letter in name for letter in "*?[") or (sign and not kind):
                return None
            if sign:
                return {name}, replace(word, text=value)
            return {name}, (next(following, None) if kind == "=" else None)
        if "-#" in kinds and re.fullmatch(r"-\d{1,9}", text):
            return {"-#"}, None
        names: set[str] = set()
        for place, letter in enumerate(text[1:], start=2):
            kind = kinds.get(f"-{letter}") if letter != "#" else None
            if kind is None:
                return None
            names.add(f"-{letter}")
            if kind:
                value = replace(word, text=text[place:]) if text[place:] else next(following, None)
                return names, value
        return names, None

    def _operands(
        self, operands: Sequence[ShellWord], call: ProgramCall, *, is_recursive: bool
    ) -> Iterator[ApprovalReason]:
        shows_content = self.shows_content and not self.searches
        for word in operands:
            is_option_file = word.text.startswith("@") and self.operands is not Operands.TEXT
            if self.operands is Operands.NONE or is_option_file:
                # `nm @FILE` reads options from a file.
                yield call.unknown(word)
            elif self.operands is Operands.WRITE:
                yield from _found(call.paths.writing(word))
            elif self.operands is Operands.READ:
                yield from _found(
                    call.paths.reading(
                        word,
                        is_recursive=is_recursive,
                        shows_content=shows_content or (self.searches and not word.has_glob),
                    )
                )
            elif word.has_glob:
                yield from _found(call.paths.reading(word, shows_content=False))


_UNRESTRICTED: Final = frozenset({
    "-u", "-U", "-g", "--glob", "--iglob", "--hidden", "--no-ignore", "--no-ignore-vcs", "--unrestricted",
})  # fmt: skip
"""Options with which `rg` and `ag` also search hidden and ignored files. A pattern of names has precedence over these."""
_CONTEXT: Final = frozenset({"-A", "-B", "-C", "--after-context", "--before-context", "--context"})
_ONLY: Final = frozenset({"--include", "-g", "--glob", "--iglob"})
_WHOLE: Final = frozenset({"-v", "-f", "--invert-match", "--file", "--passthru", "-z", "--null-data"})
"""Options with which a search shows lines that do not match, or takes a whole file for a line."""
_MULTILINE: Final = frozenset({"-U", "--multiline", "--multiline-dotall"})
_SECRET_TEXT: Final = re.compile(r"passw|secret|api.?key|akia|begin|private|ghp_|sk-|hf_|xox", re.I)
_SECRET_WORD: Final = re.compile(
    r"pass|token|credential|bearer|auth|key|pwd|dsn|_url|://|database|mongo|redis|postgres|smtp|jwt|webhook|openai|anthropic|aws|azure"
    r"|stripe|twilio|sendgrid|slack|github_|gitlab_|export |glpat|ssh-|(?<![a-z])(?:tok|pas|sec|cre|api|aki|eyj)[a-z]?(?![a-z])|(?-i:[A-Z]{2,}_(?![A-Za-z]*[a-z]))",
    re.I,
)


def _is_everything(operands: Sequence[ShellWord]) -> bool:
    return any(word.has_glob or not word.text.strip("./") for word in operands)


def _is_specific(word: ShellWord, *, is_everywhere: bool) -> bool:
    """Whether few lines match a pattern, so that a search of many files does not print whole files or their secrets.

    Each alternative has to contain three letters that are not optional.

    >>> texts = ("TODO", "def main|class A", "", "x*", "TODO|.", "password", "token")
    >>> [_is_specific(ShellWord(text=text), is_everywhere=True) for text in texts]
    [True, True, False, False, False, False, False]
    """
    if not word.is_known or _SECRET_TEXT.search(word.text):
        return False
    if is_everywhere and _SECRET_WORD.search(word.text):
        return False
    plain = re.sub(
        r"\[\^?\]?(?:\[:\w+:\]|[^\]])*\]|\\[A-Za-z]|\(\?#[^)]*\)|\(\?P?[<']\w+[>']|\(\*\w+\)", " ", word.text
    )
    if re.search(r"\)\\?[*?{]|\(\?[a-z]*x", plain):
        return False
    return all(re.search(r"\w{3}(?!\\?[*?{])", part) for part in re.split(r"\\?\||\n", plain))


_REASONS: Final[Mapping[RuleCondition, str]] = {
    RuleCondition.CONTAINED: UNSANDBOXED, RuleCondition.SANDBOX: PROJECT_CODE, RuleCondition.NO_NETWORK: NETWORK,
}  # fmt: skip


def check_need(need: RuleCondition, call: ProgramCall, subcommand: str = "") -> list[ApprovalReason]:
    """Return the reason to ask about a program whose condition is not met. Empty if it is met."""
    if need is RuleCondition.NOTHING or call.paths.place.is_contained:
        return []
    reason = _REASONS[need]
    return [
        ApprovalReason(
            reason, f"{call.name} {subcommand}".strip(), f"{f'{call.name} {subcommand}'.strip()}: {reason}"
        )
    ]


def _found(doubt: ApprovalReason | None) -> list[ApprovalReason]:
    return [doubt] if doubt else []


_LONGEST_HEAD: Final = 5
_LOSS: Final = re.compile(
    r"\b(?:flush|delete|destroy|drop|remove|purge|wipe|uninstall|publish|upload|deploy|release|rm|truncate|sqlflush|eval|exec"
    r"|shell|prune|nuke|reset|erase|kill|shutdown|reboot)(?:\b|(?=_))",
    re.I,
)
"""Words in the arguments of a project's tool that suggest lost data or effects on other machines."""
_NO_LOSS: Final = frozenset({"--release", "-DCMAKE_BUILD_TYPE=Release"})


class Form(NamedTuple):
    """A known form of a call, such as `npm run NAME`."""

    head: str
    """Pattern of the first words, joined by spaces: as many words as match, up to five."""
    rest: str = r"(?!)"
    """Pattern of each word after the head."""
    need: RuleCondition = RuleCondition.SANDBOX
    never: str = r"(?!)"
    """Pattern that must not match the beginning of any word."""
    own: str = r"(?!)"
    """Pattern of the options of the program that only look risky; see `is_risky_option`."""


PURE: Final = RuleCondition.NOTHING
"""Condition of a form that only shows something, everywhere."""
LOOK: Final = RuleCondition.CONTAINED
"""Condition of a form that only shows something, but not on the short list of pure readers."""
VERSION: Final = Form(r"--version|-V|-v|version|--help|-h|help", r"[\w-]+")
"""Form that nearly every program accepts. Tools of a project run its code even to answer it."""
OPTION: Final = r"--?(?!pdb|eval|exec)[A-Za-z][\w-]*(?:=[\w@%+:,./*-]*)?"
WORD: Final = r"(?!-)[\w@%+:,./^~=\[\]*?-]*"
FILE: Final = r"(?!/|-)(?!.*\.\./)[\w@+./-]+"
ARGUMENT: Final = rf"{OPTION}|{WORD}"
"""A word without characters that have a special meaning in a shell or a programming language."""


def check_forms(call: ProgramCall, forms: Mapping[str, Sequence[Form]]) -> list[ApprovalReason]:
    """Return every reason to ask about a call. It must match one of the known forms of its program.

    Args:
        forms: Known forms by program.
    """
    if any(not word.is_known or (word.has_glob and word.may_be_option) for word in call.words):
        return [call.unknown()]
    texts = [word.text for word in call.words]
    for form in forms[call.name]:
        if not _fits(form, texts):
            continue
        if form.need is RuleCondition.SANDBOX and any(
            _LOSS.search(text) for text in texts if text not in _NO_LOSS
        ):
            break
        if any(is_risky_option(text) and not re.fullmatch(form.own, text) for text in texts):
            break
        check = call.paths.outside if form.need is RuleCondition.SANDBOX else call.paths.reading
        files = (check(word) for word in call.words if form.need is not RuleCondition.NO_NETWORK)
        return [*(doubt for doubt in files if doubt), *check_need(form.need, call)]
    return [call.unknown(call.words[0] if call.words else None)]


def _fits(form: Form, texts: Sequence[str]) -> bool:
    if any(re.match(form.never, text) for text in texts):
        return False
    for length in range(min(len(texts), _LONGEST_HEAD) + 1):
        if re.fullmatch(form.head, " ".join(texts[:length])) and all(
            re.fullmatch(form.rest, text) for text in texts[length:]
        ):
            return True
    return False
