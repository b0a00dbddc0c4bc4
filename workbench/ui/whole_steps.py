"""Gradio Blocks that deliver every step of a handler, at any pace, and refuse malformed events."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, cast

import gradio as gr
from gradio import queueing, utils
from gradio.block_function import BlockFunction
from gradio.state_holder import SessionState

from workbench.ui.incoming.refusal import MalformedEvent, RefusalLog
from workbench.ui.incoming.values import check_event_data, check_values
from workbench.ui.owners import GuardedBlocks

_UNCHANGED: Final[list[object]] = []


class WholeSteps(GuardedBlocks):
    """Gradio's, but that each step of an answer brings what changed in whole.

    Of all steps behind the first Gradio sends the differences, and its browser side works them into the value that the
    step before brought. A browser that is busy has not looked at that one yet: what a step says and the next one does
    not is lost there. Where lists within lists get shorter, the differences are wrong besides.

    *Source:* gradio 6.31, blocks.py, `handle_streaming_diffs`; utils.py, `diff`; client/js/src/utils/stream.ts,
    `apply_diff_stream`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        _make_locks_without_loops()
        cast(Any, super()).__init__(*args, **options)
        self._refusals = RefusalLog()

    def queue(self, *args: Any, **options: Any) -> "WholeSteps":
        """Makes Gradio's queue; what it has to say to a tab that has gone is not said.

        Gradio forgets a tab's messages as its stream is broken off, and fails on the next one for that tab.

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

    async def preprocess_data(
        self,
        block_fn: BlockFunction,
        inputs: list[Any],
        state: SessionState | None,
        explicit_call: bool = False,  # noqa: FBT001, FBT002  Gradio's own
    ) -> list[Any]:
        """The values that the handler is called with.

        Nothing of a handler has run yet: whatever goes wrong here is about what was sent.

        Args:
            inputs: The values as they were sent.
            state: Of the browser's tab.
            explicit_call: Whether our own code calls the event.

        Raises:
            MalformedEvent: The inputs cannot hold what was sent.
        """
        try:
            check_values(block_fn, inputs)
            return await cast(Any, super()).preprocess_data(block_fn, inputs, state, explicit_call)
        except MalformedEvent as refused:
            self._refusals.note(str(block_fn.name), refused.problem)
            raise
        except gr.Error as error:
            # Gradio's own refusal of a value. Its text says which one, and is for the person.
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
        """Calls the handler, or goes on with it.

        Args:
            processed_input: What the handler takes.
            iterator: Of a handler that gives several answers, once it has begun.
            event_id: Of the event in the queue.
            event_data: What the event's component sent.
            args: Gradio's further arguments.

        Raises:
            MalformedEvent: The event's data cannot be used. Other exceptions are the handler's own.
        """
        gradios = cast(Any, super())
        try:
            check_event_data(event_data)
            return await gradios.call_function(
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
        """The step as it is sent: of each output nothing, or that it is replaced.

        Args:
            data: The step's values, one an output; none at the end, which says the last ones again.
            session_hash: Of the browser's tab.
            run: The answer.
            final: No step comes behind this one.
            simple_format: The values themselves are wanted.
        """
        gradios = cast(Any, super())
        former: list[Any] = list(cast(Any, self).pending_diff_streams[session_hash].get(run, ()))
        whole: list[Any] = gradios.handle_streaming_diffs(
            block_fn, data, session_hash, run, final, simple_format=True
        )
        if final or simple_format or not former:
            return whole
        return [
            _UNCHANGED if new == old else [["replace", [], new]]
            for old, new in zip(former, whole, strict=True)
        ]


def _make_locks_without_loops() -> None:
    """Keep Gradio from making event loops that nobody closes.

    For each lock of a page and of its application Gradio makes an event loop and drops it; when the collector finds
    one, the log gets a traceback. Locks have needed no loop since Python 3.10.

    *Source:* gradio 6.31, utils.py, `safe_get_lock` and `safe_get_stop_event`.
    """
    for module, name, made in (
        (queueing, "safe_get_lock", asyncio.Lock),
        (utils, "safe_get_lock", asyncio.Lock),
        (utils, "safe_get_stop_event", asyncio.Event),
    ):
        setattr(module, name, made)
