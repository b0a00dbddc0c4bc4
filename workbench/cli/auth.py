"""`workbench auth`: create accounts for the login page."""

import getpass
import sys
from typing import Annotated

import typer

from workbench.app.passwords import hash_password
from workbench.errors import BadInput


def build_app() -> typer.Typer:
    """Return the commands of `workbench auth`."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(_root)
    app.command("hash")(hash_account)
    return app


def _root() -> None:
    """Create accounts for the login page."""


def hash_account(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the account")],
) -> None:
    """Print `NAME:HASH` for WORKBENCH_AUTH.

    Asks for the password, or reads it from standard input if that is not a terminal.
    """
    if not name or any(character in ":," or character.isspace() for character in name):
        raise BadInput(f"name {name!r}", "it is empty, or contains a space, a comma or a colon")
    print(f"{name}:{hash_password(_password())}")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Repeat the password: ") != password:
        raise BadInput("password", "the two entries differ", "try again")
    return password
