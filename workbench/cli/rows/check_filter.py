"""Choose which findings `workbench check` reports: by severity, by code, and by a list of allowed findings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from workbench.chat.finding import Severity
from workbench.chat.near_names import did_you_mean
from workbench.errors import BadInput
from workbench.library.datasets.checking import FileFinding
from workbench.trajectory.validate.codes import ROW_CODES, matches_code

IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(metavar="CODE", help="Ignore this code, such as placeholder or schema; repeatable"),
]
_REPORTED: Final = {
    Severity.ERROR: frozenset({Severity.ERROR}),
    Severity.WARNING: frozenset({Severity.ERROR, Severity.WARNING}),
    Severity.NOTE: frozenset(Severity),
}
"""The severities that are reported at each level."""
_ALLOWED: Final = re.compile(r"(?P<file>.+?):(?P<row>\d+)(?::(?P<entry>\d+))?: (?P<code>[a-z][a-z0-9-]*)\b.*")
_CODE: Final = re.compile(r"[a-z][a-z0-9-]*")


class AllowedFinding(NamedTuple):
    """A finding that is not a problem, as a line of the allow list names it."""

    file: str
    """Name of the file, without its folder; empty for any file."""
    row: int | None
    """None for any row."""
    entry: int | None
    """None for any entry."""
    code: str


@dataclass(slots=True)
class CheckFilter:
    """Selects findings, and counts those that are ignored."""

    level: Severity = Severity.WARNING
    selected: Sequence[str] = ()
    """Codes to report, or the first words of codes; empty for all."""
    ignored_codes: Sequence[str] = ()
    """Codes not to report, or the first words of codes."""
    allowed: frozenset[AllowedFinding] = frozenset()
    ignored: int = 0
    """Number of ignored and allowed findings so far."""
    used: set[AllowedFinding] = field(default_factory=set[AllowedFinding])
    """The allowed findings that occurred."""

    def takes(self, found: FileFinding) -> bool:
        """Whether a finding is reported."""
        finding = found.finding
        if finding.severity not in _REPORTED[self.level]:
            return False
        if self.selected and not matches_code(finding.code, self.selected):
            return False
        if matches_code(finding.code, self.ignored_codes) or self._is_allowed(found):
            self.ignored += 1
            return False
        return True

    def _is_allowed(self, found: FileFinding) -> bool:
        name, code = Path(found.file or "").name, found.finding.code
        for allowed in (
            AllowedFinding(name, found.row, found.finding.entry, code),
            AllowedFinding(name, found.row, None, code),
            AllowedFinding("", None, None, code),
        ):
            if allowed in self.allowed:
                self.used.add(allowed)
                return True
        return False


def codes_of(words: Sequence[str] | None, option: str) -> tuple[str, ...]:
    """Return the codes of an option, which may also be separated by commas.

    Raises:
        BadInput: There is no such code.
    """
    known = [code.word for code in ROW_CODES]
    codes = tuple(word.strip() for given in words or () for word in given.split(",") if word.strip())
    for word in codes:
        if not word.startswith("schema") and not any(matches_code(code, [word]) for code in known):
            remedy = did_you_mean(word, known, otherwise="see docs/reference/row-codes.md")
            raise BadInput(f"{option} {word}", "there is no such code", remedy)
    return codes


def read_allowed(path: str) -> frozenset[AllowedFinding]:
    """Read a list of allowed findings: a line of `workbench check` each, or a code alone; `#` begins a comment.

    Raises:
        BadInput: The file cannot be read, or a line is neither.
    """
    if not path:
        return frozenset()
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--allow {path}", str(getattr(error, "strerror", "") or error)) from error
    allowed: set[AllowedFinding] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        match = _ALLOWED.fullmatch(plain)
        if match:
            entry = int(match["entry"]) if match["entry"] else None
            allowed.add(AllowedFinding(Path(match["file"]).name, int(match["row"]), entry, match["code"]))
        elif _CODE.fullmatch(plain.partition("#")[0].strip()):
            allowed.add(AllowedFinding("", None, None, plain.partition("#")[0].strip()))
        else:
            remedy = "write a line of `workbench check`, such as rows.jsonl:3:1: placeholder, or a code"
            raise BadInput(f"--allow {path}, line {number}", "neither a finding nor a code", remedy)
    return frozenset(allowed)
