"""Check the address of a server, and the Host header and the origin of requests.

Another site can let its own name point to 127.0.0.1 (DNS rebinding). The browser then treats both as one origin, and
only the Host header distinguishes them. A literal address cannot be rebound, but a name can, so names must be allowed
one by one.
"""

import re
import socket
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Self

from starlette.datastructures import Headers

from workbench.errors import BadInput
from workbench.settings import Settings

_AUTHORITY: Final = re.compile(
    r"(?P<host>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?"
)
_ANY_NAME: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """A host and a port, as in the Host header or an origin."""

    host: str
    """In lower case. An IPv6 address is in its short form, without brackets."""
    port: int | None
    """None for the scheme's default port."""

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The host as a literal address, or None if it is a name."""
        return _address(self.host)


def parse_authority(text: str) -> Authority | None:
    """Parse `HOST` or `HOST:PORT`; return None for anything else, such as a name that ends with a dot.

    >>> parse_authority("LocalHost:7860")
    Authority(host='localhost', port=7860)
    >>> parse_authority("user@localhost") is parse_authority("localhost.") is None
    True
    """
    found = _AUTHORITY.fullmatch(text.lower())
    if found is None or (port := int(found["port"] or 0)) > 65535:
        return None
    host = found["host"]
    if host.startswith("["):
        address = _address(host[1:-1])
        if not isinstance(address, IPv6Address):
            return None
        host = address.compressed
    return Authority(host=host, port=port if found["port"] else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedHosts:
    """The hosts that requests may name."""

    names: frozenset[str]
    """Names and addresses in lower case; `*` allows any name."""
    takes_any_address: bool
    """True if the server listens on all addresses of the machine, so that a request may name any address."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the hosts that the settings allow."""
        bound = _address(settings.host)
        takes_any_address = not settings.host or (bound is not None and bound.is_unspecified)
        # The same IPv6 address can be written in several ways.
        allowed = (settings.host, *settings.allowed_hosts)
        names = {address.compressed if (address := _address(host)) else host.lower() for host in allowed}
        return cls(names=frozenset({"localhost", *names}), takes_any_address=takes_any_address)

    def allows(self, authority: Authority) -> bool:
        """Whether requests with this Host header are allowed."""
        address = authority.address
        if authority.host in self.names:
            return True
        if address is None:
            return _ANY_NAME in self.names
        return is_loopback(address) or self.takes_any_address


def is_local(host: str) -> bool:
    """Whether a server that listens on `host` can only be reached from this machine."""
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and is_loopback(address))


def is_loopback(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is a loopback address, including an IPv4 address written as IPv6."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


READING: Final = ("GET", "HEAD")
"""Methods that a link or an address bar may use."""
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Scheme, host and port of a page."""

    scheme: str
    host: str
    port: int


def origins_of(authority: Authority, schemes: Sequence[str]) -> frozenset[Origin]:
    """Return the origins of a page at this host, one per scheme under which it is served."""
    return frozenset(
        Origin(scheme=scheme, host=authority.host, port=authority.port or _PORTS[scheme])
        for scheme in schemes
    )


def parse_origin(text: str) -> Origin | None:
    """Parse an Origin header; return None if it is `null`, has user information or a path, or another scheme."""
    scheme, separator, rest = text.partition("://")
    authority = parse_authority(rest)
    if not separator or authority is None or scheme.lower() not in _PORTS:
        return None
    return next(iter(origins_of(authority, [scheme.lower()])))


def is_foreign(method: str, headers: Headers, own: frozenset[Origin], *, is_page: bool) -> bool:
    """Whether a page of another origin sent the request.

    Args:
        own: The origins of our own page.
        is_page: Whether other sites may link to the path.
    """
    origins = headers.getlist("origin")
    if origins:
        return len(origins) > 1 or parse_origin(origins[0]) not in own
    is_link = is_page and method in READING
    site = headers.get("sec-fetch-site")
    if site is not None:
        # `none` means typed into the address bar, `same-site` means another port or subdomain.
        return site not in ("same-origin", "none") and not (
            is_link and headers.get("sec-fetch-mode", "navigate") == "navigate"
        )
    referer = headers.get("referer")
    if referer is None or is_link:
        return False
    return parse_origin("/".join(referer.split("/", 3)[:3])) not in own


def check_address(host: str, port: int, setting: str = "WORKBENCH_PORT") -> None:
    """Check that the server can listen on an address, before it starts.

    Args:
        setting: The setting of the port, for the error.

    Raises:
        BadInput: The port is in use, or the address does not belong to this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise BadInput(
                f"setting {setting}, {host}:{port}",
                f"cannot listen on this address: {error.strerror}",
                f"set {setting} to a free port, or stop the program that uses this one",
            ) from error
