"""Look up and free what Gradio keeps in memory for each open page, and make less of it.

Gradio has no public way to any of this. It frees a page's memory an hour after the page was closed, and keeps a copy of
the configuration of all components for each page.

*Gradio 6.31:* `state_holder.StateHolder`, `state_holder.SessionState`, `queueing.Queue.push`,
`queueing.Queue.clean_events`, `routes.App.create_app`, `blocks.Blocks.__init__`.
"""

import asyncio
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, cast

import gradio as gr
from gradio.blocks import Blocks
from gradio.state_holder import SessionState, StateHolder

from workbench.ui.gradio_parts.names import BlockFunction


class GradioPages:
    """Gradio's tabs and calls by their ids."""

    def __init__(self, blocks: gr.Blocks) -> None:
        self._blocks = cast(Any, blocks)
        self._running = set[asyncio.Task[None]]()

    @classmethod
    def of(cls, scope: Mapping[str, Any]) -> "GradioPages":
        """Return the tabs and calls of the application that an ASGI scope belongs to."""
        return cls(scope["app"].get_blocks())

    def event(self, number: object) -> BlockFunction | None:
        """Return the event with a number, or None."""
        is_number = isinstance(number, int) and not isinstance(number, bool)
        return self._blocks.fns.get(number) if is_number else None

    def event_named(self, name: str) -> BlockFunction | None:
        """Return the event that the API offers under a name, or None."""
        return next((event for event in self._blocks.fns.values() if event.api_name == name), None)

    def has_stream(self, page_id: str) -> bool:
        """Whether a tab can stream its answers."""
        return page_id in self._blocks._queue.pending_messages_per_session

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


def current_state(blocks: gr.Blocks, state: gr.State) -> Callable[[str], object]:
    """Return a function that looks up what a `gr.State` holds now, by the tab's id. It returns None for an unknown tab.

    The handler of a long event only gets the value of its start.
    """
    key = cast(int, cast(Any, state)._id)

    def look_up(tab: str) -> object:
        holder: Any = getattr(blocks, "state_holder", None)
        return holder[tab][key] if holder is not None and tab in holder else None

    return look_up


class PageState(SessionState):
    """The values of a page's `gr.State`, without copies of its components."""

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
