"""`workbench runs`: list, report, rename, tag, share and delete stored runs."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from workbench.chat.json_value import JsonObject
from workbench.cli.suites.run_options import (
    BaselineRun,
    HtmlFile,
    JsonFile,
    JunitFile,
    MarkdownFile,
    json_destination,
    page_address,
    run_line,
)
from workbench.cli.terminal.json_option import JsonOption
from workbench.cli.terminal.paint import write_json_line
from workbench.cli.terminal.visible import shown
from workbench.errors import BadInput
from workbench.records.runs import ListedRun, StoredRun
from workbench.settings import read_settings

if TYPE_CHECKING:
    from workbench.app.services import Services

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="ID of the run, the beginning of its ID, or last for the newest")
]


def run_json(run: ListedRun) -> JsonObject:
    """Return a listed run as JSON."""
    return {
        "id": run.id,
        "title": run.title,
        "tags": list(run.tags),
        "state": run.state.value,
        "created_at": run.created_at.isoformat(),
        "updated_at": run.updated_at.isoformat(),
        "total": run.total,
        "done": run.done,
        "passed": run.passed,
        "unchecked": run.unchecked,
        "errors": run.errors,
        "void": run.void,
        "is_shared": run.share_key is not None,
    }


def show_runs(
    tag: Annotated[str | None, typer.Option(metavar="TAG", help="Only runs with this tag")] = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="List the deleted runs that can be restored")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of runs")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Number of newest runs to skip")] = 0,
    json_output: JsonOption = False,
) -> None:
    """List stored runs, the newest first."""
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        found = own.runs.list_runs(limit=limit, offset=offset, tag=tag, is_deleted=deleted)
    if json_output:
        write_json_line({"runs": [run_json(run) for run in found]})
        return
    for run in found:
        print(run_line(run))


def report(
    run: Run,
    baseline: BaselineRun = "",
    json_out: JsonFile = "",
    junit: JunitFile = "",
    html: HtmlFile = "",
    markdown: MarkdownFile = "",
    as_json: JsonOption = False,
) -> None:
    """Report a stored run again, without running anything."""
    from workbench.app.runs.reports import report_for
    from workbench.cli.suites.files import write_reports
    from workbench.cli.suites.run_printing import print_report
    from workbench.wiring import open_services

    json_out = json_destination(json_out, is_printed=as_json)
    files = {"json": json_out, "junit": junit, "html": html, "markdown": markdown}
    with open_services(read_settings()) as services:
        compared = _find(services, baseline) if baseline else None
        found = report_for(services, _find(services, run), compared)
        write_reports(found, files, services.settings)
    if json_out != "-":
        print_report(found)


def rename(
    run: Run,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="New title")],
    json_output: JsonOption = False,
) -> None:
    """Give a run another title."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        stored = _find(services, run)
        services.runs.rename_run(stored.id, title)
        _print(services, stored.id, is_json=json_output)


def tag(
    run: Run,
    tags: Annotated[list[str] | None, typer.Argument(metavar="TAG", help="Tags to add")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove these tags instead")] = False,
    json_output: JsonOption = False,
) -> None:
    """Add tags to a run, or remove them."""
    from workbench.wiring import open_services

    if not tags:
        raise BadInput("runs tag", "no tag given", "write the tags after the run")
    with open_services(read_settings()) as services:
        stored = _find(services, run)
        before = stored.listed.tags
        after = [each for each in before if each not in tags] if remove else [*before, *tags]
        services.runs.tag_run(stored.id, after)
        _print(services, stored.id, is_json=json_output)


def share(
    run: Run,
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop sharing it instead; the link no longer works")
    ] = False,
) -> None:
    """Share the report of a run by a link.

    Anyone who has the link and can reach the page can read the report. It has no links to the rollouts.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        stored = _find(services, run)
        if stop:
            services.runs.unshare_run(stored.id)
            print("The report is no longer shared.")
        else:
            print(f"{page_address(services.settings)}/report/{services.runs.share_run(stored.id)}")


def delete(run: Run) -> None:
    """Delete a run with its results.

    It can be restored for 30 days. The sessions with its rollouts are not deleted.
    """
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        stored = _find(services, run)
        services.runs.delete_run(stored.id)
    print(shown(f"Deleted run {stored.id[:12]}: {stored.listed.title}"))
    print(f"To restore it within 30 days: workbench runs undelete {stored.id[:12]}")


def undelete(
    run: Annotated[str, typer.Argument(metavar="RUN", help="ID of a deleted run, or its beginning")],
) -> None:
    """Restore a deleted run."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        found = services.runs.find_run(run, is_deleted=True)
        if found is None:
            problem = "there is no such deleted run, or several"
            raise BadInput(f"run {run!r}", problem, "list them with `workbench runs list --deleted`")
        services.runs.restore_run(found.id)
    print(run_line(found.listed))


def _find(services: "Services", run: str) -> StoredRun:
    from workbench.app.runs.running import find_run

    return find_run(services, run)


def _print(services: "Services", run_id: str, *, is_json: bool) -> None:
    listed = _find(services, run_id).listed
    if is_json:
        write_json_line(run_json(listed))
    else:
        print(run_line(listed))


GROUP: Final = {
    "list": show_runs,
    "report": report,
    "rename": rename,
    "tag": tag,
    "share": share,
    "delete": delete,
    "undelete": undelete,
}
"""The commands of `workbench runs`."""
