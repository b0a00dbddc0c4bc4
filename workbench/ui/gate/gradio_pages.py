"""Look up and free what Gradio keeps in memory for each open page."""

import asyncio
from copy import copy
from typing import Any, cast

import gradio as gr
from gradio.blocks import Blocks
from gradio.state_holder import SessionState, StateHolder


class GradioPages:
    """Tabs and calls by the id that Gradio knows them by.

    *Source:* gradio 6.31, state_holder.py; queueing.py, `push` and `clean_events`; routes.py, `simple_predict_get`.
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


class PageState(SessionState):
    """The values of one page's `gr.State`, and the components that it changed.

    *Source:* gradio 6.31, state_holder.py, `SessionState.__init__`.
    """

    def __init__(self, blocks: Blocks) -> None:
        # Gradio's own, which makes the copies, is not called.
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
    """Pages by their `session_hash`, the least recently used first."""

    def __getitem__(self, session_id: str) -> SessionState:
        """The page's state, made if it is new; one too many drops the oldest."""
        if session_id not in self.session_data:
            self.session_data[session_id] = PageState(self.blocks)
        return super().__getitem__(session_id)


class _Nothing(dict[int, dict[str, Any]]):
    """Forgets whatever is put in."""

    def __setitem__(self, key: int, value: dict[str, Any]) -> None:
        pass
