"""Gradio Blocks that ask the page before they run an event, and answer the request for a tab with the tab.

Gradio runs any event that a client names, with any values. It has no place for checks of its own, so this overrides the
three methods through which each event passes.

*Gradio 6.31:* `blocks.Blocks.process_api`, `blocks.Blocks.preprocess_data`, `blocks.Blocks.call_function`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final, Protocol, cast

import gradio as gr
from gradio.state_holder import SessionState

from workbench.ui.gradio_parts.complete_steps import CompleteSteps
from workbench.ui.gradio_parts.event_data import data_of
from workbench.ui.gradio_parts.locks import make_locks_without_loops
from workbench.ui.gradio_parts.names import BlockFunction
from workbench.ui.gradio_parts.split_config import SPLIT, SplitPage, has_own_address, split_page

OPEN_TAB: Final = "on_open_tab"
"""The name of the handler that a tab is requested from."""


class EventChecks(Protocol):
    """What the page asks of an event. Each method that refuses it raises `gr.Error`."""

    def permit(self, event: BlockFunction, values: Sequence[object], sender: gr.Request | None) -> None:
        """Refuse an event whose sender may not run it. The sender is None for a call from inside this process."""
        ...

    def budget_of(self, sender: gr.Request | None) -> AbstractContextManager[object]:
        """Limit the computing time of a sender."""
        ...

    def check_values(self, event: BlockFunction, values: object) -> None:
        """Refuse values that an event's inputs cannot hold."""
        ...

    def check_event_data(self, data: gr.EventData | None) -> None:
        """Refuse data that the page's scripts would not send."""
        ...

    def explain(self, event: str, error: Exception) -> Exception:
        """Return what to raise for values that cannot be read, after it was logged."""
        ...

    def note(self, event: str, error: Exception) -> None:
        """Log an error of a handler, if a malformed event has caused it."""
        ...

    def answer(self, event: BlockFunction, values: Sequence[object], sender: gr.Request | None) -> None:
        """Note the values that were answered, one for each output."""
        ...


class PageBlocks(CompleteSteps):
    """The page's Blocks.

    Args:
        checks: Asked about each event.
        lazy_tabs: The `elem_id` of each tab that is sent when it is first opened.
        options: Those of `gr.Blocks`.
    """

    def __init__(self, checks: EventChecks, *, lazy_tabs: Sequence[str] = (), **options: Any) -> None:
        make_locks_without_loops()
        cast(Any, super()).__init__(**options)
        self.checks = checks
        self._lazy_tabs = lazy_tabs

    def start_of(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the part of this page's configuration that is sent with the page.

        Args:
            config: The configuration in a response. The root and addresses of files depend on the request.
        """
        if self._has_own_addresses:
            return split_page(config, self._lazy_tabs).start
        others = {name: value for name, value in config.items() if name not in SPLIT}
        return {**self._split.start, **others}

    @cached_property
    def _has_own_addresses(self) -> bool:
        # On a Space, the button that signs in has an icon.
        return has_own_address(self.get_config_file()["components"])

    @cached_property
    def _split(self) -> SplitPage:
        return split_page(self.get_config_file(), self._lazy_tabs)

    async def process_api(
        self,
        block_fn: BlockFunction | int,
        inputs: list[Any],
        state: Any = None,
        request: gr.Request | list[gr.Request] | None = None,
        *further: Any,
        event_data: gr.EventData | None = None,
        **named: Any,
    ) -> dict[str, Any]:
        """Run an event if its sender may, and add the tab that it asked for to its answer.

        Args:
            block_fn: The event, or its number.
            inputs: The values that the browser sent.
            state: The values of `gr.State` in the tab.
            request: The request; a list for a batch, or None for a call from inside this process.
            event_data: The data that the component sent with the event.
            further: Gradio's further arguments.
            named: Gradio's further named arguments.

        Raises:
            gr.Error: The event is refused.
        """
        event = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        senders = request if isinstance(request, list) else [request]
        for sender in senders:
            self.checks.permit(event, inputs, sender)
        with self.checks.budget_of(senders[0]):
            answer: dict[str, Any] = await cast(Any, super()).process_api(
                block_fn, inputs, state, request, *further, event_data=event_data, **named
            )
        for sender in senders:
            self.checks.answer(event, answer["data"], sender)
        if event_data is not None and event.name == OPEN_TAB:
            # The handler has checked that there is such a tab.
            answer["render_config"] = self._split.tabs[str(data_of(event_data)["tab"])]
        return answer

    async def preprocess_data(
        self,
        block_fn: BlockFunction,
        inputs: list[Any],
        state: SessionState | None,
        explicit_call: bool = False,  # noqa: FBT001, FBT002  Gradio's own
    ) -> list[Any]:
        """Return the values that the handler is called with.

        No handler code has run yet, so every exception here is caused by the sent values.

        Args:
            inputs: The values as they were sent.
            state: The state of the browser tab.
            explicit_call: Whether our own code calls the event.

        Raises:
            gr.Error: The input components cannot hold the sent values.
        """
        try:
            self.checks.check_values(block_fn, inputs)
            return await cast(Any, super()).preprocess_data(block_fn, inputs, state, explicit_call)
        except Exception as error:
            explained = self.checks.explain(str(block_fn.name), error)
            if explained is error:
                raise
            raise explained from error

    async def call_function(
        self,
        block_fn: BlockFunction | int,
        processed_input: list[Any],
        iterator: AsyncIterator[Any] | None = None,
        requests: gr.Request | list[gr.Request] | None = None,
        event_id: str | None = None,
        event_data: gr.EventData | None = None,
        *args: Any,
        **options: Any,
    ) -> Any:
        """Call the handler, or continue its generator.

        Args:
            processed_input: The arguments of the handler.
            iterator: The running generator of the handler, if it has started.
            event_id: The id of the event in the queue.
            event_data: The data that the component sent with the event.
            args: Gradio's further arguments.

        Raises:
            gr.Error: The event's data is malformed. Other exceptions come from the handler.
        """
        parent = cast(Any, super())
        try:
            self.checks.check_event_data(event_data)
            return await parent.call_function(
                block_fn, processed_input, iterator, requests, event_id, event_data, *args, **options
            )
        except gr.Error as error:
            self.checks.note(str(block_fn if isinstance(block_fn, int) else block_fn.name), error)
            raise
