"""`workbench check`: check training rows for errors."""

import json
import sys
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Annotated, Final, Self

import typer

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.row_engine import AddressOption, EngineOption, FormatOption, RowEngine, runner_for
from workbench.cli.terminal.paint import Tone, shown, terminal_paint, with_progress
from workbench.errors import BadInput
from workbench.library.datasets.checking import FileFinding
from workbench.trajectory.formats.known import format_named

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}
_REPORTED: Final = {
    Severity.ERROR: frozenset({Severity.ERROR}),
    Severity.WARNING: frozenset({Severity.ERROR, Severity.WARNING}),
    Severity.NOTE: frozenset(Severity),
}
"""The severities that are reported at each level."""


class CheckReport:
    """Counts and prints findings.

    Args:
        level: Minimum severity to report. Findings below it are not counted either.
    """

    def __init__(self, level: Severity) -> None:
        self._reported = _REPORTED[level]
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
        """Print and count a finding if it is severe enough."""
        severity = found.finding.severity
        if severity in self._reported:
            self._print(found, is_first=not self._codes)
            self._codes[found.finding.code] += 1
            self._severities[severity] += 1

    def end(self, rows: int) -> None:
        """Print the summary."""
        raise NotImplementedError

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        raise NotImplementedError

    def _summary(self, rows: int) -> JsonObject:
        return {
            "rows": rows,
            "errors": self._severities[Severity.ERROR],
            "warnings": self._severities[Severity.WARNING],
            "codes": dict(sorted(self._codes.items())),
        }


class TextReport(CheckReport):
    """A report for a person: one line per finding, then a table of codes."""

    def __init__(self, level: Severity) -> None:
        super().__init__(level)
        self._paint = terminal_paint()

    def end(self, rows: int) -> None:
        """Print the summary on standard error, so that standard output has only findings."""
        sys.stdout.flush()
        for code, count in self._codes.most_common():
            print(f"{count:8,}  {code}", file=sys.stderr)
        errors, warnings = self._severities[Severity.ERROR], self._severities[Severity.WARNING]
        if errors or warnings:
            found = f"{_count(errors, 'error')}, {_count(warnings, 'warning')}"
        else:
            found = "no problems found"
        print(f"{_count(rows, 'row')}, {found}", file=sys.stderr)

    def _print(self, found: FileFinding, *, is_first: bool) -> None:
        finding = found.finding
        place = [found.file or "all files", found.row, finding.entry]
        where = ":".join(str(part) for part in place if part is not None)
        pointer = f" ({finding.pointer})" if finding.pointer else ""
        code = self._paint(finding.code, _TONES[finding.severity])
        print(f"{shown(where)}: {code} {shown(finding.message)}{shown(pointer)}")


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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


HAS_ERRORS: Final = 1
"""Exit code if there is an error."""


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="JSONL, gzipped JSONL, JSON array or Parquet, a folder of these, or - for standard input",
        ),
    ],
    format_: FormatOption = "auto",
    level: Annotated[Severity, typer.Option(help="Minimum severity to report")] = Severity.WARNING,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print findings and summary as one JSON object")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Number of processes")] = 1,
    engine: EngineOption = RowEngine.PROCESSES,
    address: AddressOption = "",
    fix_out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the rows with safe fixes applied to this file")
    ] = "",
    near: Annotated[bool, typer.Option(help="Look for near-duplicate rows")] = True,
    secrets: Annotated[bool, typer.Option(help="Look for secrets and personal data")] = True,
) -> None:
    """Check training rows for errors.

    Prints one line per finding, then a summary. Exit code 1 if there is an error; warnings alone give 0.
    """
    from workbench.library.datasets.checking import FilesCheck
    from workbench.library.datasets.row_files import shards_of
    from workbench.trajectory.validate.rows_check import CheckOptions

    _refuse(files, format_, fix_out, as_json=as_json)
    files = [shard for file in files for shard in shards_of(file)]
    options = CheckOptions(finds_near=near, finds_secrets=secrets)
    files_check = FilesCheck(
        files=files, read_as=format_, options=options, runner=runner_for(engine, jobs=jobs, address=address)
    )
    report = (JsonReport if as_json else TextReport)(level)
    with report:
        for finding in with_progress(files_check.findings(), "findings"):
            report.add(finding)
        report.end(files_check.totals.rows)
    if fix_out:
        _write_fixed(files, fix_out, format_)
    if report.errors:
        raise typer.Exit(HAS_ERRORS)


def _refuse(files: list[str], format_: str, fix_out: str, *, as_json: bool) -> None:
    if format_ != "auto":
        format_named(format_)
    if files.count("-") > 1 or ("-" in files and fix_out):
        raise BadInput("file -", "standard input can be read only once", "save it to a file first")
    if fix_out == "-" and as_json:
        raise BadInput("--fix-out -", "--json already writes to standard output", "give a file")
    if fix_out and any(_is_same(file, fix_out) for file in files):
        raise BadInput(f"--fix-out {fix_out}", "this is one of the input files", "give another file")


def _is_same(file: str, other: str) -> bool:
    return Path(file).expanduser().resolve() == Path(other).expanduser().resolve()


def _write_fixed(files: list[str], target: str, read_as: str) -> None:
    from workbench.library.datasets.checking import repair_files

    done = repair_files(files, target, read_as=read_as)
    codes = ", ".join(f"{code} {count:,}" for code, count in sorted(done.codes.items()))
    line = f"{target}: {_count(done.written, 'row')} written, {done.repaired:,} of them fixed"
    if codes:
        line += f" ({codes})"
    if done.left_out:
        line += f"; {_count(done.left_out, 'unreadable row')} skipped"
    print(line, file=sys.stderr)
