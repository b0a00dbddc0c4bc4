"""The fair queue of a model: nobody gets ahead by sending more requests, and nobody starves."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Thread
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clock import Clock
from workbench.app.fair_queue import HOLD_S, FairQueue, QueueTicket, Share
from workbench.app.queued_engine import EngineQueues
from workbench.records.limits import TEAM
from workbench.rollout.ports import Capabilities

OWNERS = [("ann",), ("bob",), ("1.2.3.4", "x"), ("1.2.3.4", "y"), ("5.6.7.8", "x")]
STEPS = st.lists(
    st.tuples(st.sampled_from(["join", "serve", "cancel"]), st.integers(0, len(OWNERS) - 1)), max_size=120
)


def served(line: FairQueue, tickets: list[QueueTicket]) -> Iterator[QueueTicket]:
    """Yield the tickets in the order in which they are served, until the queue is empty."""
    waiting = list(tickets)
    while waiting:
        first = next(ticket for ticket in waiting if line.place(ticket) == 0)
        waiting.remove(first)
        yield first
        line.leave(first)


def test_the_tickets_of_one_owner_are_served_in_order():
    line = FairQueue()
    tickets = [line.join(("ann",)) for _ in range(5)]
    assert [line.place(ticket) for ticket in tickets] == [0, 1, 2, 3, 4]
    assert list(served(line, tickets)) == tickets


def test_another_owner_waits_for_only_one_of_many_tickets():
    line = FairQueue()
    many = [line.join(("ann",)) for _ in range(34)]
    other = line.join(("bob",))
    assert line.place(other) == 1
    assert list(served(line, [*many, other]))[:3] == [many[0], other, many[1]]


def test_many_browsers_at_one_address_delay_another_address_by_one_ticket():
    line = FairQueue()
    for number in range(34):
        line.join(("1.2.3.4", str(number)))
    other = line.join(("5.6.7.8", "b"))
    neighbour = line.join(("1.2.3.4", "c"))
    assert line.place(other) == 1
    # Browsers at the same address also take turns. Each of them has one ticket.
    assert line.place(neighbour) == 35
    second_ticket = line.join(("1.2.3.4", "0"))
    assert line.place(second_ticket) == 36


def test_a_returning_owner_is_not_overtaken_by_all_newcomers():
    line = FairQueue()
    first_ticket = line.join(("old",))
    line.leave(first_ticket)
    in_service, back = line.join(("ann",)), line.join(("old",))
    line.leave(in_service)
    for number in range(50):
        # `old` alternates with newcomers, so it waits only for a limited number of them.
        if line.place(back) == 0:
            break
        newcomer = line.join((f"new {number}",))
        line.leave(newcomer)
    assert line.place(back) == 0


def test_a_cancelled_ticket_frees_its_place():
    line = FairQueue()
    tickets = [line.join(("ann",)) for _ in range(4)]
    line.leave(tickets[1])
    line.leave(tickets[3])
    assert [line.place(ticket) for ticket in (tickets[0], tickets[2])] == [0, 1]


def test_a_turn_keeps_its_place_for_a_limited_time():
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


def test_another_turn_of_the_same_owner_cannot_use_the_held_place():
    clock = Clock()
    line, turn = FairQueue(now_s=clock), object()
    first, other = line.join(("ann",), turn=turn), line.join(("bob",))
    line.leave(first, keeps_place=True)
    another = line.join(("ann",), turn=object())
    assert line.place(another) > line.place(other) > 0
    line.end(turn)
    assert line.place(other) == 0


def test_a_queue_with_a_larger_width_serves_several_at_once():
    line = FairQueue(3)
    many = [line.join(("ann",)) for _ in range(10)]
    other = line.join(("bob",))
    assert [line.place(ticket) for ticket in many[:3]] == [0, 0, 0]
    assert line.place(other) == 1
    line.leave(many[1])
    assert line.place(other) == 0


def test_a_queue_that_becomes_wider_serves_more_and_a_narrower_one_interrupts_nobody():
    line = FairQueue(1)
    many = [line.join(("ann",)) for _ in range(4)]
    line.resize(3)
    assert [line.place(ticket) for ticket in many] == [0, 0, 0, 1]
    line.resize(1)
    assert [line.place(ticket) for ticket in many] == [0, 0, 0, 1]
    line.leave(many[0])
    line.leave(many[1])
    assert line.place(many[3]) == 1
    line.leave(many[2])
    assert line.place(many[3]) == 0


def served_at_once(queues, engine):
    line = queues.line(engine, TEAM)
    tickets = [line.join(("ann",)) for _ in range(40)]
    count = sum(line.place(ticket) == 0 for ticket in tickets)
    for ticket in tickets:
        line.leave(ticket)
    return count


def test_servers_divide_the_requests_to_a_remote_model_but_not_to_their_own():
    remote = SimpleNamespace(
        name="remote", capabilities=Capabilities(has_exact_prompt=True, has_grammar=False)
    )
    own = SimpleNamespace(name="own", capabilities=replace(remote.capabilities, own_width=1))
    later = SimpleNamespace(name="later", capabilities=remote.capabilities)
    queues = EngineQueues()
    assert (served_at_once(queues, remote), served_at_once(queues, own)) == (32, 1)
    queues.share_among(3)
    assert [served_at_once(queues, engine) for engine in (remote, own, later)] == [10, 1, 10]
    queues.share_among(100)
    assert [served_at_once(queues, engine) for engine in (remote, own, later)] == [1, 1, 1]
    queues.share_among(1)
    assert served_at_once(queues, remote) == 32


def test_the_queue_of_this_machine_serves_as_many_as_its_widest_model():
    def local(width):
        own = Capabilities(has_exact_prompt=True, has_grammar=True, own_width=width)
        return SimpleNamespace(name=f"local {width}", capabilities=own)

    queues = EngineQueues()
    assert [served_at_once(queues, local(width)) for width in (1, 8, 1)] == [1, 8, 8]


def test_waiting_threads_are_woken():
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


@pytest.mark.slow
def test_an_expired_hold_wakes_a_waiting_thread():
    line, turn = FairQueue(), object()
    first, other = line.join(("ann",), turn=turn), line.join(("bob",))
    line.leave(first, keeps_place=True)
    while line.wait(other):
        pass
    assert line.place(other) == 0


@settings(deadline=None)
@given(STEPS, st.integers(1, 3))
def test_properties_of_the_queue(steps: list[tuple[str, int]], width: int) -> None:
    """Places are 0 to n, an owner's tickets keep their order, and all tickets are served."""
    line = FairQueue(width, now_s=Clock())
    queued: list[tuple[Share, QueueTicket]] = []
    for action, number in steps:
        if action == "join":
            queued.append((OWNERS[number], line.join(OWNERS[number])))
        elif queued:
            place = 0 if action == "serve" else line.place(queued[number % len(queued)][1])
            leaving = next(entry for entry in queued if line.place(entry[1]) == place)
            queued.remove(leaving)
            line.leave(leaving[1])
        places = sorted(line.place(ticket) for _, ticket in queued)
        serving = min(width, len(queued))
        assert places == [0] * serving + list(range(1, len(queued) - serving + 1))
        for share in OWNERS:
            own = [line.place(ticket) for owner, ticket in queued if owner == share]
            assert own == sorted(own)
    order = list(served(line, [ticket for _, ticket in queued]))
    assert len(order) == len(queued)


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
