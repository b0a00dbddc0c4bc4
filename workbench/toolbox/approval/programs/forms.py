"""Forms of a call: a head of few words, then any number of words of one pattern."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from workbench.toolbox.approval.doubt import Doubt
from workbench.toolbox.approval.programs.rule import Call, Need, needed

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
    need: Need = Need.SANDBOX
    never: str = r"(?!)"
    """Pattern that no word may match, not even at its start."""


LOOK: Final = Need.NOTHING
"""For a form that only shows something."""
VERSION: Final = Form(r"--version|-V|-v|version|--help|-h|help", r"[\w-]+", LOOK)
"""What nearly every program understands."""
OPTION: Final = r"--?(?!pdb|eval|exec)[A-Za-z][\w-]*(?:=[\w@%+:,./*-]*)?"
WORD: Final = r"(?!-)[\w@%+:,./^~=\[\]*?-]*"
FILE: Final = r"(?!/|-)(?!.*\.\./)[\w@+./-]+"
ARGUMENT: Final = rf"{OPTION}|{WORD}"
"""A word without signs that a language or a shell would give a meaning to."""


def check_forms(call: Call, forms: Mapping[str, Sequence[Form]]) -> list[Doubt]:
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
        if form.need is Need.SANDBOX and any(_LOSS.search(text) for text in texts if text != "--release"):
            break
        files = (call.paths.reading(word) for word in call.words if form.need is not Need.NO_NETWORK)
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
