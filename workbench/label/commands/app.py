"""Put the commands of `workbench labels` together."""

import typer

from workbench.label.commands.projects import (
    agreement,
    delete_project,
    projects,
    restore_project,
    save_project,
)
from workbench.label.commands.queueing import assign, progress, queue, review, unassign
from workbench.label.commands.reading import accept, add, export_labels, log, move, stale
from workbench.label.commands.samples import gold, judge, lot, sample


def build_app() -> typer.Typer:
    """Return the commands of `workbench labels`."""
    app = typer.Typer(no_args_is_help=True)
    app.command("queue")(queue)
    app.command("add")(add)
    app.command("move")(move)
    app.command("stale")(stale)
    app.command("accept")(accept)
    app.command("export")(export_labels)
    app.command("project")(save_project)
    app.command("projects")(projects)
    app.command("delete-project")(delete_project)
    app.command("restore-project")(restore_project)
    app.command("assign")(assign)
    app.command("unassign")(unassign)
    app.command("progress")(progress)
    app.command("agreement")(agreement)
    app.command("review")(review)
    app.command("sample")(sample)
    app.command("lot")(lot)
    app.command("gold")(gold)
    app.command("judge")(judge)
    app.command("log")(log)
    return app
