"""Run blocking work in threads, and pass what it yields on to the server's event loop."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.types import Receive

from workbench.gateway.faults import RequestFault
from workbench.rollout.ports import FinishReason
from workbench.rollout.stopping import StopSignal

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


class _End:
    """Marks the end of what a thread yields."""


_END = _End()


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
        """Run a function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def stop(self) -> None:
        """Ask all requests to end."""
        for stop in tuple(self._stops):
            stop.set(FinishReason.INTERRUPTED)

    def close(self) -> None:
        """Stop all requests and wait for their threads."""
        self.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)


class ThreadStream(Generic[_Item]):
    """What an iterator in a thread yields."""

    def __init__(self, executor: ThreadPoolExecutor, produce: Callable[[], Iterator[_Item]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._items: asyncio.Queue[_Item | _Failed | _End] = asyncio.Queue()
        self._future = executor.submit(self._work, produce)

    async def batches(self) -> AsyncIterator[Sequence[_Item]]:
        """Yield what has arrived, as soon as something has.

        An error of the iterator is raised after everything that it yielded before.
        """
        while True:
            items = [await self._items.get()]
            while not self._items.empty():
                items.append(self._items.get_nowait())
            batch: list[_Item] = []
            for item in items:
                if isinstance(item, _Failed):
                    if batch:
                        yield batch
                    raise item.error
                if isinstance(item, _End):
                    if batch:
                        yield batch
                    return
                batch.append(item)
            yield batch

    def _work(self, produce: Callable[[], Iterator[_Item]]) -> None:
        try:
            for item in produce():
                self._send(item)
            self._send(_END)
        except BaseException as error:  # noqa: BLE001 - raised again in the event loop
            self._send(_Failed(error))

    def _send(self, item: "_Item | _Failed | _End") -> None:
        # The loop is closed if the server was stopped.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._items.put_nowait, item)


async def disconnected(receive: Receive) -> None:
    """Wait until the client hangs up. The body was read before."""
    while (await receive())["type"] != "http.disconnect":
        pass
