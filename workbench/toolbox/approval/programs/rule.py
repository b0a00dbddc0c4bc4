"""The rule for a program, and how its options and operands are checked."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from workbench.toolbox.approval.paths import Paths
from workbench.toolbox.approval.reason import NETWORK, PROJECT_CODE, UNKNOWN_ARGUMENT, ApprovalReason
from workbench.toolbox.approval.shell.words import ShellWord

ANY: Final = r"[\s\S]*"
"""Pattern of options for a program of which no option runs or writes anything."""
_EMBEDDED_PATH: Final = re.compile(r"^-{1,2}[\w-]*=?(?=[/~.])")


class Operands(Enum):
    """What a program does with the arguments that are not options."""

    TEXT = auto()
    """Text: they may be anything."""
    READ = auto()
    """Files that are read."""
    WRITE = auto()
    """Files that are written, changed or removed."""
    NONE = auto()
    """There are none."""


class RuleCondition(Enum):
    """What must hold so that a program may run unasked."""

    NOTHING = auto()
    SANDBOX = auto()
    """It runs code of the project, which anybody may have written: only where it can do no harm."""
    NO_NETWORK = auto()
    """It talks to other machines: only where there is no network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCall:
    """A program with its arguments."""

    name: str
    words: tuple[ShellWord, ...]
    paths: Paths
    judge: Callable[[tuple[ShellWord, ...], Paths], list[ApprovalReason]]
    """Checks a command that this one runs."""

    def unknown(self, word: ShellWord | None = None) -> ApprovalReason:
        """The doubt about an argument that no rule knows."""
        shown = "" if word is None or not word.is_known else f" {word.text[:40]}"
        return ApprovalReason(UNKNOWN_ARGUMENT, f"{self.name}{shown}")

    def texts(self) -> tuple[str, ...] | None:
        """All arguments; None if one of them is only known when the command runs."""
        return tuple(word.text for word in self.words) if all(word.is_fixed for word in self.words) else None


Check = Callable[[ProgramCall], list[ApprovalReason]]
"""Gives every reason to ask; none if the call may run unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRule:
    """A program that can be described by a pattern of its options, and what it does with its operands."""

    options: str = ANY
    """Pattern that each option matches in full, with its value if that is part of the word."""
    valued: frozenset[str] = frozenset()
    """Options that take the next word as their value."""
    outputs: frozenset[str] = frozenset()
    """Options of `valued` whose value is a file that is written."""
    operands: Operands = Operands.READ
    most: int | None = None
    """How many operands there may be; None for any number."""
    text_first: bool = False
    """True if the first operand is a text, such as a pattern."""
    text_options: frozenset[str] = frozenset()
    """Options that give this text, so that the first operand is a file after all."""
    recursive: str = ""
    """Pattern of the options that make it read folders; empty if it does not."""
    need: RuleCondition = RuleCondition.NOTHING

    @property
    def _is_free(self) -> bool:
        return self.operands is Operands.TEXT and self.options == ANY

    def check(self, call: ProgramCall) -> list[ApprovalReason]:
        """Every reason to ask about a call."""
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
    """The doubt about a program that may only run unasked where it can do no harm."""
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
"""Words among the arguments of a project's code that tell of loss, or of an effect elsewhere."""


class Form(NamedTuple):
    """A form of call that is known."""

    head: str
    """Pattern of the first words, joined by a space: as many as it takes, up to five."""
    rest: str = r"(?!)"
    """Pattern of each word after them."""
    need: RuleCondition = RuleCondition.SANDBOX
    never: str = r"(?!)"
    """Pattern that no word may match, not even at its start."""


LOOK: Final = RuleCondition.NOTHING
"""For a form that only shows something."""
VERSION: Final = Form(r"--version|-V|-v|version|--help|-h|help", r"[\w-]+", LOOK)
"""What nearly every program understands."""
OPTION: Final = r"--?(?!pdb|eval|exec)[A-Za-z][\w-]*(?:=[\w@%+:,./*-]*)?"
WORD: Final = r"(?!-)[\w@%+:,./^~=\[\]*?-]*"
FILE: Final = r"(?!/|-)(?!.*\.\./)[\w@+./-]+"
ARGUMENT: Final = rf"{OPTION}|{WORD}"
"""A word without signs that a language or a shell would give a meaning to."""


def check_forms(call: ProgramCall, forms: Mapping[str, Sequence[Form]]) -> list[ApprovalReason]:
    """Every reason to ask about a call of a program in a table.

    Args:
        call: The program with its arguments.
        forms: The known forms, by program.
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
