"""`workbench env`: export suites as environments for reinforcement learning."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from workbench.app.runs.environments import export_suite
from workbench.cli.suites.files import suites_named, write_file
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.exchange.environments import TARGETS
from workbench.suite.reward import shape_of


def build_app() -> typer.Typer:
    """Return the commands of `workbench env`."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_group)
    app.command("export")(export)
    return app


def _group() -> None:
    """Export suites as environments for reinforcement learning."""


def export(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Name or file of the suite")],
    to: Annotated[str, typer.Option(metavar="TRAINER", help=f"Trainer: {', '.join(TARGETS)}")],
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Folder for the package")],
    contract: Annotated[
        str, typer.Option(metavar="NAME", help="Contract", show_default="WORKBENCH_CONTRACT")
    ] = "",
    reward: Annotated[
        str,
        typer.Option(
            metavar="JSON",
            help="Weights of format, name, arguments, result and no_needless_call",
        ),
    ] = '{"result": 1}',
) -> None:
    """Export a suite as a package that a trainer installs.

    The reward is the score of the suite. Reports the cases that were skipped.
    """
    if to not in TARGETS:
        raise BadInput("--to", f"unknown trainer {to!r}", f"use one of {', '.join(TARGETS)}")
    try:
        weights = json.loads(reward)
        shape_of(weights)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInput("--reward", str(error), 'write {"result": 1}') from error
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        [loaded] = suites_named(services, [suite])
        exported = export_suite(services, loaded, to, contract=contract, weights=weights)
    for line in exported.left_out:
        print(f"skipped: {line}", file=sys.stderr)
    for file, text in exported.files.items():
        path = Path(out).expanduser() / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(path), text)
        print(path)
