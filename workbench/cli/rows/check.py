"""`workbench check`: check training rows for errors."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.chat.finding import Severity
from workbench.cli.ray_options import AddressOption
from workbench.cli.rows.row_engine import (
    AllowEmptyOption,
    EngineOption,
    FormatOption,
    RowEngine,
    RowSources,
    runner_for,
)
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import ProgressLine, count_of, row_total
from workbench.errors import BadInput
from workbench.trajectory.formats.known import format_named


class OutputFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


HAS_ERRORS: Final = 1
"""Exit code if there is an error."""


def check(
    files: RowSources,
    format_: FormatOption = "auto",
    level: Annotated[Severity, typer.Option(help="Minimum severity to report")] = Severity.WARNING,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Report only this code, such as secret or schema; repeatable"),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Do not report this code, such as placeholder; repeatable"),
    ] = None,
    allow: Annotated[
        str,
        typer.Option(metavar="FILE", help="Do not report the findings in this file: lines of this command"),
    ] = "",
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print the number of findings per code instead of each")
    ] = False,
    output_format: Annotated[OutputFormat, typer.Option(help="How to print findings")] = OutputFormat.TEXT,
    as_json: JsonOption = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Number of processes")] = 1,
    engine: EngineOption = RowEngine.PROCESSES,
    address: AddressOption = "",
    allow_empty: AllowEmptyOption = False,
    fix_out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the rows with safe fixes applied to this file")
    ] = "",
    near: Annotated[bool, typer.Option(help="Look for near-duplicate rows")] = True,
    secrets: Annotated[bool, typer.Option(help="Look for secrets and personal data")] = True,
) -> None:
    """Check training rows for errors.

    Prints one line per finding, then a summary. Exit code 1 if there is an error; warnings alone give 0.
    """
    from workbench.cli.rows.check_filter import CheckFilter, codes_of, read_allowed
    from workbench.cli.rows.check_report import (
        GitHubReport,
        JsonReport,
        SarifReport,
        TextReport,
    )
    from workbench.library.datasets.checking import FilesCheck
    from workbench.library.datasets.row_files import shards_of
    from workbench.trajectory.validate.check import CheckOptions

    if as_json:
        output_format = OutputFormat.JSON
    _refuse(files, format_, fix_out, output_format)
    chosen = CheckFilter(
        level=level,
        selected=codes_of(select, "--select"),
        ignored_codes=codes_of(ignore, "--ignore"),
        allowed=read_allowed(allow),
    )
    files = [shard for file in files for shard in shards_of(file)]
    options = CheckOptions(finds_near=near, finds_secrets=secrets)
    runner = runner_for(engine, jobs=jobs, address=address)
    kind = {
        OutputFormat.TEXT: TextReport,
        OutputFormat.JSON: JsonReport,
        OutputFormat.GITHUB: GitHubReport,
        OutputFormat.SARIF: SarifReport,
    }[output_format]
    report = kind(chosen, shows_findings=not statistics)
    with report, ProgressLine("rows", lambda: row_total(files)) as progress:
        files_check = FilesCheck(
            files=files,
            read_as=format_,
            options=options,
            runner=runner,
            on_rows=progress.show,
            allows_empty=allow_empty,
        )
        for finding in files_check.findings():
            progress.hide()
            report.add(finding)
        progress.hide()
        report.end(files_check.totals.rows)
    if unused := len(chosen.allowed - chosen.used):
        print(f"{count_of(unused, 'line')} of {allow} did not match a finding", file=sys.stderr)
    if fix_out:
        _write_fixed(files, fix_out, format_)
    if report.errors:
        raise typer.Exit(HAS_ERRORS)


def _refuse(files: list[str], format_: str, fix_out: str, output_format: OutputFormat) -> None:
    if format_ != "auto":
        format_named(format_)
    if files.count("-") > 1 or ("-" in files and fix_out):
        raise BadInput("file -", "standard input can be read only once", "save it to a file first")
    if fix_out == "-" and output_format is not OutputFormat.TEXT:
        option = "--json" if output_format is OutputFormat.JSON else f"--output-format {output_format}"
        raise BadInput("--fix-out -", f"{option} already writes to standard output", "give a file")
    if fix_out and any(_is_same(file, fix_out) for file in files):
        raise BadInput(f"--fix-out {fix_out}", "this is one of the input files", "give another file")


def _is_same(file: str, other: str) -> bool:
    return Path(file).expanduser().resolve() == Path(other).expanduser().resolve()


def _write_fixed(files: list[str], target: str, read_as: str) -> None:
    from workbench.library.datasets.checking import repair_files

    done = repair_files(files, target, read_as=read_as)
    codes = ", ".join(f"{code} {count:,}" for code, count in sorted(done.codes.items()))
    line = f"{target}: {count_of(done.written, 'row')} written, {done.repaired:,} of them fixed"
    if codes:
        line += f" ({codes})"
    if done.left_out:
        line += f"; {count_of(done.left_out, 'unreadable row')} skipped"
    print(line, file=sys.stderr)
