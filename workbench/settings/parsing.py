"""Parsers for the values of variables. Each takes the name of the variable, for errors, and its text.

All of them raise `BadInput` if the text is not valid.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Final

from workbench.errors import BadInput
from workbench.names import known_name, usable_name

Network = IPv4Network | IPv6Network
_HOST: Final = re.compile(r"\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:]*:[0-9a-f:.]*")
_ORIGIN: Final = re.compile(r"https?://(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?")


class Secret:
    """A key or access token that does not appear when it is printed, formatted or logged.

    >>> Secret("sk-1")
    Secret(…)
    >>> f"{Secret('sk-1')}", Secret("sk-1").reveal()
    ('…', 'sk-1')
    """

    # Not a dataclass: `asdict` would expose the value.
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def reveal(self) -> str:
        """Return the value. Use it only in the request that needs it."""
        return self._value

    def redact(self, text: str) -> str:
        """Return `text` with every occurrence of the value replaced by `…`."""
        return text.replace(self._value, "…") if self._value else text


def read_secret(name: str, environment: Mapping[str, str] | None = None) -> Secret | None:
    """Read a secret from an environment variable. Return None if it is unset or blank.

    Args:
        name: Name of the variable; it does not need the prefix WORKBENCH_.
        environment: Variables by name; None reads those of the process.
    """
    value = (os.environ if environment is None else environment).get(name, "").strip()
    return Secret(value) if value else None


def parse_secret(name: str, text: str) -> Secret | None:
    """Return a secret; None if the text is blank."""
    return read_secret(name, {name: text})


def parse_text(_name: str, text: str) -> str:
    """Return the text as it is."""
    return text


def parse_names(_name: str, text: str) -> tuple[str, ...]:
    """Split a comma-separated list; blanks around names and empty names are ignored."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def parse_name_set(name: str, text: str) -> frozenset[str]:
    """Parse a comma-separated list without an order."""
    return frozenset(parse_names(name, text))


def parse_between(least: int, most: int) -> Callable[[str, str], int]:
    """Return a parser for whole numbers from `least` to `most`, both included."""

    def parse(name: str, text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise BadInput(f"setting {name}", f"{text!r} is not a whole number") from None
        if not least <= number <= most:
            raise BadInput(f"setting {name}", f"{number} is not between {least} and {most}")
        return number

    return parse


def parse_fraction(name: str, text: str) -> float | None:
    """Parse a number from 0 to 1; None if the text is empty."""
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise BadInput(f"setting {name}", f"{text!r} is not a number from 0 to 1")
    return value


def parse_one_of(*words: str) -> Callable[[str, str], Any]:
    """Return a parser that accepts only these words."""

    def parse(name: str, text: str) -> str:
        if text not in words:
            raise BadInput(f"setting {name}", f"{text!r} is not one of {', '.join(words)}")
        return text

    return parse


def parse_switch(on: str, off: str) -> Callable[[str, str], bool]:
    """Return a parser that accepts a word for True and one for False."""
    parse_word = parse_one_of(*sorted((on, off)))
    return lambda name, text: parse_word(name, text) == on


def parse_flag(_name: str, text: str) -> bool:
    """Return whether the text is `1`."""
    return text == "1"


def parse_path(_name: str, text: str) -> Path:
    """Parse a path; a relative one is relative to the current folder."""
    return Path(text).expanduser().absolute()


def parse_optional_path(name: str, text: str) -> Path | None:
    """Parse a path; None if the text is empty."""
    return parse_path(name, text) if text else None


def parse_trusted(name: str, text: str) -> tuple[Path, ...]:
    """Parse `ask`, `off` or a comma-separated list of absolute paths of folders, in which links are resolved."""
    return () if text in ("ask", "off") else tuple(_absolute_folders(name, text))


def _absolute_folders(name: str, text: str) -> Iterator[Path]:
    for part in parse_names(name, text):
        path = Path(part).expanduser()
        if not path.is_absolute():
            problem = f"{part!r} is not an absolute path"
            raise BadInput(f"setting {name}", problem, "use ask, off or full paths")
        yield path.resolve()


def parse_adapters(name: str, text: str) -> tuple[tuple[Path, float], ...]:
    """Parse a comma-separated list of `PATH` or `PATH=SCALE`. The scale is 1 if it is left out."""
    parsed: list[tuple[Path, float]] = []
    for part in parse_names(name, text):
        path, equals, scale = part.rpartition("=")
        try:
            parsed.append((Path(path if equals else part).expanduser(), float(scale) if equals else 1.0))
        except ValueError:
            raise BadInput(f"setting {name}", f"the scale {scale!r} is not a number") from None
    return tuple(parsed)


def parse_accounts(
    name: str, text: str, *, noun: str = "account", command: str = "hash"
) -> Mapping[str, str]:
    """Parse `name:hash` pairs, separated by blanks or commas, into hashes by name.

    A name has no invisible characters, occurs once, and differs from the others not only in case.

    Args:
        noun: What a pair is, for errors.
        command: The command of `workbench auth` that makes a pair, for errors.
    """
    accounts: dict[str, str] = {}
    for number, pair in enumerate(text.replace(",", " ").split(), start=1):
        account, colon, hashed = pair.partition(":")
        where = f"setting {name}, {noun} {number}"
        # The pair itself is not shown: it may hold a password.
        if not account or not colon or not hashed:
            raise BadInput(where, "expected `name:hash`", f"`workbench auth {command} NAME` prints one")
        if account in accounts:
            raise BadInput(where, f"{account!r} is listed twice")
        accounts[known_name(usable_name(account, where), accounts, f"setting {name}, {noun}")] = hashed
    return accounts


def parse_keys(name: str, text: str) -> Mapping[str, str]:
    """Parse the keys of the gateway, as `parse_accounts` does."""
    return parse_accounts(name, text, noun="key", command="key")


def parse_hosts(name: str, text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of host names and addresses into lower case; `*` means any host."""
    hosts = tuple(host.lower().removeprefix("[").removesuffix("]") for host in parse_names(name, text))
    for host in hosts:
        if not _HOST.fullmatch(host):
            problem = f"{host!r} is not a host name"
            raise BadInput(f"setting {name}", problem, "write it without scheme and port")
    return hosts


def parse_origins(name: str, text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of origins into lower case: scheme, host and, if needed, a port."""
    origins = tuple(origin.lower().removesuffix("/") for origin in parse_names(name, text))
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            problem = f"{origin!r} is not an origin"
            raise BadInput(f"setting {name}", problem, "example: https://portal.example.org")
    return origins


def parse_networks(name: str, text: str) -> tuple[Network, ...]:
    """Parse a comma-separated list of addresses and networks. An IPv4 network in IPv6 notation becomes IPv4."""
    parsed: list[Network] = []
    for part in parse_names(name, text):
        try:
            network = ip_network(part.removeprefix("[").removesuffix("]"))
        except ValueError as error:
            raise BadInput(
                f"setting {name}",
                f"{part!r} is not an address or a network: {error}",
                "example: 127.0.0.1, 10.0.0.0/8",
            ) from None
        mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
        is_mapped = mapped is not None and network.prefixlen >= 96
        parsed.append(IPv4Network((mapped, network.prefixlen - 96)) if is_mapped and mapped else network)
    return tuple(parsed)
