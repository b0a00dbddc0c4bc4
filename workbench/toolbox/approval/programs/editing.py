"""Checks of `sed` and `awk`: their scripts must not run programs or write other files."""

import re
from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import Check, ProgramCall
from workbench.toolbox.approval.reason import ApprovalReason

_ADDRESS: Final = r"(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)(?:,(?:\d+|\$|[+~]\d+|/(?:[^/\\\n]|\\.)*/I?))?!?)?"
_PARTS: Final = "|".join(
    rf"(?:{sign}(?:[^{sign}\\\n]|\\[^\n])*{sign}(?:[^{sign}\\\n]|\\[^\n])*{sign})"
    for sign in ("/", "\\|", "#", ",", ":", "@", "%", "!", "\\+", "~")
)
_SED_COMMAND: Final = re.compile(
    rf"\s*{_ADDRESS}\s*(?:(?:s(?:{_PARTS})[gpIi0-9]*)|(?:y(?:{_PARTS}))|[pdqPDNnGHghx=]|[qQ]\d+)\s*"
)
_SED_OPTIONS: Final = re.compile(
    r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|posix)|-[nErs]*i(?:\.\w{1,8})?|-[nEr]*e|--in-place"
)
_AWK_DANGERS: Final = re.compile(
    r"system|getline|[|]|@|\bARG|ENVIRON|PROCINFO|close|fflush|/inet|\bprint[^;}\n]*>|\bload\b|extension|\\\n",
    re.I,
)
_AWK_COMPARISON: Final = re.compile(r"\|\|")


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
    return doubts


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


def check_awk(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `awk` with a program that runs nothing, writes no file and reads only the files on the command line."""
    words = list(call.words)
    if not all(word.is_known for word in words):
        return [call.unknown()]
    while words and words[0].text.startswith("-"):
        option = words.pop(0).text
        if option in ("-F", "-v") and words and words[0].is_fixed:
            value = words.pop(0).text
            if option == "-v" and not re.fullmatch(r"[a-z]\w*=[\w.,:;/ -]*", value):
                return [call.unknown()]
        elif not re.fullmatch(r"-F\S{1,20}|-v[a-z]\w*=[\w.,:;-]*", option):
            return [call.unknown()]
    if not words or not words[0].is_fixed or not is_plain_awk(words[0].text):
        return [call.unknown()]
    doubts = [call.unknown(word) for word in words[1:] if word.text.startswith("-")]
    return [*doubts, *(doubt for word in words[1:] if (doubt := call.paths.reading(word)))]


def is_plain_awk(program: str) -> bool:
    """Whether an awk program only computes and prints.

    >>> is_plain_awk("$3 > 10 {print $1}")
    True
    >>> is_plain_awk('BEGIN{system("touch marker")}')
    False
    """
    return not _AWK_DANGERS.search(_AWK_COMPARISON.sub(" ", program))


CHECKS: Final[Mapping[str, Check]] = {
    "sed": check_sed, "gsed": check_sed, "awk": check_awk, "gawk": check_awk, "mawk": check_awk, "nawk": check_awk,
}  # fmt: skip
"""Checks by program."""
