"""Rules and checks of programs that change files in the working folder."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from workbench.toolbox.approval.programs.rule import (
    Check,
    Operands,
    ProgramCall,
    ProgramRule,
    RuleCondition,
    check_need,
)
from workbench.toolbox.approval.reason import ApprovalReason
from workbench.toolbox.approval.shell.words import UNKNOWN, ShellWord

RECURSIVE_DELETE: Final = "recursive delete"
"""Category of `rm -r`."""

RULES: Final[Mapping[str, ProgramRule]] = {
    name: ProgramRule(options=options, operands=Operands.WRITE)
    for name, options in {
        "mkdir": "-pv -m: --parents --verbose",
        "touch": "-acm -d: -t: --no-create",
        "rmdir": "-pv --parents --verbose",
        "tee": "-ai --append",
        "truncate": "-s: --size=",
        "gzip": "-dkfvtl123456789 --keep --decompress --best --fast",
        "gunzip": "-kfvtl --keep",
        "bzip2": "-dkfvt123456789 --keep",
        "xz": "-dkfvtl0123456789 --keep",
        "split": "-d -l: -b: -n: -a:",
        "dos2unix": "-q",
    }.items()
}
_CONTAINED: Final = RuleCondition.CONTAINED
_COPY_OPTIONS: Final = re.compile(
    r"-[RrapfinuvLPTd]+|--(?:recursive|archive|parents|no-clobber|update|verbose|force|preserve)"
)
_MODES: Final = re.compile(
    r"[ug]*\+[rx]{1,2}|[ugoa]*-[rwx]{1,3}|\+x|a\+x|u[+=][rwx]{1,3}|0?(?:[67][045][045]|[45]00|[67]00)"
)
_TAR_BUNDLE: Final = re.compile(r"-?[ctxzjJvpka]+f?")


def check_copy(call: ProgramCall) -> list[ApprovalReason]:
    """Check `cp` and `mv`: the last operand is written, the others are read by `cp` and removed by `mv`."""
    operands = [word for word in call.words if not word.text.startswith(("-", UNKNOWN))]
    options = [word for word in call.words if word.text.startswith(("-", UNKNOWN)) and word.text != "--"]
    doubts = [call.unknown(word) for word in options if not _COPY_OPTIONS.fullmatch(word.text)]
    is_copy = call.name == "cp"
    is_recursive = any(re.search(r"^-\w*[Rra]|--recursive|--archive", word.text) for word in options)
    # In a folder, the copies keep their names.
    keeps_names = bool(operands) and operands[-1].text.endswith("/")
    reads = [
        call.paths.reading(word, is_recursive=is_recursive, shows_content=not (keeps_names and word.has_glob))
        if is_copy
        else call.paths.writing(word)
        for word in operands[:-1]
    ]
    writes = [call.paths.writing(word) for word in operands[-1:]]
    return [*doubts, *(doubt for doubt in (*reads, *writes) if doubt), *check_need(_CONTAINED, call)]


def check_link(call: ProgramCall) -> list[ApprovalReason]:
    """Check `ln`: the link and its target must be in the working folder."""
    texts = call.texts()
    if texts is None or any(text.startswith("-") and not re.fullmatch(r"-[sfnv]+", text) for text in texts):
        return [call.unknown()]
    operands = [word for word in call.words if not word.text.startswith("-")]
    return [
        *(doubt for word in operands if (doubt := call.paths.writing(word))),
        *check_need(_CONTAINED, call),
    ]


def check_remove(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `rm` of named files. It needs approval if it is recursive or if a name is a pattern."""
    texts = call.texts()
    if texts is None:
        return [
            ApprovalReason(RECURSIVE_DELETE, "names that are not spelled out")
            if _is_recursive(call)
            else call.unknown()
        ]
    operands = [word for word in call.words if not word.text.startswith("-")]
    if any(
        text.startswith("-") and not re.fullmatch(r"-[rRfvid]+|--(?:recursive|force|verbose)", text)
        for text in texts
    ):
        return [call.unknown()]
    doubts = [doubt for word in operands if (doubt := call.paths.writing(word))]
    if any(re.fullmatch(r"[./~]*", word.text) for word in operands):
        doubts.append(ApprovalReason(RECURSIVE_DELETE, "the working folder"))
    elif not doubts and _is_recursive(call):
        return [ApprovalReason(RECURSIVE_DELETE, "", f"rm: {RECURSIVE_DELETE}")]
    return [*doubts, *check_need(_CONTAINED, call)]


def check_mode(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `chmod` with modes that give no other user write access."""
    texts = call.texts()
    if texts is None or not texts or not _MODES.fullmatch(texts[0]):
        return [call.unknown(call.words[0] if call.words else None)]
    return [
        *(doubt for word in call.words[1:] if (doubt := call.paths.writing(word))),
        *check_need(_CONTAINED, call),
    ]


def check_tar(call: ProgramCall) -> list[ApprovalReason]:
    """Check `tar` in its short form: `tar czf FILE FOLDER`, `tar xf FILE -C FOLDER`, `tar tf FILE`."""
    texts = call.texts()
    if texts is None or len(texts) < 2 or not _TAR_BUNDLE.fullmatch(texts[0]) or ":" in texts[1]:
        return [call.unknown()]
    is_create = "c" in texts[0]
    operands = _tar_operands(call.words[2:])
    if operands is None:
        return [call.unknown()]
    archive = call.paths.writing(call.words[1]) if is_create else call.paths.reading(call.words[1])
    is_reading = is_create or "t" in texts[0]
    others = [
        call.paths.reading(word, is_recursive=True) if is_reading else call.paths.writing(word)
        for word in operands
    ]
    return [
        *(doubt for doubt in (archive, *others) if doubt),
        *check_need(RuleCondition.NOTHING if "t" in texts[0] else _CONTAINED, call),
    ]


def _tar_operands(words: Sequence[ShellWord]) -> list[ShellWord] | None:
    operands: list[ShellWord] = []
    for word in words:
        if re.fullmatch(r"--(?:exclude=[^/~]*[\w*/.-]*|strip-components=\d|exclude-vcs)|-C|-v|--", word.text):
            continue
        if word.text.startswith("-"):
            return None
        operands.append(word)
    return operands


def check_zip(call: ProgramCall) -> list[ApprovalReason]:
    """Check `zip -r FILE FOLDER`, `unzip -l FILE` and `unzip FILE -d FOLDER`."""
    allowed = r"-[rqvj9]+" if call.name == "zip" else r"-[lqontvZ1]+|-d"
    texts = call.texts()
    if texts is None or any(text.startswith("-") and not re.fullmatch(allowed, text) for text in texts):
        return [call.unknown()]
    operands = [word for word in call.words if not word.text.startswith("-")]
    need = RuleCondition.NOTHING if call.name == "unzip" and texts[:1] == ("-l",) else _CONTAINED
    return [*(doubt for word in operands if (doubt := call.paths.writing(word))), *check_need(need, call)]


def _is_recursive(call: ProgramCall) -> bool:
    return any(re.fullmatch(r"-\w*[rR]\w*|--recursive", word.text) for word in call.words)


CHECKS: Final[Mapping[str, Check]] = {
    "cp": check_copy, "mv": check_copy, "ln": check_link, "rm": check_remove, "chmod": check_mode,
    "tar": check_tar, "zip": check_zip, "unzip": check_zip,
}  # fmt: skip
