"""The verbs, put together; errors become one line and an exit code."""

import sys
from typing import Annotated, Final, NoReturn

import typer

from workbench import __version__
from workbench.cli import chat, doctor, export, models, serve
from workbench.cli.prompts import render, template
from workbench.cli.reader import differ, parse
from workbench.errors import EngineError, WorkbenchError

BAD_INPUT: Final = 2
"""Exit code of bad usage or input, and of a store that cannot be used."""
ENGINE_FAILED: Final = 3
"""Exit code of a model that cannot be asked."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"workbench {__version__}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A playground and contract workbench for Hermes-style tool calling."""


def build_app() -> typer.Typer:
    """The command line with all its verbs."""
    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_root)
    app.command("chat")(chat.chat)
    app.command("serve")(serve.serve)
    app.command("parse")(parse.parse)
    app.command("differ")(differ.differ)
    app.command("render")(render.render)
    app.add_typer(template.build_app(), name="template")
    app.command("export")(export.export)
    app.command("doctor")(doctor.doctor)
    app.add_typer(models.build_app(), name="models")
    return app


def run() -> NoReturn:
    """Runs the verb that `sys.argv` names. Ours become a line on standard error and an exit code."""
    try:
        build_app()()
    except WorkbenchError as error:
        print(f"workbench: {error}", file=sys.stderr)
        sys.exit(ENGINE_FAILED if isinstance(error, EngineError) else BAD_INPUT)
    sys.exit(0)
