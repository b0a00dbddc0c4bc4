"""The client address of a request, as far as it can be trusted, and the request queue of each address."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, cast

import gradio as gr

from workbench.app.limits import PersonLimits

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


MAX_THREADS: Final = 256
"""Events that run at the same time, those that wait for a model among them; Gradio's own number is 40."""
QUEUE_SIZE: Final = 2_000
"""Events that wait on a Space, those of all visitors."""
POLL_S: Final = 0.02
"""How often the idle queue looks for events. Gradio looks every millisecond, which takes 5 % of a core all day."""


def open_queue(blocks: gr.Blocks, limits: PersonLimits) -> None:
    """Lets events in, as many as the limits say.

    Args:
        blocks: The page, with all its events.
        limits: Of the deployment.
    """
    most = limits.requests_at_once
    # Read by the queue; `launch` is given the same number, as it would put its own in its place.
    cast(Any, blocks).max_threads = MAX_THREADS
    blocks.queue(default_concurrency_limit=8, max_size=None if most is None else QUEUE_SIZE)
    cast(Any, blocks)._queue.sleep_when_free = POLL_S
    if most is not None:
        _bound(cast(Any, blocks)._queue, most)


def _bound(queue: Any, most: int) -> None:
    """Refuses further events of an address that has so many waiting or at work.

    *Source:* gradio 6.31, queueing.py: `push` is the only way into the queue; an event that is at work stands in
    `active_jobs`, one that waits in `event_queue_per_concurrency_id`.
    """
    push = queue.push

    async def bounded(body: object, request: object, username: str | None) -> object:
        address = address_of(request)
        there = sum(address_of(one.request) == address for one in _events(queue))
        if there >= most:
            said = (
                f"Your network has {there} requests under way, as many as are allowed; try again in a moment."
            )
            return False, said, "queue_full"
        return await push(body, request, username)

    queue.push = bounded


def _events(queue: Any) -> Iterator[Any]:
    for waiting in list(queue.event_queue_per_concurrency_id.values()):
        yield from list(waiting.queue)
    for job in list(queue.active_jobs):
        yield from job or ()
