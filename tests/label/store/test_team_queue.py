"""The queue of a labelling project of several accounts: assigning by a filter, orders, and walking it."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest

from tests.label.store.labelling import Clock, new, start_talk
from tests.label.store.teams import SHARED, Team
from tests.store.examples import GENERATION, SETUP, completion, user
from workbench.errors import BadInput
from workbench.label.records.project import QueueFilter, QueueOrder, QueueSort
from workbench.records.label import Verdict
from workbench.records.label_words import QueueState
from workbench.rollout.ports import EmittedToken
from workbench.store.store import OwnedStore, Store


@pytest.fixture
def team(migrated_url: str) -> Iterator[Team]:
    with closing(Store(migrated_url, now=Clock())) as store:
        yield Team(store)


def test_rows_are_assigned_by_a_filter_evenly_and_once(team: Team) -> None:
    talks = [start_talk(team.ann) for _ in range(9)]
    for talk in talks[:6]:
        team.ann.sessions.tag_session(talk.id, ["batch"])
    assigned = team.ann.label_assignments.assign_matching(
        QueueFilter(tag="batch"), [], project="round-1", limit=4
    )
    assert len(assigned) == 8
    assert {item.session_id for item in assigned} <= {talk.id for talk in talks[:6]}
    again = team.ann.label_assignments.assign_matching(QueueFilter(tag="batch"), [], project="round-1")
    assert len(again) == 4
    assert team.ann.label_assignments.assign_matching(QueueFilter(tag="batch"), [], project="round-1") == []
    progress = team.ann.label_queues.progress(project="round-1")
    assert [(one.name, one.total) for one in progress.annotators] == [("ben", 7), ("cleo", 7)]
    assert team.ben.label_queues.queue(QueueFilter(), project=SHARED).total == 7
    with pytest.raises(BadInput, match="each session needs 2"):
        team.ann.label_assignments.assign_matching(QueueFilter(), ["ben"], project="round-1")


def test_the_order_of_a_queue_does_not_change_when_a_session_is_used(team: Team) -> None:
    talks = [team.talk, *(start_talk(team.ann) for _ in range(4))]
    team.ann.label_assignments.assign([talk.id for talk in talks], [], project="round-1")
    team.ann.sessions.append(talks[1].id, completion("again"), parent_id=talks[1].messages[2])

    def ids(own: OwnedStore, project: str, order: QueueOrder | None = None, **further: Any) -> list[str]:
        sort = QueueSort(order=order, seed=int(str(further.pop("seed", 0))))
        return [
            item.session_id
            for item in own.label_queues.queue(QueueFilter(), project=project, sort=sort, **further).items
        ]

    oldest = [talk.id for talk in talks]
    assert ids(team.ben, SHARED) == ids(team.ben, SHARED, QueueOrder.OLDEST) == oldest
    assert ids(team.ann, "") == ids(team.ben, SHARED, QueueOrder.NEWEST) == oldest[::-1]
    shuffled = [ids(team.ben, SHARED, QueueOrder.RANDOM, seed=seed) for seed in range(6)]
    assert shuffled[0] == ids(team.ben, SHARED, QueueOrder.RANDOM, seed=0)
    assert all(sorted(order) == sorted(oldest) for order in shuffled)
    assert len({tuple(order) for order in shuffled}) > 1


@pytest.mark.parametrize("order", QueueOrder)
def test_every_order_can_be_walked_from_any_item_both_ways(team: Team, order: QueueOrder) -> None:
    talks = [
        team.talk,
        *(start_talk(team.ann, call="<tool_call>\n{,\n</tool_call>" * (n % 2)) for n in range(4)),
    ]
    team.ann.label_assignments.assign([talk.id for talk in talks], ["ben"] * 1 + ["cleo"], project="round-1")
    sort = QueueSort(order=order, seed=7)
    chosen = QueueFilter(assignee="ben")
    queue = team.dora.label_queues.queue(chosen, project=SHARED, sort=sort)
    ids = [item.session_id for item in queue.items]
    assert sorted(ids) == sorted(talk.id for talk in talks)

    def neighbour(session_id: str, *, is_before: bool) -> str | None:
        return team.dora.label_queues.neighbour(
            chosen, session_id, project=SHARED, sort=sort, is_before=is_before
        )

    assert [neighbour(one, is_before=False) for one in ids] == [*ids[1:], None]
    assert [neighbour(one, is_before=True) for one in ids] == [None, *ids[:-1]]
    for place, session_id in enumerate(ids):
        # The search goes on at the top.
        assert (
            team.dora.label_queues.next_open(chosen, project=SHARED, sort=sort, after=session_id)
            == (ids[1:] + ids[:1])[place]
        )


@pytest.mark.parametrize("order", QueueOrder)
def test_the_page_around_a_session_is_the_page_of_its_first_item(team: Team, order: QueueOrder) -> None:
    talks = [
        team.talk,
        *(start_talk(team.ann, call="<tool_call>\n{,\n</tool_call>" * (n % 2)) for n in range(4)),
    ]
    ids = [talk.id for talk in talks]
    team.ann.label_assignments.assign(ids, ["ben", "cleo"], project="round-1")
    sort = QueueSort(order=order, seed=7)
    ask = partial(team.dora.label_queues.queue, QueueFilter(), project=SHARED, sort=sort)
    items = ask(limit=50).items
    places = [item.session_id for item in items]
    assert len(places) > len(ids)
    for session_id, limit in product(ids, (1, 2, 3, 50)):
        page = ask(limit=limit, offset=1, around=session_id)
        first = places.index(session_id) // limit * limit
        assert (page.first, page.total) == (first, len(items))
        assert page.items == items[first : first + limit]


def test_uncertain_and_faulty_sessions_come_first(team: Team) -> None:
    def with_logprobs(*logprobs: float) -> str:
        session = team.ann.sessions.create_session(SETUP)
        tokens = tuple(EmittedToken(id=1, text="x", logprob=logprob) for logprob in logprobs)
        answer = completion("It is noon.")
        generated = replace(answer, generation=replace(answer.generation or GENERATION, tokens=tokens))
        team.ann.sessions.append_all(session.id, (user("hi"), generated), parent_id=None)
        return session.id

    unsure, sure = with_logprobs(-2.0, -1.0), with_logprobs(-0.1, -0.3)
    faulty = start_talk(team.ann, call="<tool_call>\n{,\n</tool_call>")
    by = {
        order: team.ann.label_queues.queue(QueueFilter(), sort=QueueSort(order=order)).items
        for order in QueueOrder
    }
    assert [item.session_id for item in by[QueueOrder.CONFIDENCE]][:2] == [unsure, sure]
    assert by[QueueOrder.FINDINGS][0].session_id == faulty.id


def test_the_least_agreement_comes_first(team: Team) -> None:
    calm = start_talk(team.ann)
    team.ann.label_assignments.assign([calm.id], [], project="round-1")
    for name in ("ben", "cleo"):
        team.of(name).labels.save(new(calm.target(3), Verdict.GOOD, annotator=name, project=SHARED))
        team.of(name).labels.move(calm.id, QueueState.DONE, project=SHARED, assignee=name, who=name)
    team.judge("ben", Verdict.GOOD)
    team.judge("cleo", Verdict.BAD_ANSWER)
    sort = QueueSort(order=QueueOrder.AGREEMENT)
    page = team.dora.label_queues.queue(QueueFilter(), project=SHARED, sort=sort, is_review=True)
    assert [item.session_id for item in page.items] == [team.talk.id, calm.id]
