"""Keep Gradio from creating event loops that are never closed.

Gradio creates an event loop for each lock of a page and its application, and drops it. When the loop is garbage
collected, a traceback is logged. Since Python 3.10, locks do not need a loop.

*Gradio 6.31:* `utils.safe_get_lock`, `utils.safe_get_stop_event`, `queueing.Queue.__init__`, `routes.App.__init__`.
"""

import asyncio

from gradio import queueing, utils


def make_locks_without_loops() -> None:
    """Replace Gradio's functions that create locks. Call it before a page is created."""
    for module, name, lock_type in (
        (queueing, "safe_get_lock", asyncio.Lock),
        (utils, "safe_get_lock", asyncio.Lock),
        (utils, "safe_get_stop_event", asyncio.Event),
    ):
        setattr(module, name, lock_type)
