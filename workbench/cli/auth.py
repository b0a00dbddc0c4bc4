"""`workbench auth`: manage who may log in."""

import getpass
import sys
from typing import Annotated

import typer

from workbench.app.passwords import hash_password
from workbench.errors import BadInput


def build_app() -> typer.Typer:
    """The commands of `workbench auth`."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(_root)
    app.command("hash")(hash_account)
    return app


def _root() -> None:
    """Who may log in."""


def hash_account(
    name: Annotated[str, typer.Argument(help="The account's name.")],
) -> None:
    """Print `NAME:HASH` for WORKBENCH_AUTH; the password is asked for, or read from standard input."""
    if not name or any(character in ":," or character.isspace() for character in name):
        raise BadInput(f"name {name!r}", "it is empty, or holds a blank, a comma or a colon")
    print(f"{name}:{hash_password(_password())}")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != password:
        raise BadInput("password", "the two are not the same", "try again")
    return password
