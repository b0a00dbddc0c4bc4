"""Where a stranger's request comes from: what a browser cannot make up anew for each request."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, cast

FORWARDED: Final = "x-forwarded-for"
IPV6_PREFIX: Final = 64
"""Bits of an IPv6 address that tell one network from another; a single visitor has all that follow."""


def address_of(request: object) -> str:
    """The address that a Space counts a request to; empty where there is none.

    Each proxy adds the address it was asked from at the end of `X-Forwarded-For`; all before that is what the
    client wrote, true or not. So the last entry that is no internal address counts: it was added by the Space's own
    proxy. Where no proxy says anything, it is the other end of the connection.

    Args:
        request: Gradio's or Starlette's.
    """
    headers = cast(Mapping[str, str], getattr(request, "headers", None) or {})
    hops = [hop.strip() for hop in str(headers.get(FORWARDED, "")).split(",")]
    found = [address for hop in hops if (address := _parsed(hop)) is not None]
    outside = [address for address in found if address.is_global]
    if outside:
        return _network(outside[-1])
    client = _parsed(str(getattr(cast(Any, getattr(request, "client", None)), "host", "") or ""))
    return _network(found[-1]) if found else _network(client) if client else ""


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _network(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, IPV6_PREFIX), strict=False))
