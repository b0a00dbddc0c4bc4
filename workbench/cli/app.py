"""Put the commands together; turn errors into one line and an exit code."""

import sys
from collections.abc import Collection
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Final, NamedTuple, NoReturn

import typer

from workbench import __version__
from workbench.errors import EngineError, WorkbenchError

BAD_INPUT: Final = 2
"""Exit code of bad usage or input, and of a store that cannot be used."""
ENGINE_FAILED: Final = 3
"""Exit code of a model that cannot be asked."""


class Command(NamedTuple):
    """Where a command is, and what it does."""

    module: str
    """Has a function of the command's name, an underscore behind a word of Python's; or `build_app` for a group."""
    line: str
    """One line for the list of commands."""


COMMANDS: Final = {
    "chat": Command("workbench.cli.chat", "Play one turn: its calls, their results, the answer."),
    "serve": Command("workbench.cli.serve", "Serve the page until Ctrl+C."),
    "parse": Command("workbench.cli.parse", "Read a completion: its calls, every fix, every finding."),
    "differ": Command(
        "workbench.cli.differ", "Show what other rules take from a completion, and why they lose."
    ),
    "render": Command("workbench.cli.render", "Print the bytes of a prompt and nothing else."),
    "template": Command("workbench.cli.template", "Look into a model's own chat template."),
    "tools": Command("workbench.cli.tools", "See, check, import, export and call tools."),
    "export": Command(
        "workbench.cli.export", "Write sessions as rows with their receipt; say which stay out, why."
    ),
    "import": Command("workbench.cli.import_", "Make sessions of the rows of files, to label them."),
    "search": Command("workbench.cli.search", "Find sessions by the words in them."),
    "db": Command("workbench.cli.db", "Back the database up, restore it, check it, pack it."),
    "versions": Command(
        "workbench.cli.versions.app", "Look at versions, bring them back, name them; to files and back."
    ),
    "labels": Command(
        "workbench.cli.labels.app", "Label what models wrote, and see how far labellers agree."
    ),
    "auth": Command("workbench.cli.auth", "Make accounts that can log in."),
    "check": Command("workbench.cli.rows.check", "Say what is wrong with training rows, and where."),
    "convert": Command(
        "workbench.cli.rows.convert", "Write rows in another format; say what each loses, and which stay out."
    ),
    "stats": Command("workbench.cli.rows.stats", "Say what rows are made of, and what of a row is trained."),
    "compress": Command(
        "workbench.cli.rows.compress", "Make long rows fit: a stretch of the middle becomes a summary."
    ),
    "receipt": Command(
        "workbench.cli.rows.push", "Write the receipt of files of rows: hashes, counts, issues."
    ),
    "push": Command(
        "workbench.cli.rows.push", "Send files of rows, their card and receipt to a data set on the hub."
    ),
    "run": Command(
        "workbench.cli.suites.run", "Play suites against contracts and models, score and report them."
    ),
    "compare": Command("workbench.cli.suites.files", "Compare two runs: what broke, what was mended."),
    "suites": Command(
        "workbench.cli.suites.app", "Make suites of BFCL's, promptfoo's and OpenAI's files, and back."
    ),
    "synth": Command("workbench.cli.training.synth", "Write rows that teach tool calling, from grammars."),
    "train": Command(
        "workbench.cli.training.train", "Teach a model rows: an adapter, its GGUF, receipt and card."
    ),
    "heldout": Command(
        "workbench.cli.training.heldout", "Measure a model on held-out calls, with and without its adapter."
    ),
    "doctor": Command("workbench.cli.doctor", "Say what is there and what is missing."),
    "models": Command("workbench.cli.models", "See and get models."),
}
"""Every command, in the order of the list."""


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


def build_app(loaded: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """The command line.

    Args:
        loaded: Commands whose modules are imported, so that they can run; the others only stand in the list.
            A person who asks for help should not wait for modules that are not used.
    """
    app = typer.Typer(
        add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    app.callback()(_root)
    for name, command in COMMANDS.items():
        if name not in loaded:
            app.command(name, help=command.line)(_listed)
            continue
        module = import_module(command.module)
        if hasattr(module, "build_app"):
            app.add_typer(module.build_app(), name=name, help=command.line)
        else:
            app.command(name)(getattr(module, f"{name}_" if iskeyword(name) else name))
    return app


def _listed() -> None:
    """A command that stands in the list of commands and is not loaded."""


def run() -> NoReturn:
    """Runs the command that `sys.argv` names. Ours become a line on standard error and an exit code."""
    try:
        build_app(sys.argv[1:2])()
    except WorkbenchError as error:
        print(f"workbench: {error}", file=sys.stderr)
        sys.exit(ENGINE_FAILED if isinstance(error, EngineError) else BAD_INPUT)
    sys.exit(0)
