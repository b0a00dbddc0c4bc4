"""`workbench auth`: create accounts for the login page, and API keys for the gateway."""

import getpass
import sys
from typing import Annotated, Final

import typer

from workbench.app.api_keys import hash_key, new_key, server_secret
from workbench.app.passwords import hash_password
from workbench.errors import BadInput
from workbench.settings import read_settings


def hash_account(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the account")],
) -> None:
    """Print `NAME:HASH` for WORKBENCH_AUTH.

    Asks for the password, or reads it from standard input if that is not a terminal.
    """
    _check_name(name)
    print(f"{name}:{hash_password(_password())}")


def make_key(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the key; with accounts, that of its account")
    ],
) -> None:
    """Make an API key, and print `NAME:HASH` for WORKBENCH_GATEWAY_KEYS.

    The key itself is printed to standard error. It is stored nowhere. The hash is only valid with this data folder.
    """
    _check_name(name)
    secret = server_secret(read_settings().data)
    key = new_key()
    print(f"Key, which clients send: {key}", file=sys.stderr)
    print(f"{name}:{hash_key(key, secret)}")


def _check_name(name: str) -> None:
    if not name or any(character in ":," or character.isspace() for character in name):
        raise BadInput(f"name {name!r}", "it is empty, or contains a space, a comma or a colon")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Repeat the password: ") != password:
        raise BadInput("password", "the two entries differ", "try again")
    return password


GROUP: Final = {
    "hash": hash_account,
    "key": make_key,
}
"""The commands of `workbench auth`."""
