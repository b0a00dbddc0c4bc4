"""Groups of commands, such as `workbench runs list` and `workbench runs share`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import typer


class Group(NamedTuple):
    """A group inside another group."""

    summary: str
    commands: "GroupCommands"


GroupCommands = Mapping[str, "Callable[..., None] | Group"]
"""Functions of commands by the names of the commands."""


def group_app(commands: GroupCommands) -> typer.Typer:
    """Return a group of commands."""
    app = typer.Typer(no_args_is_help=True)
    for name, command in commands.items():
        if isinstance(command, Group):
            app.add_typer(group_app(command.commands), name=name, help=command.summary)
        else:
            app.command(name)(command)
    return app
