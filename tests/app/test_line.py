"""The line in front of a model: nobody overtakes by asking often, nobody starves."""

from collections.abc import Iterator
from threading import Thread

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.app.fair_queue import HOLD_S, FairQueue, QueueTicket, Share

OWNERS = [("ann",), ("bob",), ("1.2.3.4", "x"), ("1.2.3.4", "y"), ("5.6.7.8", "x")]
STEPS = st.lists(
    st.tuples(st.sampled_from(["join", "serve", "cancel"]), st.integers(0, len(OWNERS) - 1)), max_size=120
)


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def served(line: FairQueue, tickets: list[QueueTicket]) -> Iterator[QueueTicket]:
    """Who is served, one after the other, until the line is empty."""
    waiting = list(tickets)
    while waiting:
        first = next(one for one in waiting if line.place(one) == 0)
        waiting.remove(first)
        yield first
        line.leave(first)


def test_one_owner_is_served_in_the_order_of_asking():
    line = FairQueue()
    tickets = [line.join(("ann",)) for _ in range(5)]
    assert [line.place(one) for one in tickets] == [0, 1, 2, 3, 4]
    assert list(served(line, tickets)) == tickets


def test_thirty_four_tickets_of_one_owner_are_one_ticket_to_another():
    line = FairQueue()
    many = [line.join(("ann",)) for _ in range(34)]
    other = line.join(("bob",))
    assert line.place(other) == 1
    assert list(served(line, [*many, other]))[:3] == [many[0], other, many[1]]


def test_many_browsers_of_one_address_are_one_to_another_address():
    line = FairQueue()
    for number in range(34):
        line.join(("1.2.3.4", str(number)))
    other = line.join(("5.6.7.8", "b"))
    neighbour = line.join(("1.2.3.4", "c"))
    assert line.place(other) == 1
    # At the address itself, browsers take turns too: each has asked once.
    assert line.place(neighbour) == 35
    again = line.join(("1.2.3.4", "0"))
    assert line.place(again) == 36


def test_whoever_comes_back_is_not_overtaken_by_all_who_come_for_the_first_time():
    line = FairQueue()
    served_once = line.join(("old",))
    line.leave(served_once)
    in_service, back = line.join(("ann",)), line.join(("old",))
    line.leave(in_service)
    for number in range(50):
        # Served by turns with newcomers: `old` waits for a bounded number of them.
        if line.place(back) == 0:
            break
        newcomer = line.join((f"new {number}",))
        line.leave(newcomer)
    assert line.place(back) == 0


def test_cancelling_while_waiting_frees_the_place():
    line = FairQueue()
    tickets = [line.join(("ann",)) for _ in range(4)]
    line.leave(tickets[1])
    line.leave(tickets[3])
    assert [line.place(one) for one in (tickets[0], tickets[2])] == [0, 1]


def test_a_turn_that_goes_on_keeps_its_place_and_only_for_a_moment():
    clock = Clock()
    line, turn = FairQueue(now_s=clock), object()
    first, other = line.join(("ann",), turn=turn), line.join(("bob",))
    line.leave(first, keeps_place=True)
    assert line.place(other) == 1
    second = line.join(("ann",), turn=turn)
    assert (line.place(second), line.place(other)) == (0, 1)
    line.leave(second, keeps_place=True)
    clock.now_s += HOLD_S + 0.01
    assert line.place(other) == 0


def test_another_turn_of_the_same_owner_does_not_take_the_place_that_is_held():
    clock = Clock()
    line, turn = FairQueue(now_s=clock), object()
    first, other = line.join(("ann",), turn=turn), line.join(("bob",))
    line.leave(first, keeps_place=True)
    another = line.join(("ann",), turn=object())
    assert line.place(another) > line.place(other) > 0
    line.end(turn)
    assert line.place(other) == 0


def test_a_wide_line_serves_several_at_once():
    line = FairQueue(3)
    many = [line.join(("ann",)) for _ in range(10)]
    other = line.join(("bob",))
    assert [line.place(one) for one in many[:3]] == [0, 0, 0]
    assert line.place(other) == 1
    line.leave(many[1])
    assert line.place(other) == 0


def test_whoever_waits_in_a_thread_is_woken():
    line, order = FairQueue(), list[int]()
    first = line.join(("ann",))
    tickets = [line.join(("ann",)) for _ in range(8)]

    def serve(number: int) -> None:
        while line.wait(tickets[number]):
            pass
        order.append(number)
        line.leave(tickets[number])

    threads = [Thread(target=serve, args=(number,)) for number in reversed(range(8))]
    for thread in threads:
        thread.start()
    line.leave(first)
    for thread in threads:
        thread.join(timeout=30)
    assert order == list(range(8))


def test_a_hold_that_runs_out_wakes_whoever_waits():
    line, turn = FairQueue(), object()
    first, other = line.join(("ann",), turn=turn), line.join(("bob",))
    line.leave(first, keeps_place=True)
    while line.wait(other):
        pass
    assert line.place(other) == 0


@settings(deadline=None)
@given(STEPS, st.integers(1, 3))
def test_laws_of_the_line(steps: list[tuple[str, int]], width: int) -> None:
    """Places are 0 to n, an owner's order is kept, all are served, and nothing is remembered of an empty line."""
    line = FairQueue(width, now_s=Clock())
    there: list[tuple[Share, QueueTicket]] = []
    for action, number in steps:
        if action == "join":
            there.append((OWNERS[number], line.join(OWNERS[number])))
        elif there:
            place = 0 if action == "serve" else line.place(there[number % len(there)][1])
            leaving = next(one for one in there if line.place(one[1]) == place)
            there.remove(leaving)
            line.leave(leaving[1])
        places = sorted(line.place(ticket) for _, ticket in there)
        serving = min(width, len(there))
        assert places == [0] * serving + list(range(1, len(there) - serving + 1))
        for share in OWNERS:
            own = [line.place(ticket) for owner, ticket in there if owner == share]
            assert own == sorted(own)
    order = list(served(line, [ticket for _, ticket in there]))
    assert len(order) == len(there)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(1, 5))
def test_nobody_waits_for_more_than_one_ticket_of_each_other_address(many: int, addresses: int) -> None:
    line = FairQueue()
    tickets = [
        line.join((f"10.0.0.{address}", f"{number}"))
        for address in range(addresses)
        for number in range(many)
    ]
    other = line.join(("victim",))
    assert line.place(other) <= addresses
    before = list(served(line, [*tickets, other])).index(other)
    assert before <= addresses
