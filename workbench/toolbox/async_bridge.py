"""Run handlers with a time limit: synchronous ones in threads, asynchronous ones on a loop of their own.

One loop in a thread of its own serves every caller alike: one inside a running loop, one in a worker thread
and one with no loop at all. So an asynchronous client that a handler keeps stays usable from call to call.
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from inspect import isawaitable
from threading import Lock, Thread
from typing import Final

_CANCEL_S: Final = 1.0
"""How long a cancelled task may take to end before its loop counts as stuck."""


class HandlerTimeout(Exception):
    """A handler gave nothing in time.

    Args:
        timeout_s: How long it was waited for.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        super().__init__(f"no result within {timeout_s:g} s")


class AsyncBridge:
    """Runs functions with a limit; one that overruns is left to its thread, or cancelled on its loop."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(self, function: Callable[[], object], *, timeout_s: float) -> object:
        """What `function` gives; where that is an awaitable, what it comes to.

        Raises:
            HandlerTimeout: Nothing came in time.
            BaseException: What `function` raised.
        """
        value = _settled(_in_thread(function), timeout_s)
        return self._await(value, timeout_s) if isawaitable(value) else value

    def close(self) -> None:
        """Ends the loop; tasks on it are dropped."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _await(self, awaitable: Awaitable[object], timeout_s: float) -> object:
        loop = self._running_loop()
        future = asyncio.run_coroutine_threadsafe(_bounded(awaitable, timeout_s), loop)
        if not wait([future], timeout_s + _CANCEL_S).done:
            # It blocks the loop itself: others get a new one, this one ends when it can.
            self._abandon(loop)
            raise HandlerTimeout(timeout_s)
        return future.result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                Thread(target=_serve, args=(self._loop,), name="tool-loop", daemon=True).start()
            return self._loop

    def _abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            if self._loop is loop:
                self._loop = None
        loop.call_soon_threadsafe(loop.stop)


async def _bounded(awaitable: Awaitable[object], timeout_s: float) -> object:
    task = asyncio.ensure_future(awaitable)
    done, _ = await asyncio.wait({task}, timeout=timeout_s)
    if not done:
        task.cancel()
        raise HandlerTimeout(timeout_s)
    return task.result()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _in_thread(function: Callable[[], object]) -> "Future[object]":
    """A daemon's work: a handler that hangs must not keep the process from ending."""
    future: Future[object] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits, who raises it
            future.set_exception(error)

    Thread(target=work, name="tool", daemon=True).start()
    return future


def _settled(future: "Future[object]", timeout_s: float) -> object:
    if not wait([future], timeout_s).done:
        raise HandlerTimeout(timeout_s)
    return future.result()
