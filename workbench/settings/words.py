"""What the text of a variable may say: numbers, names, adapters, accounts, a terminal, hosts, origins."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from workbench.errors import BadInput

CHOSEN_MODEL: Final = "default-model"
"""File of the data folder with the name that `workbench models default` chose."""


def chosen_model(data: Path) -> str:
    """What `workbench models default` chose; empty where nothing was chosen.

    Raises:
        BadInput: The file cannot be read.
    """
    path = data / CHOSEN_MODEL
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"file {path}", str(error), "mend or delete it") from error


def choose_model(data: Path, name: str) -> None:
    """Makes `name` the model to begin with, wherever WORKBENCH_MODEL is not set.

    Raises:
        BadInput: The folder cannot be written.
    """
    path = data / CHOSEN_MODEL
    try:
        data.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error), "set WORKBENCH_DATA") from error


_HOST: Final = re.compile(r"\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:]*:[0-9a-f:.]*")
_ORIGIN: Final = re.compile(r"https?://(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?")
_HASH_REMEDY: Final = "`workbench auth hash NAME` prints one"


def adapters(text: str) -> Iterator[tuple[Path, float]]:
    """`PATH` or `PATH=SCALE`, parted by commas."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        path, equals, scale = part.rpartition("=")
        try:
            yield Path(path if equals else part).expanduser(), float(scale) if equals else 1.0
        except ValueError:
            raise BadInput("setting WORKBENCH_LORA", f"the scale {scale!r} is no number") from None


def whole_number(name: str, text: str, *, least: int, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise BadInput(f"setting {name}", f"{text!r} is not a whole number") from None
    if not least <= number <= most:
        raise BadInput(f"setting {name}", f"{number} is not between {least} and {most}")
    return number


def names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def accounts(text: str) -> Mapping[str, str]:
    accounts: dict[str, str] = {}
    for number, pair in enumerate(text.replace(",", " ").split(), start=1):
        name, colon, hashed = pair.partition(":")
        # The pair itself is not shown: it may hold a password.
        if not name or not colon or not hashed:
            raise BadInput(f"setting WORKBENCH_AUTH, account {number}", "it is no `name:hash`", _HASH_REMEDY)
        if name in accounts:
            raise BadInput(f"setting WORKBENCH_AUTH, account {number}", f"{name!r} is there twice")
        accounts[name] = hashed
    return accounts


def terminal(given: Mapping[str, str], wanted: str, allowed: str) -> str:
    """The terminal that is wanted; a real one only where it is allowed, and on no Space."""
    if wanted == "mock":
        return wanted
    if "SPACE_ID" in given:
        raise BadInput("setting WORKBENCH_TERMINAL", "a Space has strangers on it", "leave it at mock there")
    if allowed != "1":
        raise BadInput(
            "setting WORKBENCH_TERMINAL",
            f"{wanted!r} runs commands",
            "set WORKBENCH_ALLOW_TERMINAL=1 to allow it",
        )
    return wanted


def hosts(name: str, text: str) -> tuple[str, ...]:
    """Host names and addresses in lower case, without a port; `*` stands for any."""
    found = tuple(host.lower().removeprefix("[").removesuffix("]") for host in names(text))
    for host in found:
        if not _HOST.fullmatch(host):
            raise BadInput(
                f"setting {name}", f"{host!r} is not a host name", "write it without scheme and port"
            )
    return found


def origins(name: str, text: str) -> tuple[str, ...]:
    """Origins in lower case: scheme and host, with a port if it is not the scheme's own."""
    found = tuple(origin.lower().removesuffix("/") for origin in names(text))
    for origin in found:
        if not _ORIGIN.fullmatch(origin):
            raise BadInput(
                f"setting {name}", f"{origin!r} is not an origin", "such as https://portal.example.org"
            )
    return found
