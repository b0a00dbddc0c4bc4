"""Rules for programs, and checks of their options and operands."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from workbench.toolbox.approval.paths import Paths
from workbench.toolbox.approval.reason import NETWORK, PROJECT_CODE, UNKNOWN_ARGUMENT, ApprovalReason
from workbench.toolbox.approval.shell.words import ShellWord

ANY: Final = r"[\s\S]*"
"""Pattern for the options of a program without any option that runs or writes something."""
_EMBEDDED_PATH: Final = re.compile(r"^-{1,2}[\w-]*=?(?=[/~.])")


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

    def unknown(self, word: ShellWord | None = None) -> ApprovalReason:
        """Return the reason to ask about an argument that no rule allows."""
        shown = "" if word is None or not word.is_known else f" {word.text[:40]}"
        return ApprovalReason(UNKNOWN_ARGUMENT, f"{self.name}{shown}")

    def texts(self) -> tuple[str, ...] | None:
        """Return all arguments, or None if one of them is only known when the command runs."""
        return tuple(word.text for word in self.words) if all(word.is_fixed for word in self.words) else None


Check = Callable[[ProgramCall], list[ApprovalReason]]
"""Returns every reason to ask about a call. The list is empty if it may run without approval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRule:
    """Rule for a program: a pattern for its options, and how it uses its operands."""

    options: str = ANY
    """Pattern that each option matches in full, with its value if that is part of the word."""
    valued: frozenset[str] = frozenset()
    """Options that take the next word as their value."""
    outputs: frozenset[str] = frozenset()
    """Options in `valued` whose value is a file that is written."""
    operands: Operands = Operands.READ
    most: int | None = None
    """Most operands; None for any number."""
    text_first: bool = False
    """True if the first operand is a text, such as the pattern of `grep`."""
    text_options: frozenset[str] = frozenset()
    """Options that replace this text, so that the first operand is a file, such as `-e` of `grep`."""
    recursive: str = ""
    """Pattern of the options with which the program reads folders; may be empty."""
    need: RuleCondition = RuleCondition.NOTHING

    @property
    def _is_free(self) -> bool:
        return self.operands is Operands.TEXT and self.options == ANY

    def check(self, call: ProgramCall) -> list[ApprovalReason]:
        """Return every reason to ask about a call."""
        return [*needed(self.need, call), *self._arguments(call)]

    def _arguments(self, call: ProgramCall) -> Iterator[ApprovalReason]:
        operands: list[ShellWord] = []
        is_recursive, has_text, ended, takes = False, not self.text_first, False, ""
        for word in call.words:
            if takes:
                doubt = call.paths.writing(word) if takes in self.outputs else self._value(word, takes, call)
                if doubt:
                    yield doubt
                takes = ""
            elif ended or not word.may_be_option or word.text == "-" or self._is_free:
                operands.append(word)
            elif word.text == "--":
                ended = True
            elif self.options != ANY and not (word.is_known and re.fullmatch(self.options, word.text)):
                yield call.unknown(word)
            elif word.text[:1] != "-":
                operands.append(word)
            else:
                has_text = has_text or word.text.split("=")[0] in self.text_options
                is_recursive = is_recursive or bool(
                    self.recursive and re.fullmatch(self.recursive, word.text)
                )
                takes = word.text if word.text in self.valued else ""
                if (text := _EMBEDDED_PATH.sub("", word.text)) != word.text and word.is_known:
                    yield from _found(call.paths.reading(ShellWord(text=text)))
        if self.most is not None and len(operands) > self.most:
            yield call.unknown(operands[self.most])
        yield from self._operands(operands if has_text else operands[1:], call, is_recursive=is_recursive)

    def _value(self, word: ShellWord, option: str, call: ProgramCall) -> ApprovalReason | None:
        return None if option in self.text_options else call.paths.reading(word)

    def _operands(
        self, operands: Sequence[ShellWord], call: ProgramCall, *, is_recursive: bool
    ) -> Iterator[ApprovalReason]:
        for word in operands:
            if self.operands is Operands.NONE:
                yield call.unknown(word)
            elif self.operands is Operands.WRITE:
                yield from _found(call.paths.writing(word))
            elif self.operands is Operands.READ or word.has_glob:
                yield from _found(call.paths.reading(word, is_recursive=is_recursive))


def needed(need: RuleCondition, call: ProgramCall, subcommand: str = "") -> list[ApprovalReason]:
    """Return the reason to ask about a program whose condition is not met. Empty if it is met."""
    if need is RuleCondition.NOTHING or call.paths.place.is_contained:
        return []
    reason = PROJECT_CODE if need is RuleCondition.SANDBOX else NETWORK
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


class Form(NamedTuple):
    """A known form of a call, such as `npm run NAME`."""

    head: str
    """Pattern of the first words, joined by spaces: as many words as match, up to five."""
    rest: str = r"(?!)"
    """Pattern of each word after the head."""
    need: RuleCondition = RuleCondition.SANDBOX
    never: str = r"(?!)"
    """Pattern that must not match the beginning of any word."""


LOOK: Final = RuleCondition.NOTHING
"""Condition of a form that only shows something."""
VERSION: Final = Form(r"--version|-V|-v|version|--help|-h|help", r"[\w-]+", LOOK)
"""Form that nearly every program accepts."""
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
            _LOSS.search(text) for text in texts if text != "--release"
        ):
            break
        files = (call.paths.reading(word) for word in call.words if form.need is not RuleCondition.NO_NETWORK)
        return [*(doubt for doubt in files if doubt), *needed(form.need, call)]
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
