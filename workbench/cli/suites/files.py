"""Load suites from files and write reports to files."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.runs.running import find_run
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.cli.terminal.paint import shown, write_json_line
from workbench.cli.terminal.sources import read_text
from workbench.errors import BadInput
from workbench.settings import Settings, read_settings
from workbench.suite.case import Suite
from workbench.suite.compare import compare as compare_results
from workbench.suite.exchange.bfcl import ImportedSuite, import_bfcl
from workbench.suite.exchange.openai import import_openai
from workbench.suite.exchange.promptfoo import import_promptfoo
from workbench.suite.read_suite import parse_suite
from workbench.suite.reports.html import report_html
from workbench.suite.reports.markdown import comparison_markdown, report_junit, report_markdown, table_text
from workbench.suite.reports.report import RunReport, comparison_json, report_json
from workbench.suite.reports.tables import change_table, comparison_line

_ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonl")
_FORMS: Final[Mapping[str, Callable[[RunReport, str], str]]] = {
    "json": lambda report, page_url: (
        json.dumps(report_json(report, page_url=page_url), ensure_ascii=False, indent=2) + "\n"
    ),
    "junit": lambda report, page_url: report_junit(report, page_url=page_url),
    "html": lambda report, page_url: report_html(report, page_url=page_url),
    "markdown": lambda report, page_url: report_markdown(report, page_url=page_url),
}
_EVERYWHERE: Final = ("0.0.0.0", "::")


def suites_named(services: Services, names: Sequence[str]) -> Sequence[Suite]:
    """Suites by name, or out of files: our own `.yaml`, promptfoo's `.yaml`, BFCL's `BFCL_v4_*.json`.

    Raises:
        BadInput: None is named, or one cannot be read.
        StoreError: The versions cannot be read.
    """
    if not names:
        raise BadInput("run", "no suite is named", "`workbench run --list` shows what there is")
    return [_suite(services, name) for name in names]


def write_reports(report: RunReport, files: Mapping[str, str], settings: Settings) -> None:
    """Writes the report in each form that has a file; `-` for JSON is standard output.

    Args:
        report: What to tell.
        files: Form to file; an empty name writes none.
        settings: Say where the page is that shows the rollouts.

    Raises:
        BadInput: A file cannot be written.
    """
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    page_url = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    for form, name in files.items():
        if form == "json" and name == "-":
            write_json_line(report_json(report, page_url=page_url))
        elif name:
            write_file(name, _FORMS[form](report, page_url))


def write_file(name: str, text: str) -> None:
    """Writes a text file.

    Raises:
        BadInput: It cannot be written.
    """
    try:
        Path(name).expanduser().write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"file {name}", str(error.strerror or error)) from error


def import_file(path: Path, *, name: str = "") -> ImportedSuite:
    """A suite out of a file: our own form, promptfoo's, BFCL's with the answers that lie beside it, OpenAI's.

    Args:
        name: What the suite is called; empty takes the file's.

    Raises:
        BadInput: It cannot be read.
    """
    text = read_text(str(path))
    called = name or path.stem.removeprefix("BFCL_v4_")
    if path.suffix in (".yaml", ".yml"):
        if _is_promptfoo(text):
            return import_promptfoo(text, name=called)
        return ImportedSuite(suite=parse_suite(text, name=called, read_file=_reader(path.parent)))
    if '"messages"' in text.partition("\n")[0]:
        return import_openai(text, name=called)
    answers = path.parent / "possible_answer" / path.name
    given = read_text(str(answers)) if answers.is_file() else None
    return import_bfcl(text, given, name=called)


def _suite(services: Services, name: str) -> Suite:
    path = Path(name).expanduser()
    if path.suffix in _ENDINGS:
        return import_file(path).suite
    return load_suite(services, name)


def _is_promptfoo(text: str) -> bool:
    keys = {line.partition(":")[0] for line in text.splitlines()}
    return "suite" not in keys and "tests" in keys


def _reader(folder: Path) -> Callable[[str], str]:
    return lambda name: read_text(str(folder / name))


BROKE = 1
"""Exit code where a case broke."""


def compare(
    before: Annotated[str, typer.Argument(metavar="RUN", help="The first; an id, its beginning, or last.")],
    after: Annotated[str, typer.Argument(metavar="RUN", help="The second.")],
    arms: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="ARM ARM", help="The one arm of each to compare; all by their labels if left out."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show cases that did not change, too.")] = False,
    markdown: Annotated[str, typer.Option(metavar="FILE", help="The same as Markdown.")] = "",
    json_output: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else.")
    ] = False,
) -> None:
    """Compare two runs: cases that broke, then those that were mended, with both readings.

    Exit code 1 where a case broke.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        first, second = find_run(services, before), find_run(services, after)
        found = compare_results(services.runs.results(first.id), services.runs.results(second.id), arms=arms)
    if not found.compared:
        raise BadInput("compare", "the runs have no scored case in common", "name one arm of each by --arms")
    if markdown:
        told = comparison_markdown(found, before=first.listed.title, after=second.listed.title)
        write_file(markdown, told)
    if json_output:
        write_json_line(comparison_json(found))
    else:
        print(comparison_line(found))
        print(shown(table_text(change_table(found, is_whole=everything))))
    if found.broke:
        raise typer.Exit(BROKE)
