"""The lock that serves in order of arrival."""

from threading import Thread

from workbench.engines.fifo_lock import FifoLock


def test_positions_follow_the_order_of_joining_and_move_up():
    line = FifoLock()
    tickets = [line.join() for _ in range(3)]
    assert [line.place(ticket) for ticket in tickets] == [0, 1, 2]
    line.leave(tickets[1])
    assert [line.place(tickets[0]), line.place(tickets[2])] == [0, 1]


def test_waiting_threads_are_served_in_order():
    line, served = FifoLock(), []
    first = line.join()
    others = [line.join() for _ in range(8)]

    def serve(number):
        while line.wait(others[number]):
            pass
        served.append(number)
        line.leave(others[number])

    threads = [Thread(target=serve, args=(number,)) for number in reversed(range(8))]
    for thread in threads:
        thread.start()
    line.leave(first)
    for thread in threads:
        thread.join(timeout=30)
    assert served == list(range(8))


def test_a_wait_ends_with_its_timeout():
    line = FifoLock()
    line.join()
    assert line.wait(line.join(), timeout_s=0.01) == 1


def test_a_wide_lock_serves_several_and_can_be_waited_for_alone():
    line, alone = FifoLock(2), []
    first, second, third, last = (line.join() for _ in range(4))
    assert [line.place(ticket) for ticket in (first, second, third, last)] == [0, 0, 1, 2]
    line.leave(second)
    assert [line.place(ticket) for ticket in (first, third, last)] == [0, 0, 1]

    def wait():
        line.wait_for_all(last)
        alone.append(line.place(last))

    waiting = Thread(target=wait)
    waiting.start()
    line.leave(third)
    assert not alone
    line.leave(first)
    waiting.join(timeout=30)
    assert alone == [0]
