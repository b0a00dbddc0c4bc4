"""What Gradio keeps for each open page, looked up and freed."""

import asyncio
from typing import Any, cast

import gradio as gr


class GradioPages:
    """Tabs and calls by the id that Gradio knows them by.

    *Source:* gradio 6.31, state_holder.py; queueing.py, `push` and `clean_events`; routes.py, `simple_predict_get`.

    Args:
        blocks: The page.
    """

    def __init__(self, blocks: gr.Blocks) -> None:
        # Gradio has no other way to what it keeps.
        self._blocks = cast(Any, blocks)
        self._under_way = set[asyncio.Task[None]]()

    def has_answers(self, page_id: str) -> bool:
        """Whether there are, or will be, answers for a tab or a call."""
        queue = self._blocks._queue
        return (
            page_id in queue.pending_messages_per_session
            or page_id in queue.event_ids_to_events
            or any(page_id in event_ids for event_ids in queue.pending_event_ids_session.values())
        )

    def forget(self, page_id: str) -> None:
        """Drop a page: its state, its events that wait or run, its unread answers.

        Must be called on the server's event loop.
        """
        holder = self._blocks.state_holder
        holder.delete_state(page_id)
        for by_page in (
            holder.session_data,
            holder.time_last_used,
            self._blocks.pending_streams,
            self._blocks.pending_diff_streams,
        ):
            by_page.pop(page_id, None)
        task = asyncio.get_running_loop().create_task(self._end_events(page_id))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _end_events(self, page_id: str) -> None:
        # An event that still runs must not look for the page that it answers.
        queue = self._blocks._queue
        await queue.clean_events(session_hash=page_id)
        queue.pending_messages_per_session.pop(page_id, None)
        queue.pending_event_ids_session.pop(page_id, None)
