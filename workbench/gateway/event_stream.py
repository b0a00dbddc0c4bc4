"""Send an answer as server-sent events, and stop its work if the client hangs up."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.gateway.chat_answers import ChatAnswer, TextAnswer, as_fault
from workbench.gateway.threads import Workers, disconnected
from workbench.rollout.stopping import StopSignal

FIRST_S: Final = 10.0
"""How long a stream waits for its first piece before its headers are sent. An error until then has its own status."""
KEEP_ALIVE_S: Final = 15.0
"""How often a waiting stream sends a comment, so that no proxy closes the connection."""

_Result = TypeVar("_Result")


class EventStream(Response):
    """A response that streams events, and stops its work when the client hangs up.

    Args:
        workers: The threads.
        answer: What is sent.
        stop: Stops the work.
    """

    def __init__(self, workers: Workers, answer: ChatAnswer | TextAnswer, stop: StopSignal) -> None:
        super().__init__(media_type="text/event-stream")
        self._workers = workers
        self._answer = answer
        self._stop = stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection.

        Raises:
            Exception: The answer failed before anything was sent.
        """
        gone = asyncio.ensure_future(disconnected(receive))
        sending = asyncio.ensure_future(self._send_all(send))
        try:
            await asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)
            self._stop.set()
            if not sending.done():
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
            else:
                sending.result()
        finally:
            self._stop.set()
            gone.cancel()
            sending.cancel()

    async def _send_all(self, send: Send) -> None:
        stream = self._workers.stream(lambda: self._answer.chunks(self._stop))
        batch = await stream.batch(FIRST_S)
        await self._start(send)
        while batch is not None:
            if body := b"".join(batch) if batch else self._answer.keep_alive:
                await _send_body(send, body)
            try:
                batch = await stream.batch(KEEP_ALIVE_S)
            except Exception as error:  # noqa: BLE001 - the status is sent already, so the error is an event
                await _send_body(send, self._answer.broken(as_fault(error)), is_last=True)
                return
        await _send_body(send, b"", is_last=True)

    async def _start(self, send: Send) -> None:
        headers = {
            "Content-Type": "text/event-stream; charset=utf-8",
            "Cache-Control": "no-cache",
            # Nginx otherwise collects the stream before it sends it on.
            "X-Accel-Buffering": "no",
            **self._answer.headers,
        }
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})


async def _send_body(send: Send, body: bytes, *, is_last: bool = False) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": not is_last})


async def while_connected(
    receive: Receive, stop: StopSignal, work: Callable[[], Awaitable[_Result]]
) -> _Result | None:
    """Return what `work` returns. If the client hangs up first, stop the work and return None."""
    gone = asyncio.ensure_future(disconnected(receive))
    working = asyncio.ensure_future(work())
    try:
        await asyncio.wait((gone, working), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        stop.set()
        await asyncio.gather(working, return_exceptions=True)
        return None
    finally:
        gone.cancel()
