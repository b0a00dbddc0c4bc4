"""`workbench compare`: two runs of the same cases, what broke first."""

from typing import Annotated

import typer

from workbench.app.runs.running import find_run
from workbench.cli.suites.files import write_file
from workbench.cli.terminal.json_lines import write_json_line
from workbench.cli.terminal.paint import shown
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.compare import compare as compare_results
from workbench.suite.reports.markdown import comparison_markdown, table_text
from workbench.suite.reports.report import comparison_json
from workbench.suite.reports.tables import change_table, comparison_line

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
