"""Look up and free what Gradio keeps in memory for each open page."""

import asyncio
from copy import copy
from typing import Any, cast

import gradio as gr
from gradio.blocks import Blocks
from gradio.state_holder import SessionState, StateHolder


class GradioPages:
    """Gradio's tabs and calls by their ids.

    *Source:* gradio 6.31, state_holder.py; queueing.py, `push` and `clean_events`; routes.py, `simple_predict_get`.
    """

    def __init__(self, blocks: gr.Blocks) -> None:
        # Gradio has no public way to this state.
        self._blocks = cast(Any, blocks)
        self._running = set[asyncio.Task[None]]()

    def has_answers(self, page_id: str) -> bool:
        """Whether a tab or call has answers, or will have them."""
        queue = self._blocks._queue
        return (
            page_id in queue.pending_messages_per_session
            or page_id in queue.event_ids_to_events
            or any(page_id in event_ids for event_ids in queue.pending_event_ids_session.values())
        )

    def forget(self, page_id: str) -> None:
        """Drop a page: its state, its waiting and running events, and its unread answers.

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
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _end_events(self, page_id: str) -> None:
        # End the running events first, so that none of them looks for the dropped page.
        queue = self._blocks._queue
        await queue.clean_events(session_hash=page_id)
        queue.pending_messages_per_session.pop(page_id, None)
        queue.pending_event_ids_session.pop(page_id, None)


class PageState(SessionState):
    """The values of a page's `gr.State`, without copies of its components.

    *Source:* gradio 6.31, state_holder.py, `SessionState.__init__`.
    """

    def __init__(self, blocks: Blocks) -> None:
        # Gradio's own constructor, which makes the copies, is not called.
        self.blocks_config = copy(cast(Any, blocks).default_config)
        self.config_values = cast(Any, _Nothing())
        self.state_data = {}
        self._state_ttl = {}
        self.is_closed = False
        self.STATE_TTL_WHEN_CLOSED = 3600

    def _update_config(self, key: int) -> None:
        pass

    def _update_value_in_config(self, key: int, value: Any) -> None:
        pass


class PageStates(StateHolder):
    """The states of pages by `session_hash`, least recently used first."""

    def __getitem__(self, session_id: str) -> SessionState:
        """Return the state of a page, created if it is new. If there are too many, the oldest is dropped."""
        if session_id not in self.session_data:
            self.session_data[session_id] = PageState(self.blocks)
        return super().__getitem__(session_id)


class _Nothing(dict[int, dict[str, Any]]):
    """A dict that stores nothing."""

    def __setitem__(self, key: int, value: dict[str, Any]) -> None:
        pass
