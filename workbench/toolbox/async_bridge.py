"""Run handlers with a time limit: synchronous ones in a thread each, asynchronous ones on a shared event loop."""

# How it works
#
# The dispatcher is synchronous, and its callers differ: a page event runs inside an event loop, a suite runs in a
# worker thread, the command line has no loop. `asyncio.run` would fail for the first of them, and would give every
# call a new loop, so that an HTTP client which a handler keeps from one call to the next would belong to a closed
# loop. Therefore all asynchronous handlers run on one loop, in a daemon thread that belongs to the bridge, and the
# caller waits for the result like for any other future.
#
# What holds at any time:
# - `call` returns or raises after about `timeout_s`, whatever the handler does. It waits twice for an asynchronous
#   handler: for the function, which returns an awaitable, and for the awaitable.
# - A handler that hangs costs a thread or a loop, but never another caller: `time.sleep(60)` in an ordinary function
#   leaves its daemon thread behind. `await asyncio.sleep(60)` is cancelled. `time.sleep(60)` inside `async def` blocks
#   the loop itself, so no cancellation can arrive. Then the bridge drops this loop, and the next call starts a new
#   one.

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from inspect import isawaitable
from threading import Lock, Thread
from typing import Final

_CANCEL_S: Final = 1.0
"""Time that a cancelled task has to end before its loop counts as blocked."""


class HandlerTimeout(Exception):
    """A handler did not return within its time limit of `timeout_s` seconds."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        super().__init__(f"no result within {timeout_s:g} s")


class AsyncBridge:
    """Runs functions with a time limit. It can be used from many threads at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(self, function: Callable[[], object], *, timeout_s: float) -> object:
        """Call `function` and return its result. If it returns an awaitable, return the result of that.

        Raises:
            HandlerTimeout: It took longer than `timeout_s` seconds.
            BaseException: Any exception that `function` raises.
        """
        value = _result_of(_in_thread(function), timeout_s)
        return self._await(value, timeout_s) if isawaitable(value) else value

    def close(self) -> None:
        """Stop the event loop. Tasks that still run on it are abandoned."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _await(self, awaitable: Awaitable[object], timeout_s: float) -> object:
        loop = self._running_loop()
        future = asyncio.run_coroutine_threadsafe(_bounded(awaitable, timeout_s), loop)
        if not wait([future], timeout_s + _CANCEL_S).done:
            # The handler blocks the loop. Other calls get a new one; this one stops as soon as it can.
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
    """Call `function` in a daemon thread, so that a handler that hangs does not keep the process alive."""
    future: Future[object] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001 - passed on to the waiting caller, which raises it
            future.set_exception(error)

    Thread(target=work, name="tool", daemon=True).start()
    return future


def _result_of(future: "Future[object]", timeout_s: float) -> object:
    if not wait([future], timeout_s).done:
        raise HandlerTimeout(timeout_s)
    return future.result()
