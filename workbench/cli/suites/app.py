"""`workbench suites`: import and export suites, and add cases to them."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.runs.casting import OWN_SUITE, add_case, case_of_turn, offered_toolsets
from workbench.cli.suites.files import import_file, suites_named, write_file
from workbench.cli.terminal.sources import read_text
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.case import Suite
from workbench.suite.exchange.bfcl import ExportedSuite, ImportedSuite, export_bfcl
from workbench.suite.exchange.openai import export_openai
from workbench.suite.exchange.promptfoo import export_promptfoo
from workbench.suite.read_suite import render_suite

FORMS: Final[Mapping[str, Callable[[Suite], ExportedSuite]]] = {
    "bfcl": export_bfcl,
    "promptfoo": export_promptfoo,
    "openai": export_openai,
}
"""The formats that suites are exported to."""


def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="promptfoo tests (.yaml), BFCL questions or τ-bench tasks (.json), or OpenAI messages (.jsonl)",
        ),
    ],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the suite", show_default="the name of the file")
    ] = "",
    toolset: Annotated[
        str,
        typer.Option(metavar="TOOLSET", help="Tools of the domain of τ-bench tasks", show_default=False),
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="FILE", help="File to write", show_default="standard output")
    ] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Treat anything that was skipped as an error")
    ] = False,
) -> None:
    """Import a suite from another format.

    Writes a suite file, and reports what was skipped. Exit code 1 with --strict if anything was.
    """
    path = Path(file).expanduser()
    imported = _imported_tasks(path, name, toolset) if toolset else import_file(path, name=name)
    for line in imported.left_out:
        print(f"skipped: {line}", file=sys.stderr)
    if strict and imported.left_out:
        raise typer.Exit(1)
    text = render_suite(imported.suite)
    if out:
        write_file(out, text)
    else:
        print(text, end="")


def _imported_tasks(path: Path, name: str, toolset: str) -> ImportedSuite:
    from workbench.app.runs.tau_tasks import tau_suite
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        return tau_suite(services, read_text(str(path)), name=name or path.stem, toolset=toolset)


def case(
    session: Annotated[
        str, typer.Argument(metavar="SESSION", help="ID of the session, from `workbench sessions list`")
    ],
    message: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="Any message of the turn, from `workbench sessions show`",
            show_default="the last turn",
        ),
    ] = "",
    conversation: Annotated[
        bool,
        typer.Option("--conversation", help="The whole conversation; what the person said is its script"),
    ] = False,
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="Suite to add the case to, as a new version")
    ] = OWN_SUITE,
) -> None:
    """Add a turn or a whole session to a suite as a case.

    The case expects the calls that the model made in it.
    """
    from workbench.app.runs.conversation_cases import case_of_conversation
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        stored = services.sessions.find_session(session)
        if stored is None:
            raise BadInput(f"session {session!r}", "no such session", "`workbench sessions list` lists them")
        path = services.sessions.path(session)
        toolsets = offered_toolsets(services, stored.setup)
        document = (
            case_of_conversation(services, stored.setup, path)
            if conversation
            else case_of_turn(stored.setup, path, message or None, toolsets=toolsets)
        )
        version = add_case(services, document, suite=suite)
    print(f"{version.name}@{version.number}")


def export(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Name or file of the suite")],
    to: Annotated[str, typer.Option(metavar="FORM", help=f"Format to write: {', '.join(FORMS)}")],
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Folder for the files")] = ".",
) -> None:
    """Export a suite to another format.

    Reports the cases that were skipped.
    """
    if to not in FORMS:
        raise BadInput("--to", f"unknown format {to!r}", f"use one of {', '.join(FORMS)}")
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        [loaded] = suites_named(services, [suite])
    exported = FORMS[to](loaded)
    for line in exported.left_out:
        print(f"skipped: {line}", file=sys.stderr)
    for name, text in exported.files.items():
        path = str(Path(out).expanduser() / name)
        write_file(path, text)
        print(path)


GROUP: Final = {
    "import": import_,
    "export": export,
    "case": case,
}
"""The commands of `workbench suites`."""
