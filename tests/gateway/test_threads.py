"""What a thread yields reaches the event loop in order, without loss, and with few wake-ups."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from workbench.gateway.threads import ThreadStream, Workers

LONG_S = 60.0


class CountingLoop(asyncio.SelectorEventLoop):
    """An event loop that counts how often another thread wakes it."""

    wake_ups = 0

    def call_soon_threadsafe(self, *args: Any, **options: Any) -> asyncio.Handle:
        self.wake_ups += 1
        return super().call_soon_threadsafe(*args, **options)


@pytest.fixture
def loop() -> Iterator[CountingLoop]:
    opened = CountingLoop()
    yield opened
    opened.close()


@pytest.fixture
def workers() -> Iterator[Workers]:
    opened = Workers(4, lambda: 0.0)
    yield opened
    opened.close()


async def all_of(stream: ThreadStream[int]) -> list[int]:
    """Return all items of a stream."""
    items: list[int] = []
    while (batch := await stream.batch(LONG_S)) is not None:
        items += batch
    return items


def test_items_that_come_while_the_loop_is_busy_need_one_wake_up(
    loop: CountingLoop, workers: Workers
) -> None:
    async def play() -> list[int]:
        is_done = threading.Event()

        def produce() -> Iterator[int]:
            yield from range(1000)
            is_done.set()

        stream = workers.stream(produce)
        # The loop is busy until the thread has yielded everything.
        assert is_done.wait(10)
        return await all_of(stream)

    assert loop.run_until_complete(play()) == list(range(1000))
    # One for the items, one for the end if it came later.
    assert loop.wake_ups <= 2


def test_items_arrive_in_order_and_without_loss(loop: CountingLoop, workers: Workers) -> None:
    async def play() -> list[list[int]]:
        streams = [workers.stream(lambda: iter(range(20_000))) for _ in range(4)]
        return await asyncio.gather(*map(all_of, streams))

    assert loop.run_until_complete(play()) == [list(range(20_000))] * 4


def test_each_item_arrives_before_the_next_one_is_made(loop: CountingLoop, workers: Workers) -> None:
    async def play() -> list[int]:
        has_arrived = threading.Event()

        def produce() -> Iterator[int]:
            for number in range(50):
                yield number
                assert has_arrived.wait(10)
                has_arrived.clear()

        stream, items = workers.stream(produce), list[int]()
        while (batch := await stream.batch(LONG_S)) is not None:
            items += batch
            has_arrived.set()
        return items

    assert loop.run_until_complete(play()) == list(range(50))


def test_an_error_is_raised_after_what_was_yielded_before(loop: CountingLoop, workers: Workers) -> None:
    def produce() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    async def play() -> None:
        stream, items = workers.stream(produce), list[int]()
        with pytest.raises(ValueError, match="broken"):
            while batch := await stream.batch(LONG_S):
                items += batch
        assert items == [1]

    loop.run_until_complete(play())


def test_waiting_ends_after_its_time_and_can_begin_again(loop: CountingLoop, workers: Workers) -> None:
    async def play() -> list[int]:
        may_go_on = threading.Event()

        def produce() -> Iterator[int]:
            yield 1
            assert may_go_on.wait(10)
            yield 2

        stream, items, empty = workers.stream(produce), list[int](), 0
        while (batch := await stream.batch(0.01)) is not None:
            items += batch
            empty += not batch
            if empty == 3:
                may_go_on.set()
        assert empty >= 3
        return items

    assert loop.run_until_complete(play()) == [1, 2]


def test_a_loop_that_is_closed_disturbs_no_thread(workers: Workers) -> None:
    loop, may_go_on, ended = CountingLoop(), threading.Event(), threading.Event()

    def produce() -> Iterator[int]:
        assert may_go_on.wait(10)
        yield 1
        ended.set()

    async def play(make: Callable[[], Iterator[int]]) -> None:
        workers.stream(make)

    loop.run_until_complete(play(produce))
    loop.close()
    may_go_on.set()
    assert ended.wait(10)


def test_only_the_end_of_the_time_gives_an_empty_batch(loop: CountingLoop, workers: Workers) -> None:
    """A wake-up for an item that was taken before it arrived ends no later waiting."""

    async def play() -> list[list[int]]:
        may_go_on = threading.Event()
        first_is_there = threading.Event()

        def produce() -> Iterator[int]:
            yield 1
            first_is_there.set()
            assert may_go_on.wait(10)
            yield 2

        stream = workers.stream(produce)
        assert first_is_there.wait(10)
        batches = [list(await stream.batch(LONG_S) or ())]
        waiting = asyncio.ensure_future(stream.batch(LONG_S))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        may_go_on.set()
        return [*batches, list(await waiting or ())]

    assert loop.run_until_complete(play()) == [[1], [2]]
