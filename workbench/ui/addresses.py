"""The address of a request, and limits on the queue for each address."""

from collections.abc import Iterator
from typing import Any, Final, cast

import gradio as gr

from workbench.app.clients import network_of
from workbench.records.limits import PersonLimits


def address_of(request: object) -> str:
    """Return the network address of a request's sender, which the gate has determined. Empty if there is none.

    Args:
        request: A request of Gradio or Starlette.
    """
    return network_of(str(getattr(cast(Any, getattr(request, "client", None)), "host", "") or ""))


MAX_THREADS: Final = 256
"""Events that run at the same time, including those that wait for a model. Gradio's default is 40."""
QUEUE_SIZE: Final = 2_000
"""The most waiting events of all visitors on a Space."""
POLL_S: Final = 0.02
"""The polling interval of the idle queue, in seconds. Gradio's default of 1 ms takes 5 % of a core."""


class NoRecords(dict[str, dict[str, object]]):
    """A dict that stores nothing, for Gradio's records of past events.

    Gradio keeps the last 10,000 events for a monitoring page, which is off here, and computes statistics of all of them
    with pandas before and after each event.

    *Source:* gradio 6.31, queueing.py, `push` and `compute_analytics_summary`.
    """

    def __setitem__(self, key: str, value: dict[str, object]) -> None:
        pass


def open_queue(blocks: gr.Blocks, limits: PersonLimits) -> None:
    """Create the event queue with the limits of the deployment.

    Args:
        blocks: The page, with all its events.
        limits: The limits of the deployment.
    """
    most = limits.requests_at_once
    # The queue reads this. `launch` gets the same number, since it would otherwise set its own.
    cast(Any, blocks).max_threads = MAX_THREADS
    blocks.queue(default_concurrency_limit=8, max_size=None if most is None else QUEUE_SIZE)
    queue = cast(Any, blocks)._queue
    queue.sleep_when_free = POLL_S
    queue.event_analytics = NoRecords()
    if most is not None:
        _bound(queue, most)


def _bound(queue: Any, most: int) -> None:
    """Refuse further events of an address that already has `most` waiting or running ones.

    *Source:* gradio 6.31, queueing.py: `push` is the only way into the queue. Running events are in `active_jobs`,
    waiting ones in `event_queue_per_concurrency_id`.
    """
    push = queue.push

    async def bounded(body: object, request: object, username: str | None) -> object:
        address = address_of(request)
        active = sum(address_of(event.request) == address for event in _events(queue))
        if active >= most:
            message = f"Your network has {active} active requests, the maximum. Try again in a moment."
            return False, message, "queue_full"
        return await push(body, request, username)

    queue.push = bounded


def _events(queue: Any) -> Iterator[Any]:
    for waiting in list(queue.event_queue_per_concurrency_id.values()):
        yield from list(waiting.queue)
    for job in list(queue.active_jobs):
        yield from job or ()
