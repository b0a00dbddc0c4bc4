"""What the commands for runs share: options for reports, the address of the page, and a run as one line.

It imports no suites, models or reports, so that `workbench runs list` starts quickly.
"""

from typing import Annotated, Final

import typer

from workbench.cli.terminal.paint import count_of
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.records.runs import ListedRun
from workbench.settings import Settings

BaselineRun = Annotated[str, typer.Option(metavar="RUN", help="Compare with this run")]
JsonFile = Annotated[
    str, typer.Option(metavar="FILE", help="Write the report as JSON; - prints it and nothing else")
]
JunitFile = Annotated[str, typer.Option(metavar="FILE", help="Write the report as JUnit XML")]
HtmlFile = Annotated[str, typer.Option(metavar="FILE", help="Write the report as an HTML file")]
MarkdownFile = Annotated[str, typer.Option(metavar="FILE", help="Write the report as Markdown")]

_EVERYWHERE: Final = ("0.0.0.0", "::")


def json_destination(json_out: str, *, is_printed: bool) -> str:
    """Return the file for a report as JSON, `-` for standard output, or an empty text for none.

    Raises:
        BadInput: Both a file and standard output are asked for.
    """
    if is_printed and json_out not in ("", "-"):
        raise BadInput("--json", "--json-out writes the same report to a file", "omit one of the two options")
    return "-" if is_printed else json_out


def page_address(settings: Settings) -> str:
    """Return the address of the page on this machine, without a slash at the end."""
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def run_line(run: ListedRun) -> str:
    """Return a listed run as one line: id, time, state, title, tags and counts."""
    errors = count_of(run.errors, "error")
    tags = f" [{', '.join(run.tags)}]" if run.tags else ""
    passed = f"{run.unchecked} without checks, " if run.unchecked else ""
    if run.checked or not run.unchecked:
        passed = f"{run.passed} passed, {passed}"
    passed = f"{passed}{run.void} void, " if run.void else passed
    counts = f"{passed}{errors}, {run.done} of {run.total} done"
    moment = run.created_at.strftime("%Y-%m-%d %H:%M")
    return shown(f"{run.id[:12]}  {moment}  {run.state.value}  {run.title}{tags}: {counts}")
