"""How many requests of one address the page takes at a time: nobody fills Gradio's queue."""

from collections.abc import Iterator
from typing import Any, Final, cast

import gradio as gr

from workbench.app.limits import PersonLimits
from workbench.ui.addresses import address_of

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
