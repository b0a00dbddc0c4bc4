"""Create Gradio's queue with limits for each address, and without its records and its lost messages.

- Gradio limits the queue as a whole only. `push` is the only way into it. Running events are in `active_jobs`, waiting
  ones in `event_queue_per_concurrency_id`.
- It keeps the last 10,000 events for a monitoring page, which is off here, and computes statistics of all of them with
  pandas before and after each event.
- It drops the messages of a tab when its stream ends, and fails on the next message for it.
- It looks for events every millisecond when it is idle, which takes 5 % of a core.

*Gradio 6.31:* `blocks.Blocks.queue`, `queueing.Queue.push`, `queueing.Queue.send_message`,
`queueing.Queue.compute_analytics_summary`, `queueing.Queue.start_processing`, `queueing.Event`.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import gradio as gr

MAX_THREADS: Final = 256
"""Events that run at the same time, including those that wait for a model. Gradio's default is 40."""
QUEUE_SIZE: Final = 2_000
"""The most waiting events of all users, where each address has a limit."""
POLL_S: Final = 0.02
"""The polling interval of the idle queue, in seconds."""


class NoRecords(dict[str, dict[str, object]]):
    """A dict that stores nothing, for Gradio's records of past events."""

    def __setitem__(self, key: str, value: dict[str, object]) -> None:
        pass


def open_queue(blocks: gr.Blocks, *, most: int | None, address_of: Callable[[object], str]) -> None:
    """Create the event queue.

    Args:
        blocks: The page, with all its events.
        most: The most waiting or running events of an address. None for no limit.
        address_of: Returns the address of a request.
    """
    # The queue reads this. `launch` gets the same number, since it would otherwise set its own.
    cast(Any, blocks).max_threads = MAX_THREADS
    blocks.queue(default_concurrency_limit=8, max_size=None if most is None else QUEUE_SIZE)
    queue = cast(Any, blocks)._queue
    queue.sleep_when_free = POLL_S
    queue.event_analytics = NoRecords()
    _drop_unheard_messages(queue)
    if most is not None:
        _bound(queue, most, address_of)


def _drop_unheard_messages(queue: Any) -> None:
    send: Callable[[Any, Any], None] = queue.send_message

    def send_if_heard(event: Any, event_message: Any) -> None:
        if event.session_hash in queue.pending_messages_per_session:
            send(event, event_message)

    queue.send_message = send_if_heard


def _bound(queue: Any, most: int, address_of: Callable[[object], str]) -> None:
    """Refuse further events of an address that already has `most` waiting or running ones."""
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
