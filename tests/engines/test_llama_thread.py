"""The thread in which a model is evaluated."""

import _thread
import signal
from collections.abc import Iterator
from threading import Event, Thread, Timer, current_thread

import pytest

from workbench.engines.evaluating_thread import EvaluatingThread


@pytest.fixture
def evaluating():
    thread = EvaluatingThread()
    yield thread
    thread.close()


def test_one_thread_serves_all_callers_and_each_gets_its_own_result(evaluating):
    served = {}

    def ask(number):
        served[number] = evaluating.run(lambda: (current_thread(), number))

    threads = [Thread(target=ask, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert {number: answer for number, (_, answer) in served.items()} == {n: n for n in range(5)}
    assert len({thread for thread, _ in served.values()}) == 1
    assert current_thread() not in {thread for thread, _ in served.values()}


def test_an_error_reaches_its_caller_and_the_next_call_works(evaluating):
    def fail():
        raise ValueError("of this work")

    with pytest.raises(ValueError, match="of this work"):
        evaluating.run(fail)
    assert evaluating.run(lambda: 2) == 2


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Handle interrupts, which background jobs of a shell ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_raised_after_the_work_has_ended(evaluating):
    started, go_on, ended = Event(), Event(), Event()

    def work():
        started.set()
        go_on.wait(timeout=20)
        ended.set()

    def interrupt():
        started.wait(timeout=20)
        _thread.interrupt_main()

    interrupting = Thread(target=interrupt)
    releasing = Timer(0.3, go_on.set)
    interrupting.start()
    releasing.start()
    with pytest.raises(KeyboardInterrupt):
        evaluating.run(work)
    assert ended.is_set()
    interrupting.join(timeout=20)
    releasing.join(timeout=20)


def test_it_can_be_closed_twice():
    thread = EvaluatingThread()
    thread.close()
    thread.close()
