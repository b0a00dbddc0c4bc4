"""Check of `sed`: its scripts must not run programs or write other files."""

import re
from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import Check, ProgramCall, RuleCondition, check_need
from workbench.toolbox.approval.reason import ApprovalReason


def _regex(sign: str) -> str:
    """Return a pattern of the regular expressions that end at `sign`, wherever a `sed` takes the end to be.

    In brackets, some do not end there. So a bracket must close, and it must not contain the sign.
    """
    bracket = rf"\[\^?+\]?+(?:[^{sign}\]\\\n\[]|\\[^\]\n]|\[:\w+:\]|\[(?![:.=]))*\]"
    return rf"(?:[^{sign}\\\n\[]|\\[^\n]|{bracket})*"


_PLACE: Final = rf"(?:\d+|\$|/{_regex('/')}/I?)"
_ADDRESS: Final = rf"(?:{_PLACE}(?:,(?:{_PLACE}|[+~]\d+))?!?)?"
_PARTS: Final = "|".join(
    rf"(?:{sign}{_regex(sign)}{sign}(?:[^{sign}\\\n]|\\[^\n])*{sign})"
    for sign in ("/", "\\|", "#", ",", ":", "@", "%", "!", "\\+", "~")
)
_SED_COMMAND: Final = re.compile(
    rf"\s*{_ADDRESS}\s*(?:(?:s(?:{_PARTS})[gpIi0-9]*)|(?:y(?:{_PARTS}))|[pdqPDNnGHghx=]|[qQ]\d+)\s*"
)
_SED_OPTIONS: Final = re.compile(
    r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|posix)|-[nErs]*i(?:\.\w{1,8})?|-[nEr]*e|--in-place"
)


def check_sed(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `sed` with scripts of simple commands, without `w`, `e`, `r`, labels and script files."""
    if not all(word.is_known for word in call.words):
        return [call.unknown()]
    scripts: list[str] = []
    doubts: list[ApprovalReason] = []
    files = list(call.words)
    is_writing = False
    while files and files[0].may_be_option:
        option = files.pop(0)
        if option.has_glob or not _SED_OPTIONS.fullmatch(option.text):
            return [call.unknown(option)]
        is_writing = is_writing or "i" in option.text.split(".")[0].replace("--silent", "").replace(
            "--quiet", ""
        ).replace("--posix", "")
        if option.text.endswith("e") and not option.text.startswith("--"):
            if not files or not files[0].is_fixed:
                return [call.unknown()]
            scripts.append(files.pop(0).text)
    if not scripts:
        if not files or not files[0].is_fixed:
            return [call.unknown()]
        scripts.append(files.pop(0).text)
    if not all(is_plain_sed(script) for script in scripts):
        doubts.append(call.unknown())
    for word in files:
        if word.text.startswith("-") or (word.has_glob and word.may_be_option and is_writing):
            # GNU sed also accepts options after files.
            return [call.unknown(word)]
        if doubt := call.paths.writing(word) if is_writing else call.paths.reading(word):
            doubts.append(doubt)
    return [*doubts, *(check_need(RuleCondition.CONTAINED, call, "-i") if is_writing else ())]


def is_plain_sed(script: str) -> bool:
    """Whether a sed script has only substitutions without `e` and `w`, deletions, prints and the like.

    >>> is_plain_sed("2,5p; s/a/b/g")
    True
    >>> is_plain_sed("s/x/touch marker/e")
    False
    """
    place = 0
    text = script.strip().rstrip(";")
    while place < len(text):
        match = _SED_COMMAND.match(text, place)
        if match is None:
            return False
        place = match.end()
        if place < len(text):
            if text[place] not in ";\n":
                return False
            place += 1
    return bool(text)


CHECKS: Final[Mapping[str, Check]] = {"sed": check_sed, "gsed": check_sed}
