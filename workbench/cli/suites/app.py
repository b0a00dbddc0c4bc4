"""`workbench suites`: import suites from other formats and export to them."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.runs.casting import OWN_SUITE, add_case, case_of_turn
from workbench.cli.suites.files import import_file, suites_named, write_file
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.case import Suite
from workbench.suite.exchange.bfcl import ExportedSuite, export_bfcl
from workbench.suite.exchange.openai import export_openai
from workbench.suite.exchange.promptfoo import export_promptfoo
from workbench.suite.read_suite import render_suite

FORMS: Final[Mapping[str, Callable[[Suite], ExportedSuite]]] = {
    "bfcl": export_bfcl,
    "promptfoo": export_promptfoo,
    "openai": export_openai,
}
"""Forms that a suite can be written in."""


def build_app() -> typer.Typer:
    """The commands."""
    app = typer.Typer(no_args_is_help=True)
    app.command("import")(import_)
    app.command("export")(export)
    app.command("case")(case)
    return app


def import_(
    file: Annotated[
        str, typer.Argument(help="promptfoo's .yaml, BFCL's .json or OpenAI messages as .jsonl.")
    ],
    name: Annotated[str, typer.Option(help="Of the suite; the file's if left out.")] = "",
    out: Annotated[str, typer.Option(help="File to write; standard output if left out.")] = "",
) -> None:
    """Make a suite's file of what others have."""
    imported = import_file(Path(file).expanduser(), name=name)
    for line in imported.left_out:
        print(f"left out: {line}", file=sys.stderr)
    text = render_suite(imported.suite)
    if out:
        write_file(out, text)
    else:
        print(text, end="")


def case(
    session: Annotated[str, typer.Argument(help="A session's id.")],
    message: Annotated[str, typer.Option(help="Any message of the turn; the last turn if left out.")] = "",
    suite: Annotated[str, typer.Option(help="Suite to add it to, as a new version.")] = OWN_SUITE,
) -> None:
    """Make a case of a turn: what the model called is wanted again."""
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        kept = services.sessions.find_session(session)
        if kept is None:
            raise BadInput(f"session {session!r}", "no such session")
        path = services.sessions.path(session)
        version = add_case(services, case_of_turn(kept.setup, path, message or None), suite=suite)
    print(f"{version.name}@{version.number}")


def export(
    suite: Annotated[str, typer.Argument(help="A suite's name or file.")],
    to: Annotated[str, typer.Option(help=f"One of {', '.join(FORMS)}.")],
    out: Annotated[str, typer.Option(help="Folder for the files.")] = ".",
) -> None:
    """Write a suite in the form of others."""
    if to not in FORMS:
        raise BadInput("--to", f"no form {to!r}", f"one of {', '.join(FORMS)}")
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        [one] = suites_named(services, [suite])
    exported = FORMS[to](one)
    for line in exported.left_out:
        print(f"left out: {line}", file=sys.stderr)
    for name, text in exported.files.items():
        path = str(Path(out).expanduser() / name)
        write_file(path, text)
        print(path)
