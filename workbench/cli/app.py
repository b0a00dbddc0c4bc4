"""Put the commands together; turn errors into one line and an exit code."""

import errno
import os
import sys
from collections.abc import Collection
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Final, NamedTuple, NoReturn

import typer

from workbench import __version__
from workbench.app import garbage
from workbench.cli.terminal.completion import COMPLETE_VARIABLE, completed_command
from workbench.cli.terminal.exit_code import ExitCode
from workbench.cli.terminal.groups import group_app
from workbench.cli.terminal.help_text import use_plain_help
from workbench.cli.terminal.visible import protect_terminals
from workbench.errors import EngineError, WorkbenchError

PROGRAM: Final = "workbench"
"""The name in usage lines and for shells, also if it was started as `python -m workbench`."""


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors of a disk without space, or of a quota."""


class CliCommand(NamedTuple):
    """A command, or a group of commands, and where to find it."""

    module: str
    """Has `GROUP` for a group, otherwise a function named as the command (`import_` for `import`)."""
    summary: str
    """One line for the list of commands, at most 64 characters: a longer one is cut there."""


COMMANDS: Final = {
    "chat": CliCommand("workbench.cli.chat", "Run one turn: prompt, tool calls, results, answer."),
    "serve": CliCommand("workbench.cli.serve", "Serve the page."),
    "gateway": CliCommand("workbench.cli.gateway", "Serve contracts and models over the OpenAI protocol."),
    "parse": CliCommand("workbench.cli.parse", "Parse a completion into tool calls, fixes and findings."),
    "differ": CliCommand("workbench.cli.differ", "Compare what different parsers extract from a completion."),
    "render": CliCommand("workbench.cli.render", "Render chat messages as a prompt, byte for byte."),
    "template": CliCommand("workbench.cli.template", "Check the chat template of a model."),
    "tools": CliCommand("workbench.cli.tools", "List, check, import, export and call tools."),
    "mcp": CliCommand(
        "workbench.cli.mcp_servers", "Manage MCP servers for models, and serve agents over MCP."
    ),
    "export": CliCommand("workbench.cli.export", "Export sessions as training rows."),
    "import": CliCommand("workbench.cli.import_", "Import training rows as sessions."),
    "sessions": CliCommand("workbench.cli.sessions", "List, show and score sessions."),
    "search": CliCommand("workbench.cli.search", "Search the text of sessions."),
    "db": CliCommand("workbench.cli.db", "Back up, restore, check and compact the database."),
    "versions": CliCommand(
        "workbench.cli.versions.app", "Manage versions of contracts, tools, presets and suites."
    ),
    "presets": CliCommand("workbench.cli.presets", "List and show presets of whole setups."),
    "labels": CliCommand(
        "workbench.label.commands.app", "Label messages and measure how far annotators agree."
    ),
    "auth": CliCommand("workbench.cli.auth", "Create accounts for the login page."),
    "check": CliCommand("workbench.cli.rows.check", "Check training rows for errors."),
    "convert": CliCommand("workbench.cli.rows.convert", "Convert training rows to another format."),
    "mix": CliCommand("workbench.cli.rows.mix", "Mix several files of training rows, with a receipt."),
    "diff": CliCommand("workbench.cli.rows.diff", "Compare two files of training rows."),
    "stats": CliCommand(
        "workbench.cli.rows.stats", "Show statistics of training rows, or the text trained on."
    ),
    "mask": CliCommand("workbench.cli.training.mask", "Show which tokens of rows a trainer trains on."),
    "compress": CliCommand("workbench.cli.rows.compress", "Shorten long rows by summarizing their middle."),
    "receipt": CliCommand(
        "workbench.cli.rows.push", "Write a receipt for row files: hashes, counts, issues."
    ),
    "push": CliCommand("workbench.cli.rows.push", "Upload row files to a dataset on the Hugging Face Hub."),
    "run": CliCommand(
        "workbench.cli.suites.run", "Run suites with contracts and models, and report the scores."
    ),
    "improve": CliCommand("workbench.cli.suites.improve", "Search for a better or shorter contract."),
    "runs": CliCommand("workbench.cli.suites.runs", "List, report, rename, tag, share and delete runs."),
    "compare": CliCommand("workbench.cli.suites.files", "Compare two runs case by case."),
    "env": CliCommand(
        "workbench.cli.suites.env", "Export suites as environments for reinforcement learning."
    ),
    "suites": CliCommand("workbench.cli.suites.app", "Import and export suites, and add cases to them."),
    "synth": CliCommand("workbench.cli.training.synth", "Generate training rows for tool calling."),
    "train": CliCommand("workbench.cli.training.train", "Train a model or a LoRA adapter on rows."),
    "average": CliCommand("workbench.cli.training.average", "Average LoRA adapters of the same base."),
    "heldout": CliCommand(
        "workbench.cli.training.heldout", "Measure a model and its adapter on held-out calls."
    ),
    "doctor": CliCommand("workbench.cli.doctor", "Check the installation."),
    "models": CliCommand("workbench.cli.models", "List, find, download and remove models."),
    "trust": CliCommand("workbench.cli.trust", "Let the Python files of a folder run."),
}
"""All commands, in the order in which `workbench --help` lists them."""


def _show_version(is_requested: bool) -> None:
    if is_requested:
        print(f"workbench {__version__}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", "-V", callback=_show_version, is_eager=True, help="Print the version")
    ] = False,
    no_local_code: Annotated[
        bool, typer.Option("--no-local-code", help="Do not run Python files of the folder's tools_catalog/")
    ] = False,
) -> None:
    """A playground and contract workbench for Hermes-style tool calling."""
    if no_local_code:
        os.environ["WORKBENCH_LOCAL_CODE"] = "off"


def build_app(loaded: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """Return the command line application.

    Args:
        loaded: Commands whose modules are imported, so that they can run. The others are only listed:
            `workbench --help` should not wait for modules that it does not use.
    """
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, command in COMMANDS.items():
        if name not in loaded:
            app.command(name, help=command.summary)(_not_loaded)
            continue
        module = import_module(command.module)
        if hasattr(module, "GROUP"):
            app.add_typer(group_app(module.GROUP), name=name, help=command.summary)
        else:
            app.command(name)(getattr(module, f"{name}_" if iskeyword(name) else name))
    use_plain_help(app)
    return app


def _not_loaded() -> None:
    """Stand in for a command that is listed but not loaded."""


def run() -> NoReturn:
    """Run the command that `sys.argv` names and exit.

    Errors of the workbench, and of a full disk, become one line on standard error and an exit code.
    """
    garbage.start()
    # Python processes that a command starts would otherwise import modules of the current folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    protect_terminals()
    try:
        is_completing = COMPLETE_VARIABLE in os.environ
        try:
            named = [word for word in sys.argv[1:] if not word.startswith("-")][:1]
            build_app(completed_command() if is_completing else named)(prog_name=PROGRAM)
        finally:
            # Otherwise the interpreter writes the rest after the exit code is decided.
            print(end="", flush=True)
    except WorkbenchError as error:
        print(f"workbench: {error}", file=sys.stderr)
        sys.exit(ExitCode.UNREACHABLE if isinstance(error, EngineError) else ExitCode.BAD_INPUT)
    except SystemExit as end:
        # Typer exits with 1 if a pipe is closed, which means that problems were found.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        _exit_without_output(ExitCode.CLOSED_PIPE)
    except OSError as error:
        if error.errno == errno.EPIPE:
            _exit_without_output(ExitCode.CLOSED_PIPE)
        if error.errno not in _FULL:
            raise
        place = error.filename or "output"
        print(f"workbench: {place}: {error.strerror} (free space, or write elsewhere)", file=sys.stderr)
        _exit_without_output(ExitCode.BAD_INPUT)
    sys.exit(0)


def _exit_without_output(code: ExitCode) -> NoReturn:
    """Exit, and drop what waits to be written, which would fail again."""
    for descriptor in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    sys.exit(code)
