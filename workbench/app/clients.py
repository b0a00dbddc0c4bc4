"""The address of a request's sender, also behind proxies.

Each proxy appends the address of its client to `X-Forwarded-For`; the client itself can write anything before that.
So the list is read from its end, as long as the entries are proxies that the settings trust. Example: with the header
`1.2.3.4, 203.0.113.9, 10.0.0.7` in a connection from the trusted 10.0.0.1, where 10.0.0.7 is trusted, too, the sender
is 203.0.113.9. It may have made up 1.2.3.4.
"""

import logging
import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

_LOG: Final = logging.getLogger(__name__)
_FORWARDED: Final = "x-forwarded-for"
IPV6_PREFIX: Final = 64
"""The bits of an IPv6 address that identify a network. A single person has all addresses in it."""
_WITH_PORT: Final = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>[^:]*):\d+")


class TrustedProxies:
    """The proxies whose `X-Forwarded-For` counts.

    Args:
        networks: Their networks. Empty if the header of nobody counts.
    """

    def __init__(self, networks: tuple[IPv4Network | IPv6Network, ...]) -> None:
        self._networks = networks
        self._has_warned = False

    def trusts(self, address: str) -> bool:
        """Whether an address is one of the proxies."""
        parsed = _parsed(address)
        return parsed is not None and self._are_proxies(parsed)

    def sender_of(self, scope: Scope) -> str:
        """Return the address of the sender of a request: the last one that is not a trusted proxy.

        If an entry is not an address, the proxy that wrote it counts as the sender. Empty if the connection has no
        address.
        """
        connection = (scope.get("client") or ("", 0))[0]
        sender = _parsed(connection)
        if sender is None:
            return ""
        # Some proxies append a line instead of an entry.
        hops = [hop for hop in ",".join(Headers(scope=scope).getlist(_FORWARDED)).split(",") if hop.strip()]
        if not self._are_proxies(sender):
            if hops and not sender.is_global:
                self._warn(connection)
            return str(sender)
        for hop in reversed(hops):
            address = _parsed(hop)
            if address is None:
                break
            sender = address
            if not self._are_proxies(address):
                break
        return str(sender)

    def resolved(self, scope: Scope) -> Scope:
        """Return the scope of a request with the address of its sender as `client`."""
        return {**scope, "client": (self.sender_of(scope), 0)}

    def _are_proxies(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._networks)

    def _warn(self, connection: str) -> None:
        """Say once that a proxy seems to be missing in the settings. All its visitors then share one address."""
        if not self._has_warned:
            self._has_warned = True
            _LOG.warning(
                "X-Forwarded-For of %s is ignored. If this is your proxy, set WORKBENCH_TRUSTED_PROXIES=%s",
                connection,
                connection,
            )


def network_of(address: str) -> str:
    """Return the network that stands for one person: the address itself, for IPv6 its first 64 bits.

    >>> network_of("203.0.113.9"), network_of("2001:db8:1:2:3::4")
    ('203.0.113.9', '2001:db8:1:2::/64')
    """
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_PREFIX), strict=False))
    return "" if parsed is None else str(parsed)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, with or without a port, brackets and an IPv6 zone. An IPv4 address in IPv6 becomes IPv4."""
    text = text.strip()
    if found := _WITH_PORT.fullmatch(text):
        text = found["six"] if found["six"] is not None else found["four"]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
