"""Gradio Blocks that deliver every step of a handler completely, and refuse malformed events."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cached_property
from typing import Any, Final, cast

import gradio as gr
from gradio import queueing, utils
from gradio.block_function import BlockFunction
from gradio.state_holder import SessionState

from workbench.ui.incoming.fields import id_of
from workbench.ui.incoming.refusal import MalformedEvent, RefusalLog
from workbench.ui.incoming.values import check_event_data, check_values
from workbench.ui.lazy_tabs import TabLoader, split_page
from workbench.ui.owners import GuardedBlocks

_UNCHANGED: Final[list[object]] = []


class WholeSteps(GuardedBlocks):
    """Gradio Blocks that send the changed values of each step completely, not as differences.

    After the first step of a generator, Gradio sends differences, which the browser applies to the value of the
    previous step. A busy browser may not have handled that step yet, and then loses its changes. For example, if step 2
    changes a notice and step 3 does not, the notice is lost. The differences are also wrong for nested lists that get
    shorter.

    *Source:* gradio 6.31, blocks.py, `handle_streaming_diffs`; utils.py, `diff`; client/js/src/utils/stream.ts,
    `apply_diff_stream`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        _make_locks_without_loops()
        cast(Any, super()).__init__(*args, **options)
        self._refusals = RefusalLog()

    def queue(self, *args: Any, **options: Any) -> "WholeSteps":
        """Create Gradio's queue, without messages to tabs that have been closed.

        Gradio drops the messages of a tab when its stream ends, and fails on the next message for it.

        *Source:* gradio 6.31, queueing.py, `send_message`; routes.py, `queue_data_helper`.
        """
        cast(Any, super()).queue(*args, **options)
        queue = cast(Any, self)._queue
        send: Callable[[Any, Any], None] = queue.send_message

        def send_if_heard(event: Any, event_message: Any) -> None:
            if event.session_hash in queue.pending_messages_per_session:
                send(event, event_message)

        queue.send_message = send_if_heard
        return self

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
        """Run an event, and add the tab that it asked for to its answer.

        Args:
            block_fn: The event, or its number.
            inputs: The values that the browser sent.
            state: The values of `gr.State` in the tab.
            request: The request; a list for a batch, or None for a call from inside this process.
            event_data: The data that the component sent with the event.
            further: Gradio's further arguments.
            named: Gradio's further named arguments.
        """
        answer: dict[str, Any] = await cast(Any, super()).process_api(
            block_fn, inputs, state, request, *further, event_data=event_data, **named
        )
        event = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        if event_data is not None and event.name == TabLoader.on_open_tab.__name__:
            answer["render_config"] = self._tabs[id_of(event_data, "tab")]
        return answer

    @cached_property
    def _tabs(self) -> Mapping[str, Mapping[str, Any]]:
        return split_page(self.get_config_file()).tabs

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
            MalformedEvent: The input components cannot hold the sent values.
        """
        try:
            check_values(block_fn, inputs)
            return await cast(Any, super()).preprocess_data(block_fn, inputs, state, explicit_call)
        except MalformedEvent as refused:
            self._refusals.note(str(block_fn.name), refused.problem)
            raise
        except gr.Error as error:
            # Gradio itself refused a value. Its message says which one, and is meant for the user.
            self._refusals.note(str(block_fn.name), error.message)
            raise gr.Error(error.message[:300], print_exception=False) from error
        except Exception as error:
            self._refusals.note(str(block_fn.name), f"{type(error).__name__}: {error}")
            raise MalformedEvent("its values cannot be read") from error

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
            MalformedEvent: The event's data is malformed. Other exceptions come from the handler.
        """
        parent = cast(Any, super())
        try:
            check_event_data(event_data)
            return await parent.call_function(
                block_fn, processed_input, iterator, requests, event_id, event_data, *args, **options
            )
        except MalformedEvent as refused:
            name = block_fn if isinstance(block_fn, int) else block_fn.name
            self._refusals.note(str(name), refused.problem)
            raise

    def handle_streaming_diffs(
        self,
        block_fn: BlockFunction,
        data: list[Any],
        session_hash: str | None,
        run: str | None,
        final: bool,  # noqa: FBT001  Gradio's own
        simple_format: bool = False,  # noqa: FBT001, FBT002  Gradio's own
    ) -> list[Any]:
        """Return the step to send: for each output either no change, or its complete new value.

        Args:
            data: The step's values, one per output. Empty at the end, which repeats the last values.
            session_hash: The id of the browser tab.
            run: The id of the generator's run.
            final: Whether this is the last step.
            simple_format: Whether to return the values themselves.
        """
        parent = cast(Any, super())
        previous: list[Any] = list(cast(Any, self).pending_diff_streams[session_hash].get(run, ()))
        complete: list[Any] = parent.handle_streaming_diffs(
            block_fn, data, session_hash, run, final, simple_format=True
        )
        if final or simple_format or not previous:
            return complete
        return [
            _UNCHANGED if new == old else [["replace", [], new]]
            for old, new in zip(previous, complete, strict=True)
        ]


def _make_locks_without_loops() -> None:
    """Keep Gradio from creating event loops that are never closed.

    Gradio creates an event loop for each lock of a page and its application, and drops it. When the loop is garbage
    collected, a traceback is logged. Since Python 3.10, locks do not need a loop.

    *Source:* gradio 6.31, utils.py, `safe_get_lock` and `safe_get_stop_event`.
    """
    for module, name, lock_type in (
        (queueing, "safe_get_lock", asyncio.Lock),
        (utils, "safe_get_lock", asyncio.Lock),
        (utils, "safe_get_stop_event", asyncio.Event),
    ):
        setattr(module, name, lock_type)
