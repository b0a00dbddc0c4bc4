"""Print findings of `workbench check`: as lines, as one JSON object, for GitHub, or as SARIF."""

import json
import sys
from collections import Counter
from types import TracebackType
from typing import Final, Self

from workbench import __version__
from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.check_filter import CheckFilter
from workbench.cli.terminal.paint import Tone, count_of, terminal_paint
from workbench.cli.terminal.visible import shown
from workbench.library.datasets.checking import FileFinding
from workbench.trajectory.validate.codes import meaning_of_code

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}


class CheckReport:
    """Counts and prints findings.

    Args:
        chosen: Which findings are reported. Others are not counted either.
        shows_findings: Whether to print the findings; False prints only the totals.
    """

    def __init__(self, chosen: CheckFilter, *, shows_findings: bool = True) -> None:
        self._chosen = chosen
        self._shows = shows_findings
        self._codes: Counter[str] = Counter()
        self._severities: Counter[Severity] = Counter()

    @property
    def errors(self) -> int:
        """Number of errors reported so far."""
        return self._severities[Severity.ERROR]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout.flush()

    def add(self, found: FileFinding) -> None:
        """Print and count a finding if it is to be reported."""
        if self._chosen.takes(found):
            if self._shows:
                self._print(found, is_first=not self._codes)
            self._codes[found.finding.code] += 1
            self._severities[found.finding.severity] += 1

    def end(self, rows: int) -> None:
        """Print the summary."""
        raise NotImplementedError

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        raise NotImplementedError

    def _summary(self, rows: int) -> JsonObject:
        ignored: JsonObject = {"ignored": self._chosen.ignored} if self._chosen.ignored else {}
        return {
            "rows": rows,
            "errors": self._severities[Severity.ERROR],
            "warnings": self._severities[Severity.WARNING],
            "codes": dict(sorted(self._codes.items())),
            **ignored,
        }


class TextReport(CheckReport):
    """A report for a person: one line per finding, then a table of codes."""

    def __init__(self, chosen: CheckFilter, *, shows_findings: bool = True) -> None:
        super().__init__(chosen, shows_findings=shows_findings)
        self._paint = terminal_paint()

    def end(self, rows: int) -> None:
        """Print the summary on standard error, so that standard output has only findings, or only the statistics."""
        sys.stdout.flush()
        for code, count in self._codes.most_common():
            if self._shows:
                print(f"{count:8,}  {code}", file=sys.stderr)
            else:
                print(f"{count}\t{code}\t{meaning_of_code(code)}")
        sys.stdout.flush()
        errors, warnings = self._severities[Severity.ERROR], self._severities[Severity.WARNING]
        if errors or warnings:
            found = f"{count_of(errors, 'error')}, {count_of(warnings, 'warning')}"
        else:
            found = "no problems found"
        ignored = f", {self._chosen.ignored:,} ignored" if self._chosen.ignored else ""
        print(f"{count_of(rows, 'row')}, {found}{ignored}", file=sys.stderr)

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        finding = found.finding
        code = self._paint(finding.code, _TONES[finding.severity])
        print(f"{shown(_place(found))}: {code} {shown(_message(found))}")


class JsonReport(CheckReport):
    """A report for a program: one JSON object, written piece by piece."""

    def __enter__(self) -> Self:
        sys.stdout.write('{"findings": [')
        return self

    def end(self, rows: int) -> None:
        """Close the list and write the summary."""
        print(f'], "summary": {json.dumps(self._summary(rows))}}}')

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        fields = {"file": found.file, "row": found.row, **found.finding.document()}
        sys.stdout.write(("" if is_first else ", ") + json.dumps(fields))


class GitHubReport(TextReport):
    """A report for a workflow of GitHub Actions, which shows each finding at its line.

    *Source:* https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """

    _LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        finding = found.finding
        place = {"file": found.file, "line": found.row, "title": finding.code}
        listed = ",".join(
            f"{key}={_escaped(str(value), is_property=True)}"
            for key, value in place.items()
            if value is not None
        )
        print(f"::{self._LEVELS[finding.severity]} {listed}::{_escaped(_message(found))}")


class SarifReport(CheckReport):
    """A report in SARIF 2.1.0, which code scanning services read.

    *Source:* https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """

    def __enter__(self) -> Self:
        sys.stdout.write('{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", ')
        sys.stdout.write('"runs": [{"results": [')
        return self

    def end(self, rows: int) -> None:
        """Close the list and write which rules there are."""
        rules = [
            {"id": code, "shortDescription": {"text": meaning_of_code(code)}} for code in sorted(self._codes)
        ]
        driver = {"name": "workbench check", "version": __version__, "rules": rules}
        properties = json.dumps(self._summary(rows))
        print(f'], "tool": {{"driver": {json.dumps(driver)}}}, "properties": {properties}}}]}}')

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        finding = found.finding
        pointer = _pointer(found)
        physical: JsonObject = {"artifactLocation": {"uri": found.file or "all files"}}
        if found.row is not None:
            physical = {**physical, "region": {"startLine": found.row}}
        location: JsonObject = {"physicalLocation": physical}
        if pointer:
            location = {**location, "logicalLocations": [{"fullyQualifiedName": pointer}]}
        result: JsonObject = {
            "ruleId": finding.code,
            "level": finding.severity.value,
            "message": {"text": finding.message},
            "locations": [location],
        }
        sys.stdout.write(("" if is_first else ", ") + json.dumps(result))


def _place(found: FileFinding) -> str:
    """Return file, row and entry of a finding, as the lines of the report begin."""
    place = [found.file or "all files", found.row, found.finding.entry]
    return ":".join(str(part) for part in place if part is not None)


def _message(found: FileFinding) -> str:
    """Return the message, with the pointer in parentheses."""
    pointer = _pointer(found)
    return f"{found.finding.message} ({pointer})" if pointer else found.finding.message


def _pointer(found: FileFinding) -> str:
    """Return the pointer; for arguments, after the pointer to their call."""
    finding = found.finding
    if finding.code.startswith("schema-") and finding.call_pointer:
        return f"{finding.call_pointer} {finding.pointer}"
    return finding.pointer


def _escaped(text: str, *, is_property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text
