"""Checks of shell builtins."""

import re
from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import Check, ProgramCall, RuleCondition, check_need
from workbench.toolbox.approval.reason import OUTSIDE, ApprovalReason
from workbench.toolbox.approval.shell.words import is_plain_name

_TEST_UNARY: Final = frozenset({"-f", "-d", "-e", "-n", "-z", "-s", "-r", "-w", "-x", "-L", "-h", "!"})


def check_text(call: ProgramCall) -> list[ApprovalReason]:
    """Allow programs that take any text, and names of files from patterns, such as `echo`."""
    doubts = (call.paths.reading(word, shows_content=False) for word in call.words if word.has_glob)
    return [doubt for doubt in doubts if doubt]


def check_printf(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `printf`, but not `-v`, which could set a variable such as `PATH`."""
    if not call.words or not call.words[0].is_fixed or call.words[0].text.startswith("-"):
        return [call.unknown(call.words[0] if call.words else None)]
    return []


def check_test(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `test` and `[`, but not `-v`: Bash runs commands in the index of a variable name, as in `a[$(ls)]`."""
    return [call.unknown(word) for word in call.words if word.text in ("-v", "-R")]


def check_double_test(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `[[ … ]]` if it tests files or compares texts. Comparing numbers uses arithmetic, which may run commands."""
    words = call.words[:-1]
    if words and words[0].text == "!":
        words = words[1:]
    is_unary = len(words) == 2 and words[0].text in _TEST_UNARY
    is_comparison = len(words) == 3 and words[1].text in ("=", "==", "!=")
    if not (is_unary or is_comparison) or any("\n" in word.text for word in words):
        return [call.unknown()]
    return []


def check_cd(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `cd` to a literal folder that may be read. The caller tracks where the next commands run."""
    if not call.words or call.words[0].text == "-":
        return []
    if len(call.words) != 1 or not call.words[0].is_fixed or call.words[0].text.startswith("-"):
        return [ApprovalReason(OUTSIDE, "a folder that is not spelled out")]
    return [doubt] if (doubt := call.paths.reading(call.words[0], shows_content=False)) else []


def check_exit(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `exit`, with or without a number."""
    is_plain = len(call.words) <= 1 and all(
        re.fullmatch(r"\d{1,3}", word.text) or not word.is_known for word in call.words
    )
    return [] if is_plain else [call.unknown()]


def check_read(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `read -r NAME`, if the name has no special meaning."""
    texts = call.texts()
    is_plain = texts is not None and all(text == "-r" or is_plain_name(text) for text in texts)
    return [] if is_plain else [call.unknown()]


def check_set(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `set -euo pipefail` and parts of it. Without arguments, it lists the variables, like `env`."""
    texts = call.texts()
    if texts == ():
        return check_need(RuleCondition.CONTAINED, call)
    is_plain = (
        texts is not None and texts and all(re.fullmatch(r"[-+][eux]+o?|pipefail", text) for text in texts)
    )
    return [] if is_plain else [call.unknown()]


CHECKS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(("echo", "true", "false", ":", "expr"), check_text), "printf": check_printf, "test": check_test, "[": check_test, "[[": check_double_test, "cd": check_cd,
    "exit": check_exit, "set": check_set, "read": check_read,
}  # fmt: skip
"""Checks by the name of the builtin."""
