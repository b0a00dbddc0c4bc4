"""`workbench compare`, and what it shares with `workbench run`: load suites and write reports."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.runs.reports import report_form
from workbench.app.runs.running import find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.cli.suites.run_options import page_address
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.settings import Settings, read_settings
from workbench.suite.case import Suite
from workbench.suite.compare import compare as compare_results
from workbench.suite.exchange.any_suite import import_suite
from workbench.suite.exchange.bfcl import ImportedSuite
from workbench.suite.reports.markdown import comparison_markdown, table_text
from workbench.suite.reports.report import RunReport, comparison_json, report_json
from workbench.suite.reports.tables import change_table, comparison_line

_ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonl")


def suites_named(services: Services, names: Sequence[str]) -> Sequence[Suite]:
    """Load suites by name or from files: suite files and promptfoo's (`.yaml`), BFCL's (`BFCL_v4_*.json`).

    Raises:
        BadInput: There are no names, or a suite cannot be read.
        StoreError: The versions cannot be read.
    """
    if not names:
        raise BadInput("run", "no suite given", "`workbench run --list` lists the suites")
    return [_suite(services, name) for name in names]


def write_reports(report: RunReport, files: Mapping[str, str], settings: Settings) -> None:
    """Write the report in each requested form.

    Args:
        files: File name by form: `json`, `junit`, `html`, `markdown`. An empty name skips the form; `-` for JSON
            is standard output.
        settings: Give the address of the page, for links to the rollouts.

    Raises:
        BadInput: A file cannot be written.
    """
    page_url = page_address(settings)
    for form, name in files.items():
        if form == "json" and name == "-":
            write_json_line(report_json(report, page_url=page_url))
        elif name:
            write_file(name, report_form(form).write(report, page_url=page_url))


def write_file(name: str, text: str) -> None:
    """Write a text file.

    Raises:
        BadInput: The file cannot be written.
    """
    try:
        Path(name).expanduser().write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"file {name}", str(error.strerror or error)) from error


def import_file(path: Path, *, name: str = "") -> ImportedSuite:
    """Import a suite from a file: a suite file, promptfoo's, BFCL's or OpenAI's.

    BFCL's answers are read from the folder `possible_answer` next to the file, if it exists.

    Args:
        name: Name of the suite; if empty, the name of the file.

    Raises:
        BadInput: The file cannot be read.
    """
    from workbench.library.bfcl_classes import function_docs

    answers_file = path.parent / "possible_answer" / path.name
    return import_suite(
        read_text(str(path)),
        name=name or path.stem.removeprefix("BFCL_v4_"),
        is_yaml=path.suffix in (".yaml", ".yml"),
        read_file=_reader(path.parent),
        answers=read_text(str(answers_file)) if answers_file.is_file() else None,
        function_docs=function_docs,
    )


def _suite(services: Services, name: str) -> Suite:
    path = Path(name).expanduser()
    if path.suffix in _ENDINGS:
        return import_file(path).suite
    return load_suite(services, name)


def _reader(folder: Path) -> Callable[[str], str]:
    """Return a function that reads files relative to `folder`."""
    return lambda name: read_text(str(folder / name))


BROKE = 1
"""Exit code if a case that passed before fails now."""


def compare(
    before: Annotated[
        str, typer.Argument(metavar="RUN", help="Earlier run: its ID, the beginning of its ID, or last")
    ],
    after: Annotated[str, typer.Argument(metavar="RUN", help="Later run")],
    arms: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="ARM ARM",
            help="Compare this arm of each run; if omitted, arms with the same label are compared",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also show cases that did not change")] = False,
    markdown: Annotated[
        str, typer.Option(metavar="FILE", help="Also write the comparison to this Markdown file")
    ] = "",
    json_output: JsonOption = False,
) -> None:
    """Compare two runs case by case.

    Lists the cases that broke, then the cases that were fixed, with both readings. Exit code 1 if a case broke.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        first, second = find_run(services, before), find_run(services, after)
        found = compare_results(services.runs.results(first.id), services.runs.results(second.id), arms=arms)
    if not found.compared:
        raise BadInput(
            "compare", "the runs have no scored cases in common", "give an arm of each with --arms"
        )
    if markdown:
        text = comparison_markdown(found, before=first.listed.title, after=second.listed.title)
        write_file(markdown, text)
    if json_output:
        write_json_line(comparison_json(found))
    else:
        print(comparison_line(found))
        print(shown(table_text(change_table(found, is_whole=everything))))
    if found.broke:
        raise typer.Exit(BROKE)
