"""`workbench check`: report what is wrong with training rows, and where."""

import json
import sys
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Annotated, Final, Self

import typer

from workbench.chat.finding import Severity
from workbench.chat.json_value import JsonObject
from workbench.cli.rows.row_engine import ADDRESS_HELP, ENGINE_HELP, RowEngine, runner_for
from workbench.cli.terminal.paint import Tone, shown, terminal_paint, with_progress
from workbench.errors import BadInput
from workbench.library.datasets.checking import FileFinding
from workbench.trajectory.formats.known import FORMATS, format_named

_TONES: Final = {Severity.ERROR: Tone.BAD, Severity.WARNING: Tone.FIX, Severity.NOTE: Tone.QUIET}
_TOLD: Final = {
    Severity.ERROR: frozenset({Severity.ERROR}),
    Severity.WARNING: frozenset({Severity.ERROR, Severity.WARNING}),
    Severity.NOTE: frozenset(Severity),
}
"""What is told at each level."""


class CheckReport:
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


class TextReport(CheckReport):
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


class JsonReport(CheckReport):
    """For a program: one JSON object, written as it comes."""

    def __enter__(self) -> Self:
        sys.stdout.write('{"findings": [')
        return self

    def end(self, rows: int) -> None:
        """Close the list and write the summary."""
        print(f'], "summary": {json.dumps(self._summary(rows))}}}')

    def _tell(self, one: FileFinding, *, is_first: bool) -> None:
        fields = {"file": one.file, "row": one.row, **one.finding.document()}
        sys.stdout.write(("" if is_first else ", ") + json.dumps(fields))


FAULTY: Final = 1
"""Exit code where any error was found."""


def check(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…|-", help="Rows: JSONL, gzip, JSON array, Parquet; or folders of them."),
    ],
    format_: Annotated[str, typer.Option("--format", help=f"auto, or one of {', '.join(FORMATS)}.")] = "auto",
    level: Annotated[
        Severity, typer.Option(metavar="error|warning", help="The least that is told.")
    ] = Severity.WARNING,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print findings and summary as one JSON object.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes that check.")] = 1,
    engine: Annotated[RowEngine, typer.Option(help=ENGINE_HELP)] = RowEngine.PROCESSES,
    address: Annotated[str, typer.Option(help=ADDRESS_HELP)] = "",
    fix_out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the rows with the safe repairs made; say which.")
    ] = "",
    near: Annotated[bool, typer.Option(help="Look for rows that are almost equal.")] = True,
    secrets: Annotated[bool, typer.Option(help="Look for secrets and personal data.")] = True,
) -> None:
    """Say what is wrong with training rows: one line a finding, then a summary.

    Exit code 1 where there is an error, 0 with warnings alone.
    """
    # folded
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
        for one in with_progress(files_check.findings(), "findings"):
            report.add(one)
        report.end(files_check.totals.rows)
    if fix_out:
        _write_mended(files, fix_out, format_)
    if report.errors:
        raise typer.Exit(FAULTY)


def _refuse(files: list[str], format_: str, fix_out: str, *, as_json: bool) -> None:
    if format_ != "auto":
        format_named(format_)
    if files.count("-") > 1 or ("-" in files and fix_out):
        raise BadInput("file -", "standard input can be read once only", "write it to a file")
    if fix_out == "-" and as_json:
        raise BadInput("--fix-out -", "standard output is taken by --json", "name a file")
    if fix_out and any(_is_same(file, fix_out) for file in files):
        raise BadInput(f"--fix-out {fix_out}", "it is a file that is read", "name another")


def _is_same(file: str, other: str) -> bool:
    return Path(file).expanduser().resolve() == Path(other).expanduser().resolve()


def _write_mended(files: list[str], target: str, read_as: str) -> None:
    from workbench.library.datasets.checking import repair_files

    done = repair_files(files, target, read_as=read_as)
    counts = ", ".join(f"{code} {count:,}" for code, count in sorted(done.codes.items())) or "none"
    line = f"{target}: {done.written:,} rows written, {done.repaired:,} of them mended ({counts})"
    if done.left_out:
        line += f"; {done.left_out:,} unreadable rows left out"
    print(line, file=sys.stderr)
