"""Run blocking work in threads, and pass what it yields on to the server's event loop."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Generic, TypeVar

from starlette.types import Receive

from workbench.gateway.faults import RequestFault
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal

_Item = TypeVar("_Item")


class Workers:
    """Threads for the requests that are being answered.

    Args:
        most: The most requests at once, running or waiting for a model.
        clock: Returns seconds of a clock that only goes forward.
    """

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self.most = most
        self._clock = clock
        self._executor = ThreadPoolExecutor(max_workers=most, thread_name_prefix="gateway")
        self._stops: set[StopSignal] = set()
        self._typical_s = 1.0

    @property
    def running(self) -> int:
        """Number of requests that are being answered."""
        return len(self._stops)

    @contextmanager
    def request(self) -> Generator[StopSignal]:
        """Count a request while the context lasts. At the end, its work is asked to stop.

        Raises:
            RequestFault: There are too many requests.
        """
        if len(self._stops) >= self.most:
            wait_s = max(1, min(60, math.ceil(self._typical_s)))
            raise RequestFault(
                429,
                f"{len(self._stops)} requests are running or waiting, which is the maximum. "
                f"Try again in {wait_s} second{'' if wait_s == 1 else 's'}.",
                "rate_limit_exceeded",
                kind="rate_limit_error",
                retry_after_s=wait_s,
            )
        stop, started_s = StopSignal(), self._clock()
        self._stops.add(stop)
        try:
            yield stop
        finally:
            stop.set()
            self._stops.discard(stop)
            self._typical_s += 0.2 * (self._clock() - started_s - self._typical_s)

    def stream(self, produce: Callable[[], Iterator[_Item]]) -> "ThreadStream[_Item]":
        """Start a thread that runs an iterator."""
        return ThreadStream(self._executor, produce)

    async def run(self, work: Callable[[], _Item]) -> _Item:
        """Run a function in a thread, within the budget of its request."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, copy_context().run, work)

    def stop(self) -> None:
        """Ask all requests to end."""
        for stop in tuple(self._stops):
            stop.set(FinishReason.INTERRUPTED)

    def close(self) -> None:
        """Stop all requests and wait for their threads."""
        self.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)


class ThreadStream(Generic[_Item]):
    """What an iterator in a thread yields.

    A wake-up of the event loop costs more than most items, and takes the processor from the model that writes the next
    one. So items that arrive while a wake-up is on its way wait for it, and waiting creates no task and no timer.
    """

    def __init__(self, executor: ThreadPoolExecutor, produce: Callable[[], Iterator[_Item]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived: deque[_Item] = deque()
        self._has_ended = False
        self._error: BaseException | None = None
        self._is_waking = False
        """Whether the event loop is being woken up, and has not looked at the items since."""
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline_s = 0.0
        self._future = executor.submit(copy_context().run, self._work, produce)

    async def batch(self, timeout_s: float) -> Sequence[_Item] | None:
        """Return what has arrived, as soon as something has. Empty after `timeout_s` without an item, None at the end.

        Raises:
            BaseException: The error of the iterator, after everything that it yielded before.
        """
        if not self._arrived and not self._has_ended:
            await self._wait(timeout_s)
        # In this order: an item that arrives between the two lines is returned with the next batch.
        has_ended = self._has_ended
        batch = [self._arrived.popleft() for _ in range(len(self._arrived))]
        if batch or not has_ended:
            return batch
        if self._error is not None:
            raise self._error
        return None

    async def _wait(self, timeout_s: float) -> None:
        self._waiter = self._loop.create_future()
        self._deadline_s = self._loop.time() + timeout_s
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline_s, self._time_out)
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _time_out(self) -> None:
        """End the waiting if its time is over. If it began after the timer, look again later."""
        self._timer = None
        if self._waiter is None or self._has_ended:
            return
        if self._loop.time() < self._deadline_s:
            self._timer = self._loop.call_at(self._deadline_s, self._time_out)
        elif not self._waiter.done():
            self._waiter.set_result(None)

    def _work(self, produce: Callable[[], Iterator[_Item]]) -> None:
        try:
            for item in produce():
                self._arrived.append(item)
                self._wake_loop()
        except BaseException as error:  # noqa: BLE001 - raised again in the event loop
            self._error = error
        self._has_ended = True
        self._wake_loop()

    def _wake_loop(self) -> None:
        if self._is_waking:
            return
        self._is_waking = True
        try:
            self._loop.call_soon_threadsafe(self._woken)
        except RuntimeError:
            # The server was stopped. If its loop is still running, the error is another one.
            if not self._loop.is_closed():
                raise

    def _woken(self) -> None:
        # First, so that an item that arrives from now on wakes the loop again.
        self._is_waking = False
        # What woke the loop may have been taken with an earlier batch.
        has_news = bool(self._arrived) or self._has_ended
        if has_news and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if self._has_ended and self._timer is not None:
            self._timer.cancel()


async def disconnected(receive: Receive) -> None:
    """Wait until the client hangs up. The body was read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
