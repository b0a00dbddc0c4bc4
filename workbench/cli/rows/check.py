"""`workbench check`: what is wrong with training rows, and where."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.chat.finding import Severity
from workbench.cli.rows.row_engine import ADDRESS_HELP, ENGINE_HELP, RowEngine, spread_of
from workbench.cli.terminal.progress import with_progress
from workbench.errors import BadInput
from workbench.trajectory.formats.known import FORMATS, format_named

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
    from workbench.cli.rows.check_report import JsonReport, TextReport
    from workbench.library.datasets.checking import FilesCheck
    from workbench.library.datasets.row_files import shards_of
    from workbench.trajectory.validate.rows_check import CheckTerms

    _refuse(files, format_, fix_out, as_json=as_json)
    files = [shard for file in files for shard in shards_of(file)]
    terms = CheckTerms(finds_near=near, finds_secrets=secrets)
    files_check = FilesCheck(
        files=files, read_as=format_, terms=terms, spread=spread_of(engine, jobs=jobs, address=address)
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
    from workbench.library.datasets.checking import mend_files

    done = mend_files(files, target, read_as=read_as)
    told = ", ".join(f"{code} {count:,}" for code, count in sorted(done.codes.items())) or "none"
    line = f"{target}: {done.written:,} rows written, {done.mended:,} of them mended ({told})"
    if done.left_out:
        line += f"; {done.left_out:,} unreadable rows left out"
    print(line, file=sys.stderr)
