"""What a check tells: finding by finding, and summed up."""

import json
import sys
from collections import Counter
from types import TracebackType
from typing import Final, Self

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.terminal.paint import Tone, shown, terminal_paint
from workbench.library.datasets.checking import FileFinding

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}
_TOLD: Final = {
    Severity.ERROR: frozenset({Severity.ERROR}),
    Severity.WARNING: frozenset({Severity.ERROR, Severity.WARNING}),
    Severity.NOTE: frozenset(Severity),
}
"""What is told at each level."""


class Report:
    """Counts findings and tells them.

    Args:
        level: The least that is told; what is not told does not count either.
    """

    def __init__(self, level: Severity) -> None:
        self._told = _TOLD[level]
        self._codes: Counter[str] = Counter()
        self._severities: Counter[Severity] = Counter()

    @property
    def errors(self) -> int:
        """So many errors were told."""
        return self._severities[Severity.ERROR]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout.flush()

    def add(self, one: FileFinding) -> None:
        """Tell a finding, if it is of the level."""
        severity = one.finding.severity
        if severity in self._told:
            self._tell(one, is_first=not self._codes)
            self._codes[one.finding.code] += 1
            self._severities[severity] += 1

    def end(self, rows: int) -> None:
        """Tell the summary."""
        raise NotImplementedError

    def _tell(self, one: FileFinding, *, is_first: bool) -> None:
        raise NotImplementedError

    def _summary(self, rows: int) -> JsonObject:
        return {
            "rows": rows,
            "errors": self._severities[Severity.ERROR],
            "warnings": self._severities[Severity.WARNING],
            "codes": dict(sorted(self._codes.items())),
        }


class TextReport(Report):
    """For a person: a line a finding, a table of codes."""

    def __init__(self, level: Severity) -> None:
        super().__init__(level)
        self._paint = terminal_paint()

    def end(self, rows: int) -> None:
        """Tell the summary on standard error, so that the lines of findings stay alone."""
        sys.stdout.flush()
        for code, count in self._codes.most_common():
            print(f"{count:8,}  {code}", file=sys.stderr)
        errors, warnings = self._severities[Severity.ERROR], self._severities[Severity.WARNING]
        print(f"{rows:,} rows, {errors:,} errors, {warnings:,} warnings", file=sys.stderr)

    def _tell(self, one: FileFinding, *, is_first: bool) -> None:
        finding = one.finding
        place = [one.file or "all files", one.row, finding.entry]
        where = ":".join(str(part) for part in place if part is not None)
        pointer = f" ({finding.pointer})" if finding.pointer else ""
        code = self._paint(finding.code, _TONES[finding.severity])
        print(f"{shown(where)}: {code} {shown(finding.message)}{shown(pointer)}")


class JsonReport(Report):
    """For a program: one JSON object, written as it comes."""

    def __enter__(self) -> Self:
        sys.stdout.write('{"findings": [')
        return self

    def end(self, rows: int) -> None:
        """Close the list and write the summary."""
        print(f'], "summary": {json.dumps(self._summary(rows))}}}')

    def _tell(self, one: FileFinding, *, is_first: bool) -> None:
        finding = one.finding
        fields = {
            "file": one.file,
            "row": one.row,
            "entry": finding.entry,
            "code": finding.code,
            "severity": finding.severity.value,
            "message": finding.message,
            "pointer": finding.pointer,
        }
        sys.stdout.write(("" if is_first else ", ") + json.dumps(fields))
